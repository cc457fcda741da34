import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation

/// What is wrong, in one place for all devices.
package actor Findings {
    package private(set) var violations: [String] = []
    /// What the app was given, by transaction: how often, and for whom.
    package private(set) var deliveries: [UInt64: [String]] = [:]
    /// The accounts that signed in on an Apple account's devices.
    package private(set) var guests: [String: Set<String>] = [:]
    /// The accounts for which somebody pressed the restore button there: what the Apple account has may be theirs since.
    package private(set) var restorers: [String: Set<String>] = [:]
    /// How often the restore button was pressed.
    package private(set) var restores = 0
    /// How often it was on each device, less the times that the App Store was asked.
    private var presses: [String: Int] = [:]
    private var trace: [String] = []

    package init() {}

    func signIn(_ account: String, on owner: String) { guests[owner, default: []].insert(account) }

    func press(for account: String, on owner: String, _ device: String) {
        restorers[owner, default: []].insert(account)
        presses[device, default: 0] += 1
        restores += 1
    }

    /// The App Store was asked: once for each time that the button was pressed, at most.
    func sync(_ device: String) {
        expect(presses[device, default: 0] > 0, "\(device) asked the App Store, and nobody pressed the button")
        presses[device, default: 0] -= 1
    }

    package func expect(_ condition: Bool, _ claim: String) { if !condition { violations.append(claim) } }

    /// Notes what happened, without the signed texts.
    package func note(_ text: String) {
        trace.append(text.replacingOccurrences(of: #"eyJ[A-Za-z0-9_.-]+"#, with: "…", options: .regularExpression))
    }

    package func deliver(_ transaction: DeviceTransaction, to account: String) {
        deliveries[transaction.id, default: []].append(account)
    }

    /// The last that happened.
    package var story: String { trace.suffix(60).joined(separator: "\n") }
}

/// What goes wrong between a device and the server, by chance; and what the server said of each transaction.
package actor Network: Backend {
    private let backend: HTTPBackend
    private var random: SeededGenerator
    private var isPaused = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var underway = 0
    private var quiet: [CheckedContinuation<Void, Never>] = []
    /// How many of a hundred requests fail.
    private var trouble = 25
    /// What the server keeps for whoever asked.
    private(set) var kept: Set<UInt64> = []
    /// What the server keeps for somebody else.
    private(set) var others: Set<UInt64> = []

    init(_ backend: HTTPBackend, seed: UInt64) {
        self.backend = backend
        random = SeededGenerator(seed: seed)
    }

    /// Nothing fails any more.
    func heal() { trouble = 0 }

    /// Holds what is sent from now on, and returns when everything before has an answer: time passes for all at once.
    func pause() async {
        isPaused = true
        guard underway > 0 else { return }
        await withCheckedContinuation { quiet.append($0) }
    }

    func resume() {
        isPaused = false
        waiting.forEach { $0.resume() }
        waiting = []
    }

    private func begin() async {
        while isPaused { await withCheckedContinuation { waiting.append($0) } }
        underway += 1
    }

    private func end() {
        underway -= 1
        guard underway == 0 else { return }
        quiet.forEach { $0.resume() }
        quiet = []
    }

    private func ask(
        _ question: () async throws(BackendFailure) -> CustomerAnswer
    ) async throws(BackendFailure) -> CustomerAnswer {
        await begin()
        defer { end() }
        let fault = Int.random(in: 0..<100, using: &random) < trouble ? Int.random(in: 0..<6, using: &random) : nil
        switch fault {
        case 0: throw .noConnection
        case 1: throw .timeout
        case 2: throw BackendFailure(status: 503, code: "unavailable", isRetryable: true)
        case 3: throw BackendFailure(status: 429, code: "rate_limited", retryAfter: 5, isRetryable: true)
        case 4: throw .invalidAnswer
        default: break
        }
        let answer = try await question()
        // The server did it, and the app never hears of it.
        if fault == 5 { throw .noConnection }
        kept.formUnion((answer.kept ?? []).compactMap { UInt64($0) })
        others.formUnion(
            (answer.refused ?? []).filter { $0.code == "receipt_already_in_use" }.compactMap { $0.id }
                .compactMap { UInt64($0) })
        return answer
    }

    package func report(
        _ report: PurchaseReport, for customer: CustomerCredential
    ) async throws(BackendFailure) -> CustomerAnswer {
        let backend = backend
        return try await ask { () async throws(BackendFailure) in try await backend.report(report, for: customer) }
    }

    package func customer(
        _ customer: CustomerCredential, environment: String?
    ) async throws(BackendFailure) -> CustomerAnswer {
        let backend = backend
        return try await ask { () async throws(BackendFailure) in
            try await backend.customer(customer, environment: environment)
        }
    }

    package func merge(
        _ anonymous: CustomerCredential, into customer: CustomerCredential, environment: String?
    ) async throws(BackendFailure) -> CustomerAnswer {
        let backend = backend
        return try await ask { () async throws(BackendFailure) in
            try await backend.merge(anonymous, into: customer, environment: environment)
        }
    }

    package func session(
        for customer: String, appTransaction: String
    ) async throws(BackendFailure) -> CustomerCredential {
        await begin()
        defer { end() }
        return try await backend.session(for: customer, appTransaction: appTransaction)
    }
}

/// A device's store, and whether the client does with it what it may.
package actor WatchedStore: PurchaseStore {
    private nonisolated let device: SimulatedDevice
    private let network: Network
    private let findings: Findings
    private let name: String

    init(_ device: SimulatedDevice, _ network: Network, _ findings: Findings, name: String) {
        (self.device, self.network, self.findings, self.name) = (device, network, findings, name)
    }

    package nonisolated var updates: AsyncStream<StoreUpdate> { device.updates }
    package func unfinished() async -> [DeviceTransaction] { await device.unfinished() }
    package func current() async -> [DeviceTransaction] { await device.current() }
    package func all() async -> [DeviceTransaction] { await device.all() }
    package func statuses() async -> [DeviceStatus] { await device.statuses() }
    package func appTransaction() async -> String? { await device.appTransaction() }
    package func receipt() async -> Data? { await device.receipt() }
    package func products(_ ids: [String]) async throws -> [DeviceProduct] { try await device.products(ids) }

    package func purchase(_ productID: String, _ options: PurchaseOptions) async throws -> PurchaseResult {
        try await device.purchase(productID, options)
    }

    package func finish(_ transactionID: UInt64) async {
        let isKept = await network.kept.contains(transactionID)
        let isOthers = await network.others.contains(transactionID)
        await findings.expect(isKept || isOthers, "\(name) finished \(transactionID) before the server kept it")
        await device.finish(transactionID)
    }

    package func sync() async throws {
        await findings.sync(name)
        try await device.sync()
    }
}
