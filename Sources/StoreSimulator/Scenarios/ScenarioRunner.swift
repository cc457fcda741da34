internal import AppStoreModels
internal import Basics
internal import Foundation

extension Simulator {
    /// Runs a scenario with new customers. If a customer of a name exists, the scenario's customers get a suffix. At
    /// the end, restores settings and catalogue and removes the scenario's faults; the clock stays advanced. Price
    /// changes that were scheduled before and whose date has passed are in effect. A notification URL that was set from
    /// outside meanwhile stays.
    ///
    /// - Throws: ``SimulatorError`` unless the clock is frozen.
    @discardableResult
    public func run(_ scenario: Scenario) async throws -> ScenarioReport { try await run(scenario, beside: nil) }

    /// Runs a scenario with a companion that prepares commands and checks each step.
    @discardableResult
    package func run(_ scenario: Scenario, beside companion: ScenarioCompanion?) async throws -> ScenarioReport {
        guard core.configuration.clock.isFrozen else {
            throw SimulatorError(
                .clockNotFrozen,
                "a scenario needs a frozen clock: start the simulator with --clock frozen")
        }
        // Concurrent scenarios would save each other's changed settings as the ones to restore.
        try await core.scenarioLock.lock()
        defer { core.scenarioLock.unlock() }
        let before = AppStoreEnvironment.simulated.map { environment in
            core.read(environment) { store, _ in
                (store.settings, store.catalogue, store.priceCampaigns, store.redemptions)
            }
        }
        var runner = ScenarioRunner(core, scenario, companion)
        let failure: (any Error)?
        do {
            try await runner.run()
            failure = nil
        } catch {
            failure = error
        }
        runner.removeFaults()
        for (environment, (settings, catalogue, campaigns, redemptions)) in zip(AppStoreEnvironment.simulated, before) {
            let own = (runner.redirected[environment] ?? settings).notificationURL
            core.change(environment) { store, now in
                let current = store.settings.notificationURL
                store.settings = settings
                // Somebody else set it meanwhile, such as a listener that began or ended.
                if current != own { store.settings.notificationURL = current }
                store.restore(catalogue, campaigns, at: now)
                store.redemptions = redemptions
            }
        }
        if let failure { throw failure }
        return runner.report
    }
}

/// A running scenario.
struct ScenarioRunner {
    let core: SimulatorCore
    let scenario: Scenario
    private(set) var report: ScenarioReport
    var environment: AppStoreEnvironment
    /// The suffix that makes the names of the scenario's customers unique.
    let suffix: String
    /// The customers of this run, by their names in the simulator.
    var customers: Set<String> = []
    /// The number of notifications in each environment that have been compared with expectations.
    var seen: [AppStoreEnvironment: Int] = [:]
    private let companion: ScenarioCompanion?
    private var token: String?
    private var faults: [Int] = []
    /// The latest settings with which the scenario has set the notification URL of an environment.
    private(set) var redirected: [AppStoreEnvironment: StoreSettings] = [:]

    init(_ core: SimulatorCore, _ scenario: Scenario, _ companion: ScenarioCompanion? = nil) {
        self.core = core
        self.scenario = scenario
        self.companion = companion
        report = ScenarioReport(name: scenario.name, passed: true, steps: [])
        environment = scenario.environment
        let names = scenario.customers
        let taken = AppStoreEnvironment.simulated.reduce(into: Set<String>()) { taken, environment in
            taken.formUnion(core.read(environment) { store, _ in Array(store.customers.keys) })
        }
        var number = 1
        while names.contains(where: { taken.contains($0 + (number == 1 ? "" : "-\(number)")) }) { number += 1 }
        suffix = number == 1 ? "" : "-\(number)"
        for environment in AppStoreEnvironment.simulated {
            seen[environment] = core.read(environment) { store, _ in store.notifications.count }
        }
    }

    mutating func run() async throws {
        for (environment, settings) in scenario.settings { try set(settings, in: environment) }
        for fault in scenario.randomFaults?.faults ?? [] {
            faults.append(try core.add(fault))
        }
        for step in scenario.steps {
            var line = ScenarioReport.Step(line: step.line, title: step.title, outcome: .skipped)
            if report.passed {
                let first = core.read(environment) { store, _ in store.notifications.count }
                line.mismatches = try await perform(step.action)
                if line.mismatches.isEmpty, let companion { line.mismatches = try await companion.check() }
                line.outcome = line.mismatches.isEmpty ? .passed : .failed
                line.notifications = notifications(from: first).map(\.name)
                report.passed = line.mismatches.isEmpty
            }
            report.steps.append(line)
        }
    }

    /// Performs a step.
    ///
    /// - Returns: The mismatches.
    private mutating func perform(_ action: Scenario.Action) async throws -> [String] {
        do {
            switch action {
            case .command(let json): try await perform(json)
            case .refuse(let json, let code): return try await refuse(json, code)
            case .advance(let text):
                let target =
                    TypedDuration(text)?.after(core.now)
                    ?? InstantText.milliseconds(iso8601: text, acceptsDays: true)
                    .flatMap { Date(millisecondsSince1970: $0) } ?? core.now
                _ = try await core.advance(to: target)
            case .trigger(let json): try await trigger(json)
            case .fault(let fault): faults.append(try core.add(fault))
            case .set(let settings): try set(settings, in: environment)
            case .endOffer(let product, let offer, let length):
                let end = TypedDuration(length)?.after(core.now) ?? core.now
                let id = identifier(of: product)
                guard core.change(environment, { store, _ in store.catalogue.end(offer, of: id, at: end) }) else {
                    return ["\(product) has no offer code \(offer)"]
                }
            case .environment(let new): environment = new
            case .expect(let expectation): return try compare(expectation)
            }
            return []
        } catch let error as CancellationError {
            throw error
        } catch {
            let failure = ControlFailure(error)
            return ["refused with \(failure.code): \(failure.message)"]
        }
    }

    private mutating func perform(_ json: JSONValue, isRefused: Bool = false) async throws {
        let json = try resolved(json)
        var command = try ControlJSON.decode(StoreCommand.self, from: json)
        if let companion, !isRefused { command = try await companion.prepare(command, environment) }
        let outcome = try await core.perform(command, in: environment)
        if let new = outcome.token { token = new }
        customers.formUnion([outcome.customer].compactMap { $0 })
    }

    private mutating func refuse(_ json: JSONValue, _ code: String) async throws -> [String] {
        do {
            try await perform(json, isRefused: true)
            return ["expected a refusal with \(code), got none"]
        } catch let error as StoreError {
            return error.code.rawValue == code ? [] : ["expected a refusal with \(code), got \(error)"]
        }
    }

    private mutating func trigger(_ json: JSONValue) async throws {
        let request = try ControlJSON.decode(TriggerRequest.self, from: resolved(json))
        let outcome = try core.change(environment) { store, now in try store.trigger(request, at: now) }
        try await core.run()
        if let new = outcome.token { token = new }
        customers.formUnion([outcome.customer].compactMap { $0 })
    }

    private mutating func set(_ changes: JSONValue, in environment: AppStoreEnvironment) throws {
        let settings = try core.merge(changes, in: environment)
        if case .object(let members) = changes, members["notificationURL"] != nil {
            redirected[environment] = settings
        }
    }

    func removeFaults() {
        // A fault that has reached its count was removed before.
        for number in faults { try? core.removeFault(number) }
    }
}

// MARK: - Names

extension ScenarioRunner {
    /// Returns the identifier for a short product name, or the text itself if no product matches.
    func identifier(of product: String) -> String {
        core.read(environment) { store, _ in store.catalogue.identifier(of: product) } ?? product
    }

    /// Returns a command with this run's customer names, and with short product names and transaction numbers replaced
    /// by identifiers.
    private mutating func resolved(_ json: JSONValue) throws -> JSONValue {
        guard case .object(let members) = json else { return json }
        var resolved: [String: JSONValue] = [:]
        for (key, value) in members {
            switch (key, value) {
            case ("customer", .string(let name)), ("member", .string(let name)):
                customers.insert(name + suffix)
                resolved[key] = .string(name + suffix)
            case ("product", .string(let name)), ("subscription", .string(let name)):
                resolved[key] = .string(identifier(of: name))
            case ("transaction", .string(let name)):
                resolved[key] = .string(transaction(name, of: members["customer"]) ?? identifier(of: name))
            case ("token", .string("last")): resolved[key] = token.map(JSONValue.string) ?? value
            default: resolved[key] = try self.resolved(value)
            }
        }
        return .object(resolved)
    }

    /// Returns the identifier of the customer's transaction with this number, counted from 1.
    private func transaction(_ number: String, of customer: JSONValue?) -> String? {
        guard case .string(let name)? = customer, number.utf8.count <= 4, let number = Int(number), number > 0 else {
            return nil
        }
        let all = core.read(environment) { store, _ in store.customers[name + suffix]?.transactions ?? [] }
        return number <= all.count ? all[number - 1] : nil
    }
}

extension Scenario {
    /// The names of all customers in the scenario.
    fileprivate var customers: Set<String> {
        var names: Set<String> = []
        func collect(_ json: JSONValue) {
            guard case .object(let members) = json else { return }
            for (key, value) in members {
                if case .string(let name) = value, key == "customer" || key == "member" { names.insert(name) }
                collect(value)
            }
        }
        for step in steps {
            switch step.action {
            case .command(let json), .refuse(let json, _), .trigger(let json): collect(json)
            case .expect(let expectation): names.formUnion(expectation.customers.map(\.name))
            default: break
            }
        }
        return names
    }
}
