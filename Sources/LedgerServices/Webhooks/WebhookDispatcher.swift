internal import Basics
internal import Foundation
package import Ledger
package import Logging
internal import ServiceLifecycle
internal import Synchronization

/// Sends events to webhook endpoints: creates deliveries from events, sends the due ones and records their outcomes.
///
/// One loop makes all decisions and writes. Only the HTTP requests run concurrently, so many outcomes share one commit.
/// A commit with new events, a response or a timer wakes the loop.
package final class WebhookDispatcher: Service {
    package struct State {
        /// The cached endpoints; nil if they must be read again.
        package var endpoints: [WebhookEndpoint]?
        /// The endpoints that are no longer in the configuration, as of the last read.
        var removed: [Int64] = []
        /// The names of all endpoints as of the last read, for the log. They stay while ``endpoints`` is nil.
        var names: [Int64: String] = [:]
        /// The number of changes to endpoints since the start.
        package var changes = 0
        /// The deliveries, by endpoint, that are being sent or whose outcome is not recorded yet.
        package var inFlight: [Int64: Set<Int64>] = [:]
        package var outcomes: [DeliveryOutcome] = []
        /// The endpoints of outcomes whose commit was not confirmed, with the instant of the first such commit.
        var unconfirmed: [Int64: Milliseconds] = [:]
        /// The backoff of each endpoint whose last attempts failed.
        var backoffs: [Int64: EndpointBackoff] = [:]
        /// The last pause of each endpoint in backoff. After the pause, one delivery is sent.
        var pauses: [Int64: ServerClock.Pause] = [:]
        /// The newest unsent test delivery of each endpoint. It is sent before all due deliveries.
        var tests: [Int64: Int64] = [:]
        var idleWaiters: [CheckedContinuation<Void, Never>] = []
        var nextWakeup: ContinuousClock.Instant?
        /// What the clock showed at the last pass; nil before the first one.
        var lastPass: Milliseconds?
        var gate = FanOutGate()
        /// Whether the storage may have unfinished endpoint jobs, such as the deletion of a removed endpoint's
        /// deliveries.
        var hasJobs = true
        /// Whether there may be deliveries that wait until the dispatcher has caught up with all earlier events.
        var hasUnreleased = true
        var isClosed = false
        package var isDraining = false
        package var isOver = false

        /// Discards the cached endpoints, and those that a concurrent read returns as they were before.
        mutating func discardEndpoints() {
            endpoints = nil
            changes &+= 1
        }
    }

    /// The number of rows written in one transaction. It is small, because incoming notifications wait for the
    /// transaction.
    package static let batch = 100

    let state = Mutex(State())
    let storage: any WebhookStorage
    let scopes: AppEnvironmentRegistry
    let configured: SharedValue<[String: WebhookDefinition]>
    let renderer: EventRenderer
    let sender: WebhookSender
    /// The maximum time that a shutdown waits for responses.
    let drainTimeout: Duration
    let clock: ServerClock
    let logger: Logger
    /// The failures of passes.
    private let failures: FailureLog
    /// Serializes changes of endpoints.
    let changeLock = AsyncLock()
    let metrics: ServerMetrics
    private let wakeups = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    package init(
        _ configured: [WebhookDefinition], storage: any WebhookStorage, scopes: AppEnvironmentRegistry,
        renderer: EventRenderer, timeout: Duration, drainTimeout: Duration, clock: ServerClock, logger: Logger,
        metrics: ServerMetrics
    ) async throws {
        sender = WebhookSender(timeout: timeout)
        self.drainTimeout = drainTimeout
        self.storage = storage
        self.scopes = scopes
        self.renderer = renderer
        self.clock = clock
        self.logger = logger
        failures = FailureLog(logger, end: "webhooks are sent again")
        self.metrics = metrics
        self.configured = SharedValue([:])
        try await configure(configured)
    }

    var now: Milliseconds { clock.now().milliseconds }

    /// Wakes the dispatcher after a change that may have created events.
    package func wake() { wakeups.continuation.yield() }

    /// Discards the cached endpoints after a change, and ends all pauses. Called also if the ledger did not confirm the
    /// change, because it may be stored.
    func reload() {
        state.withLock { state in
            state.discardEndpoints()
            state.hasJobs = true
            // Deliveries of a disabled endpoint were not released.
            state.hasUnreleased = true
            // The change may have fixed the endpoint.
            (state.backoffs, state.pauses) = ([:], [:])
        }
        wake()
    }

    /// Waits until all due deliveries are sent, except those to endpoints that pause.
    package func waitUntilIdle() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.idleWaiters.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() } else { wake() }
        }
    }

    /// Sends deliveries until ``close()``, then waits up to `drainTimeout` for the responses to those in flight.
    package func run() async {
        await withGracefulShutdownHandler {
            wake()
            await withDiscardingTaskGroup { group in
                for await _ in wakeups.stream {
                    await runPass(&group)
                    if isFinished { break }
                }
                group.cancelAll()
            }
            await finish()
        } onGracefulShutdown: {
            self.close()
        }
    }

    /// Stops sending. Deliveries in flight continue.
    package func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    private var isFinished: Bool {
        state.withLock { $0.isOver || ($0.isClosed && $0.inFlight.isEmpty && $0.outcomes.isEmpty) }
    }

    private func finish() async {
        do { try await recordOutcomes() } catch {
            // These deliveries are sent again after the next start.
            logger.warning("outcomes of webhooks could not be recorded", metadata: ["reason": "\(error.logReason)"])
        }
        await sender.close()
        let idleWaiters = state.withLock { state in
            state.isOver = true
            defer { state.idleWaiters = [] }
            return state.idleWaiters
        }
        for continuation in idleWaiters { continuation.resume() }
    }

    // MARK: - One pass

    private func runPass(_ group: inout DiscardingTaskGroup) async {
        let (idleWaiters, isClosed) = state.withLock { state in
            defer { state.idleWaiters = [] }
            return (state.idleWaiters, state.isClosed)
        }
        var isBusy = false
        do {
            // First, so that the shutdown timer also starts when outcomes cannot be written.
            if isClosed { startDraining(&group) }
            try await recordOutcomes()
            if !isClosed {
                isBusy = try await processDue(&group)
                failures.recordSuccess()
            }
        } catch is CancellationError {
            isBusy = true
        } catch {
            failures.record("webhooks cannot be sent now", error)
            scheduleWakeup(in: .seconds(1), &group)
            isBusy = true
        }
        let isIdle = state.withLock { state in
            let isIdle = !isBusy && state.inFlight.isEmpty && state.outcomes.isEmpty
            if !isIdle { state.idleWaiters += idleWaiters }
            return isIdle
        }
        if isIdle { for continuation in idleWaiters { continuation.resume() } }
    }

    /// Writes the outcomes of all finished attempts.
    private func recordOutcomes() async throws {
        while try await recordNextOutcomes() {}
        try await logUnconfirmed()
    }

    /// Writes the outcomes that fit into one transaction. Returns false if there are none.
    private func recordNextOutcomes() async throws -> Bool {
        let outcomes = state.withLock { state in
            let some = Array(state.outcomes.prefix(Self.batch))
            state.outcomes.removeFirst(some.count)
            return some
        }
        guard !outcomes.isEmpty else { return false }
        let now = now
        let disabled: [Int64: DisableReason]
        do {
            // Not during a change of an endpoint, which could enable one again that this disables.
            disabled = try await serializeChanges {
                try await storage.record(outcomes, disableAfter: RetrySchedule.disableAfter, at: now)
            }
        } catch {
            let isUnconfirmed = (error as? StorageError)?.code == .unconfirmed
            state.withLock { state in
                state.outcomes += outcomes
                // The outcomes may be stored, and the next call then does not return the endpoints that they disabled.
                if isUnconfirmed {
                    for outcome in outcomes where state.unconfirmed[outcome.endpoint] == nil {
                        state.unconfirmed[outcome.endpoint] = now
                    }
                }
                state.discardEndpoints()
            }
            throw error
        }
        for (endpoint, reason) in disabled { logDisabled(endpoint, reason) }
        state.withLock { state in
            for outcome in outcomes { Self.remove(outcome.delivery, outcome.endpoint, &state) }
            // These are logged.
            for endpoint in disabled.keys { state.unconfirmed[endpoint] = nil }
            if !disabled.isEmpty { state.discardEndpoints() }
        }
        return true
    }

    /// Logs the endpoints that were disabled by commits that were not confirmed.
    private func logUnconfirmed() async throws {
        let unconfirmed = state.withLock { $0.unconfirmed }
        guard !unconfirmed.isEmpty else { return }
        for endpoint in try await storage.webhookEndpoints() {
            guard let instant = unconfirmed[endpoint.id], let disabled = endpoint.disabled, disabled.since >= instant,
                disabled.reason != .requested
            else { continue }
            logDisabled(endpoint.id, disabled.reason)
        }
        state.withLock { $0.unconfirmed = [:] }
    }

    private func logDisabled(_ endpoint: Int64, _ reason: DisableReason) {
        logger.error(
            "a webhook endpoint was disabled",
            metadata: ["endpoint": "\(name(of: endpoint))", "reason": "\(reason.rawValue)"])
    }

    /// Creates deliveries and starts sending. Returns false if nothing more is due.
    private func processDue(_ group: inout DiscardingTaskGroup) async throws -> Bool {
        try await retryAfterSettingBack()
        let active = try await endpoints().filter { $0.disabled == nil }.map(\.id)
        var isBusy = try await fanOut(to: active, &group)
        isBusy = try await releaseDeliveries(to: active) || isBusy
        for endpoint in active { isBusy = try await send(to: endpoint, &group) || isBusy }
        // Last, so that a failing job blocks nothing else. It is tried again in a later pass.
        isBusy = try await runJobs() || isBusy
        try await scheduleWakeup(for: active, &group)
        return isBusy
    }
}
