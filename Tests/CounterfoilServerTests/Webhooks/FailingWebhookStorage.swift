import Ledger
import Synchronization

/// Webhook storage in a ledger that can fail at chosen steps, or be changed before them.
final class FailingWebhookStorage: WebhookStorage {
    enum Step { case job, fanOut, releaseDeliveries, dueDeliveries }
    typealias Change = @Sendable () async throws -> Void

    /// Runs after the current task has read the endpoints, and before it gets them.
    @TaskLocal static var afterReading: (@Sendable () async throws -> Void)?

    private let ledger: any WebhookStorage
    private let failing = Mutex<Step?>(nil)
    private let change = Mutex<(step: Step, run: Change)?>(nil)
    private let refusing = Mutex(false)
    private let refused = Mutex(0)
    private let losesAnswer = Mutex(false)

    init(_ ledger: any WebhookStorage) { self.ledger = ledger }

    /// Makes the next step of this kind fail.
    func failOnce(at step: Step) { failing.withLock { $0 = step } }

    /// Runs a change before the next step of this kind.
    func runOnce(before step: Step, _ run: @escaping Change) { change.withLock { $0 = (step, run) } }

    private func runChange(before step: Step) async throws {
        let run = change.withLock { change -> Change? in
            guard let (planned, run) = change, planned == step else { return nil }
            change = nil
            return run
        }
        try await run?()
    }

    /// Makes recording the outcomes of attempts fail, as with a full disk.
    func refuseOutcomes(_ isRefusing: Bool) { refusing.withLock { $0 = isRefusing } }

    /// Makes the next recording of outcomes fail although they are stored, as when a connection is lost.
    func loseAnswerToOutcomes() { losesAnswer.withLock { $0 = true } }

    /// How often outcomes were refused.
    var refusedCount: Int { refused.withLock(\.self) }

    private func fails(_ step: Step) -> Bool {
        failing.withLock { failing in
            guard failing == step else { return false }
            failing = nil
            return true
        }
    }

    private static let failure = StorageError(.failed, "simulated failure")

    func runWebhookJob(limit: Int, at now: Milliseconds) async throws -> Bool {
        if fails(.job) { throw Self.failure }
        return try await ledger.runWebhookJob(limit: limit, at: now)
    }

    /// Fails after writing one delivery for the first endpoint.
    func fanOut(
        to endpoints: [Int64], by target: @escaping @Sendable (WebhookEndpoint) -> FanOutTarget?,
        within gate: FanOutLimit, limit: Int, at now: Milliseconds
    ) async throws -> FanOutProgress {
        try await runChange(before: .fanOut)
        if fails(.fanOut) {
            _ = try await ledger.fanOut(to: Array(endpoints.prefix(1)), by: target, within: gate, limit: 1, at: now)
            throw Self.failure
        }
        return try await ledger.fanOut(to: endpoints, by: target, within: gate, limit: limit, at: now)
    }

    func releaseDeliveries(to endpoints: [Int64], limit: Int, at now: Milliseconds) async throws -> Bool {
        if fails(.releaseDeliveries) { throw Self.failure }
        return try await ledger.releaseDeliveries(to: endpoints, limit: limit, at: now)
    }

    func record(
        _ outcomes: [DeliveryOutcome], disableAfter: Milliseconds, at now: Milliseconds
    ) async throws -> [Int64: DisableReason] {
        if refusing.withLock(\.self) {
            refused.withLock { $0 += 1 }
            throw Self.failure
        }
        let disabled = try await ledger.record(outcomes, disableAfter: disableAfter, at: now)
        let isLost = losesAnswer.withLock { isLost in
            defer { isLost = false }
            return isLost
        }
        if isLost { throw StorageError(.unconfirmed, "the answer was lost") }
        return disabled
    }

    // MARK: - Methods that never fail

    func registerWebhooks(_ names: [String], at now: Milliseconds) async throws {
        try await ledger.registerWebhooks(names, at: now)
    }

    func webhookEndpoints() async throws -> [WebhookEndpoint] {
        let endpoints = try await ledger.webhookEndpoints()
        try await Self.afterReading?()
        return endpoints
    }

    func addWebhook(
        _ definition: WebhookDefinition, replacesConfigured: Bool, at now: Milliseconds
    ) async throws -> WebhookEndpoint? {
        try await ledger.addWebhook(definition, replacesConfigured: replacesConfigured, at: now)
    }

    func changeWebhook(_ id: Int64, to definition: WebhookDefinition) async throws {
        try await ledger.changeWebhook(id, to: definition)
    }

    func switchWebhook(
        _ id: Int64, _ disabled: WebhookEndpoint.Disabled?, discardingBacklog: Bool,
        changingTo definition: WebhookDefinition?, at now: Milliseconds
    ) async throws {
        try await ledger.switchWebhook(
            id, disabled, discardingBacklog: discardingBacklog, changingTo: definition, at: now)
    }

    func resumeDeliveries(to endpoint: Int64, at now: Milliseconds) async throws {
        try await ledger.resumeDeliveries(to: endpoint, at: now)
    }

    func removeWebhook(_ id: Int64) async throws { try await ledger.removeWebhook(id) }

    func status(for endpoints: [Int64]) async throws -> FanOutStatus? { try await ledger.status(for: endpoints) }

    func dueDeliveries(of endpoint: Int64, at now: Milliseconds, limit: Int) async throws -> [WebhookDelivery] {
        try await runChange(before: .dueDeliveries)
        return try await ledger.dueDeliveries(of: endpoint, at: now, limit: limit)
    }

    func nextDelivery(to endpoints: [Int64], after now: Milliseconds) async throws -> Milliseconds? {
        try await ledger.nextDelivery(to: endpoints, after: now)
    }

    func event(_ number: Int64) async throws -> (event: LedgerEvent, notification: StoredNotification?)? {
        try await ledger.event(number)
    }

    func eventNumber(_ id: String) async throws -> Int64? { try await ledger.eventNumber(id) }

    func delivery(_ id: Int64, of endpoint: Int64) async throws -> WebhookDelivery? {
        try await ledger.delivery(id, of: endpoint)
    }

    func replay(_ range: ReplayRange, to target: FanOutTarget, at now: Milliseconds) async throws -> ReplayOutcome {
        try await ledger.replay(range, to: target, at: now)
    }

    func countReplay(_ range: ReplayRange, to target: FanOutTarget) async throws -> ReplayOutcome {
        try await ledger.countReplay(range, to: target)
    }

    func addWebhookTest(_ event: LedgerEvent, to endpoint: Int64) async throws -> WebhookDelivery? {
        try await ledger.addWebhookTest(event, to: endpoint)
    }

    func webhookBacklog(without gone: [Int64]) async throws -> WebhookBacklog {
        try await ledger.webhookBacklog(without: gone)
    }
}
