import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation

/// Collects the violations and events of all devices.
package actor TestRecorder {
    package private(set) var violations: [String] = []
    /// The accounts to which the app delivered each transaction.
    package private(set) var deliveries: [UInt64: [String]] = [:]
    /// The accounts that signed in on an Apple account's devices.
    package private(set) var accounts: [String: Set<String>] = [:]
    /// The accounts that restored on an Apple account's devices, and may own its purchases since.
    package private(set) var restorers: [String: Set<String>] = [:]
    /// The number of restores.
    package private(set) var restores = 0
    /// The number of restores on each device, less the syncs with the App Store.
    private var unsyncedRestores: [String: Int] = [:]
    private var trace: [String] = []

    package init() {}

    func recordSignIn(_ account: String, on owner: String) { accounts[owner, default: []].insert(account) }

    func recordRestore(for account: String, on owner: String, device: String) {
        restorers[owner, default: []].insert(account)
        unsyncedRestores[device, default: 0] += 1
        restores += 1
    }

    /// Records a sync with the App Store: at most one per restore.
    func recordSync(_ device: String) {
        expect(unsyncedRestores[device, default: 0] > 0, "\(device) synced with the App Store without a restore")
        unsyncedRestores[device, default: 0] -= 1
    }

    package func expect(_ condition: Bool, _ claim: String) { if !condition { violations.append(claim) } }

    /// Records an event, without signed texts.
    package func record(_ text: String) {
        trace.append(text.replacingOccurrences(of: #"eyJ[A-Za-z0-9_.-]+"#, with: "…", options: .regularExpression))
    }

    package func recordDelivery(of transaction: DeviceTransaction, to account: String) {
        deliveries[transaction.id, default: []].append(account)
    }

    /// The last events.
    package var recentEvents: String { trace.suffix(60).joined(separator: "\n") }
}

/// A network between a device and the server that fails randomly, and records the server's answers about transactions.
package actor Network: Backend {
    private let backend: HTTPBackend
    private var random: SeededGenerator
    private var isPaused = false
    private var pausedRequests: [CheckedContinuation<Void, Never>] = []
    private var running = 0
    private var idleWaiters: [CheckedContinuation<Void, Never>] = []
    /// The percentage of requests that fail.
    private var failurePercentage = 25
    /// The transactions that the server keeps for the requesting customer.
    private(set) var kept: Set<UInt64> = []
    /// The transactions that the server keeps for another customer.
    private(set) var others: Set<UInt64> = []

    init(_ backend: HTTPBackend, seed: UInt64) {
        self.backend = backend
        random = SeededGenerator(seed: seed)
    }

    /// Stops failing.
    func stopFailing() { failurePercentage = 0 }

    /// Blocks new requests, and returns when all running ones have ended, so that time passes for all devices at once.
    func pause() async {
        isPaused = true
        guard running > 0 else { return }
        await withCheckedContinuation { idleWaiters.append($0) }
    }

    func resume() {
        isPaused = false
        pausedRequests.forEach { $0.resume() }
        pausedRequests = []
    }

    private func beginRequest() async {
        while isPaused { await withCheckedContinuation { pausedRequests.append($0) } }
        running += 1
    }

    private func endRequest() {
        running -= 1
        guard running == 0 else { return }
        idleWaiters.forEach { $0.resume() }
        idleWaiters = []
    }

    private func send(
        _ request: () async throws(BackendFailure) -> CustomerResponse
    ) async throws(BackendFailure) -> CustomerResponse {
        await beginRequest()
        defer { endRequest() }
        let fault =
            Int.random(in: 0..<100, using: &random) < failurePercentage ? Int.random(in: 0..<6, using: &random) : nil
        switch fault {
        case 0: throw .noConnection
        case 1: throw .timeout
        case 2: throw BackendFailure(status: 503, code: "unavailable", isRetryable: true)
        case 3: throw BackendFailure(status: 429, code: "rate_limited", retryAfter: 5, isRetryable: true)
        case 4: throw .invalidResponse
        default: break
        }
        let answer = try await request()
        // The server has processed the request, but the app does not learn of it.
        if fault == 5 { throw .noConnection }
        kept.formUnion((answer.kept ?? []).compactMap { UInt64($0) })
        others.formUnion(
            (answer.refused ?? []).filter { $0.code == "receipt_already_in_use" }.compactMap { $0.id }
                .compactMap { UInt64($0) })
        return answer
    }

    package func report(
        _ report: PurchaseReport, for customer: CustomerCredential
    ) async throws(BackendFailure) -> CustomerResponse {
        let backend = backend
        return try await send { () async throws(BackendFailure) in try await backend.report(report, for: customer) }
    }

    package func customer(
        _ customer: CustomerCredential, environment: String?
    ) async throws(BackendFailure) -> CustomerResponse {
        let backend = backend
        return try await send { () async throws(BackendFailure) in
            try await backend.customer(customer, environment: environment)
        }
    }

    package func merge(
        _ anonymous: CustomerCredential, into customer: CustomerCredential, environment: String?
    ) async throws(BackendFailure) -> CustomerResponse {
        let backend = backend
        return try await send { () async throws(BackendFailure) in
            try await backend.merge(anonymous, into: customer, environment: environment)
        }
    }

    package func session(
        for customer: String, appTransaction: String
    ) async throws(BackendFailure) -> CustomerCredential {
        await beginRequest()
        defer { endRequest() }
        return try await backend.session(for: customer, appTransaction: appTransaction)
    }
}

/// A device's store that checks the client's calls.
package actor WatchedStore: PurchaseStore {
    private nonisolated let device: SimulatedDevice
    private let network: Network
    private let recorder: TestRecorder
    private let name: String

    init(_ device: SimulatedDevice, _ network: Network, _ recorder: TestRecorder, name: String) {
        (self.device, self.network, self.recorder, self.name) = (device, network, recorder, name)
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
        await recorder.expect(isKept || isOthers, "\(name) finished \(transactionID) before the server kept it")
        await device.finish(transactionID)
    }

    package func sync() async throws {
        await recorder.recordSync(name)
        try await device.sync()
    }
}
