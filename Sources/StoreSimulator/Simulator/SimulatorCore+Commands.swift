package import AppStoreModels
public import Foundation
internal import Synchronization

extension SimulatorCore {
    /// Does what a command says at the time that the clock shows. What it caused is announced when this returns.
    package func perform(
        _ command: StoreCommand, in environment: AppStoreEnvironment
    ) async throws -> StoreOutcome {
        if case .requestAdvancedCommerce(_, let data, _) = command { try checkSignature(data) }
        var seen: RealtimeRecord?
        if case .cancel(let customer, let subscription) = command {
            seen = await askBeforeCancellation(of: customer, subscription, in: environment)
        }
        var outcome = try state.withLock { state in
            try state[environment].perform(
                command, at: state.clock.now(), checking: OfferSignatureCheck(bearer, real: Date()))
        }
        outcome.retentionMessage = seen
        outcome.transaction = try signedResult(of: command, outcome, in: environment)
        watch.signal()
        try await run()
        return outcome
    }

    /// Puts the clock forward to `date`; everything that happens until then has happened, and was announced, when this
    /// returns. Where `mayGoOn` says no, it stands at the last thing that happened.
    package func advance(
        to date: Date, while mayGoOn: @Sendable () -> Bool = { true }
    ) async throws -> AdvanceReport {
        let date = try checkedTarget(date)
        let (begin, before) = (now, counts)
        try await run(until: date, while: mayGoOn)
        return report(since: before, from: begin)
    }

    /// The instant to advance to, in whole milliseconds.
    func checkedTarget(_ date: Date) throws(SimulatorError) -> Date {
        let date = date.wholeMilliseconds
        let begin = now
        guard date >= begin else {
            throw SimulatorError(
                "invalid_argument", "the clock goes forward only; it shows \(begin.formatted(.iso8601))")
        }
        guard date <= Self.latest else { throw SimulatorError("invalid_argument", "the clock ends in the year 2200") }
        return date
    }

    /// What has happened since.
    func report(since before: NotificationCounts, from begin: Date) -> AdvanceReport {
        let after = counts
        // A reset meanwhile begins to count again.
        return AdvanceReport(
            from: begin, to: now, notifications: max(0, after.notifications - before.notifications),
            delivered: max(0, after.delivered - before.delivered), failedAttempts: max(0, after.failed - before.failed))
    }

    /// The end of the year 2199. Certificates and calendars hold that long.
    private static let latest = Date(timeIntervalSince1970: 7_258_118_400)

    typealias NotificationCounts = (notifications: Int, delivered: Int, failed: Int)

    var counts: NotificationCounts {
        state.withLock { state in
            // Nothing is looked through: there may be millions.
            (
                state.production.notifications.count + state.sandbox.notifications.count,
                state.production.delivered + state.sandbox.delivered,
                state.production.failedAttempts + state.sandbox.failedAttempts
            )
        }
    }

    /// Reads from a store.
    package func read<Value: Sendable, Failure: Error>(
        _ environment: AppStoreEnvironment, _ body: (Store, Date) throws(Failure) -> sending Value
    ) throws(Failure) -> Value {
        try state.withLock { state throws(Failure) in try body(state[environment], state.clock.now()) }
    }

    /// Changes a store.
    package func change<Value: Sendable, Failure: Error>(
        _ environment: AppStoreEnvironment, _ body: (inout Store, Date) throws(Failure) -> sending Value
    ) throws(Failure) -> Value {
        defer { watch.signal() }
        return try look(environment, body)
    }

    /// Reads from a store, and notes what was shown. Nobody who waits is woken: they would wake each other for ever.
    func look<Value: Sendable, Failure: Error>(
        _ environment: AppStoreEnvironment, _ body: (inout Store, Date) throws(Failure) -> sending Value
    ) throws(Failure) -> Value {
        try state.withLock { state throws(Failure) in
            let now = state.clock.now()
            return try body(&state[environment], now)
        }
    }
}

/// What happened while the clock was put forward.
public struct AdvanceReport: Sendable, Hashable, Codable {
    /// What the clock showed before.
    public var from: Date
    /// What it shows now.
    public var to: Date
    /// How many notifications there are that were not there before.
    public var notifications: Int
    /// How many reached the receiver.
    public var delivered: Int
    /// How many attempts failed.
    public var failedAttempts: Int
}
