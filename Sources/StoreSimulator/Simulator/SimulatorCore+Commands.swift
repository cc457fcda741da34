package import AppStoreModels
public import Foundation
internal import Synchronization

extension SimulatorCore {
    /// Performs a command at the current simulated time. Returns after the resulting notifications have been sent.
    package func perform(_ command: StoreCommand, in environment: AppStoreEnvironment) async throws -> StoreOutcome {
        try StoreCommand.check(environment, "environment", among: AppStoreEnvironment.simulated)
        if case .requestAdvancedCommerce(_, let data, _) = command { try checkSignature(data) }
        var retentionMessage: RealtimeRecord?
        if case .cancel(let customer, let subscription) = command {
            retentionMessage = await requestRetentionMessage(of: customer, subscription, in: environment)
        }
        var outcome = try state.withLock { state in
            try state[environment].perform(
                command, at: state.clock.now(), checking: OfferSignatureCheck(bearer, real: Date()))
        }
        outcome.retentionMessage = retentionMessage
        outcome.transaction = try signedResult(of: command, outcome, in: environment)
        watch.signal()
        try await run()
        return outcome
    }

    /// Advances the clock to `date`. Returns after all events until then have happened and their notifications have
    /// been sent. If `shouldContinue` returns false, the clock stops at the last event.
    package func advance(
        to date: Date, while shouldContinue: @Sendable () -> Bool = { true }
    ) async throws -> AdvanceReport {
        let date = try checkedTarget(date)
        let (begin, before) = (now, counts)
        try await run(until: date, while: shouldContinue)
        return report(since: before, from: begin)
    }

    /// Returns the instant to advance to, in whole milliseconds. Throws if it is in the past or after the year 2199.
    func checkedTarget(_ date: Date) throws(SimulatorError) -> Date {
        let date = date.wholeMilliseconds
        let begin = now
        guard date >= begin else {
            throw SimulatorError(.invalidArgument, "the clock goes forward only; it shows \(begin.formatted(.iso8601))")
        }
        guard date <= Self.latest else { throw SimulatorError(.invalidArgument, "the clock ends in the year 2200") }
        return date
    }

    /// Returns the changes since `before` was counted at the time `begin`.
    func report(since before: NotificationCounts, from begin: Date) -> AdvanceReport {
        let after = counts
        // A reset in the meantime sets the counts to zero.
        return AdvanceReport(
            from: begin, to: now, notifications: max(0, after.notifications - before.notifications),
            delivered: max(0, after.delivered &- before.delivered),
            failedAttempts: max(0, after.failed &- before.failed))
    }

    /// Throws if a frozen clock starts at an instant for which no certificate can be issued, or after ``latest``.
    static func checkStart(of mode: ClockMode) throws(SimulatorError) {
        guard case .frozen(let date) = mode else { return }
        // Dates with NaN compare as equal to every date, numbers with NaN do not.
        let seconds = earliest.timeIntervalSince1970...latest.timeIntervalSince1970
        if seconds.contains(date.timeIntervalSince1970) { return }
        throw SimulatorError(.invalidArgument, "a frozen clock starts between 1952 and 2199")
    }

    /// The start of the year 1952. Certificates begin two years before the clock, and in 1950 at the earliest.
    private static let earliest = Date(timeIntervalSince1970: -568_080_000)

    /// The end of the year 2199. Calendar calculations are correct until then.
    private static let latest = Date(timeIntervalSince1970: 7_258_118_400)

    typealias NotificationCounts = (notifications: Int, delivered: Int, failed: Int)

    var counts: NotificationCounts {
        state.withLock { state in
            // Only stored counters are read: there may be millions of notifications.
            (
                state.production.notifications.count + state.sandbox.notifications.count,
                state.production.delivered &+ state.sandbox.delivered,
                state.production.failedAttempts &+ state.sandbox.failedAttempts
            )
        }
    }

    /// Reads from a store.
    package func read<Value: Sendable, Failure: Error>(
        _ environment: AppStoreEnvironment, _ body: (Store, Date) throws(Failure) -> sending Value
    ) throws(Failure) -> Value {
        try state.withLock { state throws(Failure) in try body(state[environment], state.clock.now()) }
    }

    /// Changes a store and signals the change.
    package func change<Value: Sendable, Failure: Error>(
        _ environment: AppStoreEnvironment, _ body: (inout Store, Date) throws(Failure) -> sending Value
    ) throws(Failure) -> Value {
        defer { watch.signal() }
        return try changeWithoutSignal(environment, body)
    }

    /// Activates a fault, signals the change, and returns the fault's number.
    func add(_ fault: Fault) throws(SimulatorError) -> Int {
        defer { watch.signal() }
        return try state.withLock { state throws(SimulatorError) in try state.faults.add(fault) }
    }

    /// Removes the fault with a number, or all faults for nil, and signals the change.
    func removeFault(_ number: Int?) throws(SimulatorError) {
        defer { watch.signal() }
        try state.withLock { state throws(SimulatorError) in try state.faults.remove(number) }
    }

    /// Reads from a store and records what devices have seen. Does not signal a change, because waiting tasks that call
    /// this would wake each other forever.
    func changeWithoutSignal<Value: Sendable, Failure: Error>(
        _ environment: AppStoreEnvironment, _ body: (inout Store, Date) throws(Failure) -> sending Value
    ) throws(Failure) -> Value {
        try state.withLock { state throws(Failure) in
            let now = state.clock.now()
            return try body(&state[environment], now)
        }
    }
}

/// The result of advancing the clock.
public struct AdvanceReport: Sendable, Hashable, Codable {
    /// The simulated time before.
    public var from: Date
    /// The simulated time after.
    public var to: Date
    /// The number of notifications that were created.
    public var notifications: Int
    /// The number of notifications that the receiver acknowledged.
    public var delivered: Int
    /// The number of failed delivery attempts.
    public var failedAttempts: Int
}
