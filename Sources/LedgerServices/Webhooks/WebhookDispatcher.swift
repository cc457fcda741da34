internal import Tracing
internal import ServiceLifecycle
internal import Basics
package import Ledger
internal import Foundation
package import Logging
internal import Synchronization

/// Brings events to endpoints: makes deliveries of them, sends what is due, and notes what came of it.
///
/// One loop decides and writes; only the sending happens side by side, so many outcomes share one commit. It works when it
/// is woken: by a commit that made events, by an answer, by the clock.
package final class WebhookDispatcher: Service {
    package struct State {
        /// Nil when they have to be read again.
        package var endpoints: [WebhookEndpoint]?
        /// Those that were gone from the configuration when they were read.
        var gone: [Int64] = []
        /// How often they were changed.
        package var changes = 0
        /// What is being sent, or was and is not noted yet, by endpoint.
        package var underWay: [Int64: Set<Int64>] = [:]
        package var outcomes: [DeliveryOutcome] = []
        /// How it went at endpoints where something failed since something arrived.
        var backoffs: [Int64: EndpointBackoff] = [:]
        /// The last pause of each endpoint at which nothing arrives. After it one delivery is sent.
        var pauses: [Int64: ServerClock.Pause] = [:]
        /// The last test of each endpoint, until it goes. Somebody waits for it, so it goes before what is due.
        var tests: [Int64: Int64] = [:]
        var settlers: [CheckedContinuation<Void, Never>] = []
        var alarm: ContinuousClock.Instant?
        var gate = FanOutGate()
        /// Whether something may be left to do about endpoints.
        var hasJobs = true
        /// Whether deliveries were made that are to go when there are no more events to put before them.
        var hasNamed = true
        var isClosed = false
        package var isDraining = false
        package var isOver = false
    }

    /// How many deliveries one endpoint gets at the same time.
    static let width = 8
    /// How much is written in one transaction: what arrives from the App Store waits for it.
    package static let batch = 100
    /// After which pause events that had to wait are looked at again.
    private static let hold = Duration.milliseconds(50)
    /// How long an end may take.
    private static let drain = Duration.seconds(10)

    let state = Mutex(State())
    let storage: any WebhookStorage
    let scopes: ScopeRegistry
    let configured: Live<[String: WebhookDefinition]>
    let renderer: EventRenderer
    let sender = WebhookSender()
    let clock: ServerClock
    let logger: Logger
    /// One change of an endpoint's definition at a time.
    let changeGate = FairGate()
    private let metrics: ServerMetrics
    private let wakeups: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation

    package init(
        _ configured: [WebhookDefinition], storage: any WebhookStorage, scopes: ScopeRegistry, renderer: EventRenderer,
        clock: ServerClock, logger: Logger, metrics: ServerMetrics
    ) async throws {
        self.storage = storage
        self.scopes = scopes
        self.renderer = renderer
        self.clock = clock
        self.logger = logger
        self.metrics = metrics
        self.configured = Live([:])
        (wakeups, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await configure(configured)
    }

    var now: Milliseconds { clock.now().milliseconds }

    /// Has it look whether there is something to do: after whatever made an event.
    package func wake() { bell.yield() }

    /// Has the endpoints read again, after they were changed.
    func reload() {
        state.withLock { state in
            state.endpoints = nil
            state.changes &+= 1
            state.hasJobs = true
            // What was made for one that was off had to stay.
            state.hasNamed = true
            // What was changed may be what was wrong.
            (state.backoffs, state.pauses) = ([:], [:])
        }
        wake()
    }

    /// Waits until everything that is due now was sent, but for what an endpoint's pause puts off.
    package func settle() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.settlers.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() } else { wake() }
        }
    }

    /// Works until ``close()``, then until what is being sent has an answer, for ten seconds at most.
    package func run() async {
        await withGracefulShutdownHandler {
            wake()
            await withDiscardingTaskGroup { group in
                for await _ in wakeups {
                    await pass(&group)
                    if isFinished { break }
                }
                group.cancelAll()
            }
            await finish()
        } onGracefulShutdown: {
            self.close()
        }
    }

    /// Begins to send nothing more.
    package func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    private var isFinished: Bool {
        state.withLock { $0.isOver || ($0.isClosed && $0.underWay.isEmpty && $0.outcomes.isEmpty) }
    }

    private func finish() async {
        do { try await recordOutcomes() } catch {
            // They are sent once more at the next start.
            logger.warning("outcomes of webhooks were not noted", metadata: ["reason": "\(error.logReason)"])
        }
        await sender.close()
        let settlers = state.withLock { state in
            state.isOver = true
            defer { state.settlers = [] }
            return state.settlers
        }
        for settler in settlers { settler.resume() }
    }

    // MARK: - One pass

    private func pass(_ group: inout DiscardingTaskGroup) async {
        let (settlers, isClosed) = state.withLock { state in
            defer { state.settlers = [] }
            return (state.settlers, state.isClosed)
        }
        var isBusy = false
        do {
            // First: an end has its time also where outcomes cannot be written.
            if isClosed { startDraining(&group) }
            try await recordOutcomes()
            if !isClosed { isBusy = try await work(&group) }
        } catch is CancellationError {
            isBusy = true
        } catch {
            logger.error("webhooks have to wait", metadata: ["reason": "\(error.logReason)"])
            setAlarm(in: .seconds(1), &group)
            isBusy = true
        }
        let isIdle = state.withLock { state in
            let isIdle = !isBusy && state.underWay.isEmpty && state.outcomes.isEmpty
            if !isIdle { state.settlers += settlers }
            return isIdle
        }
        if isIdle { for settler in settlers { settler.resume() } }
    }

    /// Writes what came of what was sent.
    private func recordOutcomes() async throws { while try await recordSomeOutcomes() {} }

    /// Writes as much of it as goes into one transaction; false when there is nothing.
    private func recordSomeOutcomes() async throws -> Bool {
        let outcomes = state.withLock { state in
            let some = Array(state.outcomes.prefix(Self.batch))
            state.outcomes.removeFirst(some.count)
            return some
        }
        guard !outcomes.isEmpty else { return false }
        let disabled: [Int64: DisableReason]
        do {
            disabled = try await storage.record(outcomes, patience: RetrySchedule.patience, at: now)
        } catch {
            state.withLock { $0.outcomes += outcomes }
            throw error
        }
        for (endpoint, reason) in disabled {
            logger.error(
                "a webhook was switched off",
                metadata: ["endpoint": "\(name(of: endpoint))", "reason": "\(reason.rawValue)"])
        }
        state.withLock { state in
            for outcome in outcomes { Self.remove(outcome.delivery, outcome.endpoint, &state) }
            guard !disabled.isEmpty else { return }
            state.endpoints = nil
            // Who reads them at this moment may have read what was before.
            state.changes &+= 1
        }
        return true
    }

    private static func remove(_ delivery: Int64, _ endpoint: Int64, _ state: inout State) {
        state.underWay[endpoint]?.remove(delivery)
        if state.underWay[endpoint]?.isEmpty == true { state.underWay[endpoint] = nil }
    }

    /// Makes deliveries and begins to send; false when nothing more is due.
    private func work(_ group: inout DiscardingTaskGroup) async throws -> Bool {
        let active = try await endpoints().filter { $0.disabled == nil }
        let targets = active.compactMap { endpoint in definition(of: endpoint).map { target(endpoint, $0) } }
        var isBusy = try await fanOut(to: targets, &group)
        isBusy = try await letGo(to: targets) || isBusy
        for endpoint in active {
            guard let definition = definition(of: endpoint) else { continue }
            isBusy = try await send(to: endpoint, definition, &group) || isBusy
        }
        // Last: if it fails, it is tried again before it ends, and nothing else waits for it.
        isBusy = try await runJobs() || isBusy
        try await setAlarm(for: active.map(\.id), &group)
        return isBusy
    }

    /// Does a piece of what is left to do about endpoints; false when nothing is.
    private func runJobs() async throws -> Bool {
        let mayHaveSome = state.withLock { state in
            defer { state.hasJobs = false }
            return state.hasJobs
        }
        guard mayHaveSome else { return false }
        var isDone = false
        // Whatever failed is still left to do.
        defer { if !isDone { state.withLock { $0.hasJobs = true } } }
        isDone = try await !storage.runWebhookJob(limit: Self.batch, at: now)
        if !isDone { wake() }
        return !isDone
    }

    /// Makes deliveries; false when no more can be made.
    private func fanOut(to targets: [FanOutTarget], _ group: inout DiscardingTaskGroup) async throws -> Bool {
        // After each commit of a server without webhooks this would be the only question.
        guard !targets.isEmpty else { return false }
        guard let status = try await storage.status(for: targets) else {
            // The last piece may have been as large as a piece can be, which looks as if there were more.
            state.withLock { $0.gate.record(.done, at: .now) }
            return false
        }
        let gate = state.withLock { $0.gate.limit(status, at: .now) }
        let progress: FanOutProgress
        do { progress = try await storage.fanOut(to: targets, within: gate, limit: Self.batch, at: now) } catch {
            // It may have made some for the endpoints before the one that failed.
            state.withLock { $0.hasNamed = true }
            throw error
        }
        state.withLock { state in
            state.gate.record(progress, at: .now)
            if progress == .more { state.hasNamed = true }
        }
        switch progress {
        case .done: return false
        case .held: setAlarm(in: Self.hold, &group)
        case .more: wake()
        }
        return true
    }

    /// Lets go what was made while there were more events; false when nothing is left.
    private func letGo(to targets: [FanOutTarget]) async throws -> Bool {
        let maySome = state.withLock { state in
            guard state.hasNamed, !state.gate.isCatchingUp(at: .now) else { return false }
            state.hasNamed = false
            return true
        }
        guard maySome else { return false }
        var isDone = false
        // Whatever failed is still left to do.
        defer { if !isDone { state.withLock { $0.hasNamed = true } } }
        isDone = try await !storage.letGo(to: targets.map(\.endpoint), limit: Self.batch, at: now)
        if !isDone { wake() }
        return !isDone
    }

    /// Has what a replay made let go.
    func letGoSoon() {
        state.withLock { $0.hasNamed = true }
        wake()
    }

    /// Begins to send what is due to one endpoint, as far as there is room; false when nothing is.
    private func send(
        to endpoint: WebhookEndpoint, _ definition: WebhookDefinition, _ group: inout DiscardingTaskGroup
    ) async throws -> Bool {
        let (underWay, pause) = state.withLock { ($0.underWay[endpoint.id] ?? [], $0.pauses[endpoint.id]) }
        if let pause, !clock.isOver(pause) {
            setAlarm(in: pause.remaining, &group)
            return false
        }
        let width = pause == nil ? Self.width : 1
        guard underWay.count < width else { return true }
        var due = try await storage.dueDeliveries(of: endpoint.id, at: now, limit: width + underWay.count)
        if let test = try await takeTest(of: endpoint.id) { due = [test] + due.filter { $0.id != test.id } }
        for delivery in due.filter({ !underWay.contains($0.id) }).prefix(width - underWay.count) {
            state.withLock { _ = $0.underWay[endpoint.id, default: []].insert(delivery.id) }
            group.addTask { await self.deliver(delivery, definition) }
        }
        return !due.isEmpty
    }

    private func deliver(_ delivery: WebhookDelivery, _ definition: WebhookDefinition) async {
        let attributes: SpanAttributes = [
            "counterfoil.endpoint": .string(definition.name),
            "counterfoil.attempt": .int64(Int64(delivery.attempts) + 1),
        ]
        let outcome = await metrics.spans.measure("deliver", .client, of: attributes) {
            await attempt(delivery, definition)
        }
        if let outcome, !outcome.isPostponed { metrics.count(outcome) }
        let beginsToPause = state.withLock { state in
            // What was cut short is sent again.
            guard let outcome else {
                Self.remove(delivery.id, delivery.endpoint, &state)
                return false
            }
            state.outcomes.append(outcome)
            return slowDown(after: outcome, &state)
        }
        if beginsToPause {
            logger.warning(
                "a webhook only fails, and is tried with one delivery at a time until one arrives",
                metadata: ["endpoint": "\(name(of: delivery.endpoint))"])
        }
        wake()
    }

    // MARK: - Time

    private func setAlarm(for endpoints: [Int64], _ group: inout DiscardingTaskGroup) async throws {
        guard !endpoints.isEmpty else { return }
        // Events are announced. Looking now and then costs one question, and finds those that were not.
        var pause = 5.0
        let now = now
        if let next = try await storage.nextDelivery(to: endpoints, after: now) {
            pause = min(pause, max(1, Double(next - now) / 1000))
        }
        setAlarm(in: .seconds(pause), &group)
    }

    private func setAlarm(in pause: Duration, _ group: inout DiscardingTaskGroup) {
        let instant = ContinuousClock.now + pause
        let isEarlier = state.withLock { state in
            if let alarm = state.alarm, alarm <= instant { return false }
            state.alarm = instant
            return true
        }
        guard isEarlier else { return }
        group.addTask {
            do { try await self.clock.wait(for: pause) } catch { return }
            self.state.withLock { if $0.alarm == instant { $0.alarm = nil } }
            self.wake()
        }
    }

    private func startDraining(_ group: inout DiscardingTaskGroup) {
        let isFirst = state.withLock { state in
            defer { state.isDraining = true }
            return !state.isDraining
        }
        guard isFirst else { return }
        group.addTask {
            do { try await Task.sleep(for: Self.drain) } catch { return }
            self.state.withLock { $0.isOver = true }
            self.wake()
        }
    }
}
