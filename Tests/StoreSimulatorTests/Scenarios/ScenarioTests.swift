import AppStoreModels
import Foundation
import StoreSimulator
import Synchronization
import TestSupport
import Testing

/// Runs a simulator with a frozen clock while `body` runs.
func withSimulator<Value: Sendable>(
    _ body: @Sendable (Simulator) async throws -> Value
) async throws -> Value {
    let simulator = try await Simulator.start(.frozen)
    do {
        let value = try await body(simulator)
        await simulator.stop()
        return value
    } catch {
        await simulator.stop()
        throw error
    }
}

@Suite struct `Scenarios` {
    @Test(arguments: ShippedScenarios.names)
    func `Every shipped scenario passes`(_ name: String) async throws {
        let scenario = try #require(try ShippedScenarios.scenario(name))
        let report = try await withSimulator { try await $0.run(scenario) }
        #expect(report.passed, "\(report.explanation)")
        #expect(report.steps.allSatisfy { $0.outcome == .passed })
    }

    @Test func `The embedded scenarios equal the files in the folder Shipped`() throws {
        let folder = Fixtures.package.appending(path: "Sources/StoreSimulator/Scenarios/Shipped")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "yaml" }
        #expect(Set(files.map { $0.deletingPathExtension().lastPathComponent }) == Set(ShippedScenarios.names))
        for file in files {
            let name = file.deletingPathExtension().lastPathComponent
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(ShippedScenarios.text(name) == text, "\(name)")
        }
    }

    @Test func `A failed expectation reports expected and actual value, and later steps are skipped`() async throws {
        let scenario = try Scenario(
            yaml: """
                name: Wrong on purpose
                steps:
                  - purchase: {customer: anna, product: premium.monthly}
                  - expect: {notifications: [{type: SUBSCRIBED.INITIAL_BUY, transaction: {price: 9990}}]}
                  - advance: 1 week
                """)
        let report = try await withSimulator { try await $0.run(scenario) }
        #expect(!report.passed)
        #expect(report.steps.map(\.outcome) == [.passed, .failed, .skipped])
        #expect(
            report.steps[1].mismatches == [
                "notifications[0] SUBSCRIBED.INITIAL_BUY transaction.price: expected 9990, got 0"
            ])
        #expect(report.explanation.hasPrefix("line 4: expect"))
    }

    @Test(arguments: [
        ("expect: {anna: {status: expired}}", "anna.status: expected expired, got active"),
        ("expect: {anna: {offerType: null}}", "anna.offerType: expected none, got 1"),
        ("expect: {anna: {hasAccess: false}}", "anna.hasAccess: expected false, got true"),
        ("expect: {zoe: {status: active}}", "zoe: there is no customer \"zoe\" in Production"),
        ("expect: {notifications: []}", "notifications: expected none, got SUBSCRIBED.INITIAL_BUY"),
        (
            "expect: {notifications: [DID_RENEW]}",
            "notifications: expected DID_RENEW, got SUBSCRIBED.INITIAL_BUY"
        ),
        (
            "refuse: {cancel: {customer: anna}, code: no_subscription}",
            "expected a refusal with no_subscription, got none"
        ),
    ])
    func `A mismatch of a customer, notification or refusal has a precise message`(_ step: String, _ message: String)
        async throws
    {
        let scenario = try Scenario(
            yaml: "name: x\nsteps:\n  - purchase: {customer: anna, product: premium.monthly}\n  - \(step)\n")
        let report = try await withSimulator { try await $0.run(scenario) }
        #expect(report.steps.last?.mismatches == [message])
    }

    @Test(arguments: [
        ("steps: []", "name: is missing"),
        ("name: x\nsteps:\n  - purchse: {customer: anna}", "did you mean \"purchase\"?, line 3"),
        (
            "name: x\nsteps:\n  - cancel:\n      customer: anna\n      custmer: ben",
            "steps[0].cancel.custmer: is no member of it, line 5"
        ),
        ("name: x\nsteps:\n  - cancel: {}", "customer is missing"),
        ("name: x\nsteps:\n  - advance: soon", "steps[0].advance: \"soon\" is neither a duration"),
        ("name: x\nsteps:\n  - expect: {notifications: [DID_RENW]}", "did you mean \"DID_RENEW\"?, line 3"),
        ("name: x\nsteps:\n  - expect: {anna: {statuss: active}}", "did you mean \"status\"?, line 3"),
        (
            "name: x\nsteps:\n  - fault:\n      target: route:*\n      effect: {dealy: {seconds: 1}}",
            "steps[0].fault.effect.dealy: there is no effect \"dealy\"; did you mean \"delay\"?, line 5"
        ),
        (
            "name: x\nsteps:\n  - fault:\n      target: route:*\n      effect: {drop: {}, truncate: {}}",
            "one effect is expected, not 2; counterfoil simulator fault --help lists them"
        ),
        (
            "name: x\nsettings: {production: {gracePeriod: seven}}\nsteps: []",
            "settings.production.gracePeriod: \"seven\" is none of off, threeDays, sixteenDays, twentyEightDays, line 2"
        ),
        (
            "name: x\nsetings: {}\nsteps: []",
            "setings: is not a key of this format; did you mean \"settings\"?, line 2"
        ),
    ])
    func `A malformed scenario is refused with the place of the mistake`(_ text: String, _ message: String) throws {
        do {
            _ = try Scenario(yaml: text)
            Issue.record("accepted")
        } catch {
            #expect(error.description.contains(message), "\(error.description)")
        }
    }

    @Test func `A scenario does not change the simulator's existing customers and settings`() async throws {
        let scenario = try #require(try ShippedScenarios.scenario("product-removed"))
        try await withSimulator { simulator in
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.news.monthly"))
            let settings = simulator.settings()
            #expect(try await simulator.run(scenario).passed)
            #expect(try await simulator.run(scenario).passed)
            #expect(simulator.settings() == settings)
            #expect(try simulator.state(of: "anna").subscriptions.map(\.productID) == ["com.example.news.monthly"])
            #expect(simulator.states().map(\.customer).sorted() == ["anna", "anna-2", "anna-3"])
        }
    }

    /// The price stayed scheduled for a day that had passed, and no other one could be scheduled.
    @Test func `A scheduled price takes effect even if a scenario advances the clock beyond its date`() async throws {
        let scenario = try Scenario(yaml: "name: Two months\nsteps: [{advance: 2 months}]\n")
        let news = "com.example.news.monthly"
        try await withSimulator { simulator in
            func price() -> Int64? {
                simulator.core.read(.production) { store, _ in store.catalogue.product(news)?.price }
            }
            let before = price()
            let (first, second) = (Period.month.date(after: simulator.now), Period.year.date(after: simulator.now))
            try await simulator.perform(.schedulePriceChange(product: news, price: 3990, effectiveDate: first))
            #expect(price() == before && before != 3990)
            #expect(try await simulator.run(scenario).passed)
            #expect(price() == 3990)
            // The next price keeps its date.
            try await simulator.perform(.schedulePriceChange(product: news, price: 4990, effectiveDate: second))
            #expect(try await simulator.run(scenario).passed)
            #expect(price() == 3990)
            try await simulator.advance(to: second)
            #expect(price() == 4990)
        }
    }

    /// `test-notification` sets the notification URLs itself, `upgrade` does not.
    @Test(arguments: ["test-notification", "upgrade"])
    func `A scenario does not overwrite a notification URL that is set during its run`(_ name: String) async throws {
        let scenario = try #require(try ShippedScenarios.scenario(name))
        try await withSimulator { simulator in
            simulator.configure { $0.notificationURL = "http://127.0.0.1:9/before" }
            simulator.configure(.sandbox) { $0.notificationURL = "http://127.0.0.1:9/before" }
            let sandbox = simulator.settings(of: .sandbox)
            let companion = ScenarioCompanion(prepare: { command, _ in command }) {
                simulator.configure { $0.notificationURL = "http://127.0.0.1:9/meanwhile" }
                return []
            }
            let report = try await simulator.run(scenario, beside: companion)
            #expect(report.passed)
            #expect(simulator.settings().notificationURL == "http://127.0.0.1:9/meanwhile")
            #expect(simulator.settings(of: .sandbox) == sandbox)
        }
    }

    @Test func `A scenario does not overwrite the settings of a snapshot that is restored during its run`() async throws
    {
        let scenario = try #require(try ShippedScenarios.scenario("upgrade"))
        try await withSimulator { simulator in
            simulator.configure { $0.maximumRenewalLeadTime = 1 }
            try await simulator.snapshot("kept")
            simulator.configure { $0.maximumRenewalLeadTime = 2 }
            let restoring = Mutex<Task<Void, any Error>?>(nil)
            let companion = ScenarioCompanion(prepare: { command, _ in command }) {
                let isFirst = restoring.withLock { restoring in
                    guard restoring == nil else { return false }
                    restoring = Task { try await simulator.restore("kept") }
                    return true
                }
                // Gives the restore a chance to run before the scenario ends.
                for _ in 0..<10_000 where isFirst && simulator.settings().maximumRenewalLeadTime != 1 {
                    await Task.yield()
                }
                return []
            }
            let report = try await simulator.run(scenario, beside: companion)
            #expect(report.passed)
            let task = try #require(restoring.withLock { $0 })
            try await task.value
            #expect(simulator.settings().maximumRenewalLeadTime == 1)
        }
    }

    @Test func `A scenario is refused if the clock is not frozen`() async throws {
        let scenario = try #require(try ShippedScenarios.scenario("upgrade"))
        let simulator = try await Simulator.start()
        do {
            try await simulator.run(scenario)
            Issue.record("the scenario ran")
        } catch let error as SimulatorError {
            #expect(error.code == .clockNotFrozen)
        }
        await simulator.stop()
    }
}
