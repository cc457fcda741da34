internal import Foundation
internal import Synchronization

/// A background advance of the clock to a target time.
struct Advance: Codable, Sendable, Hashable {
    enum State: String, Codable, Sendable { case advancing, done, cancelled }

    var id: Int
    var state: State
    var from: Date
    var target: Date
    /// The time that the clock has reached.
    var now: Date
    var notifications: Int
    var delivered: Int
    var failedAttempts: Int

    mutating func record(_ report: AdvanceReport) {
        now = report.to
        (notifications, delivered, failedAttempts) = (report.notifications, report.delivered, report.failedAttempts)
    }
}

/// The background advances of the clock. One runs at a time; the last twenty are stored.
final class AdvanceJobs: Sendable {
    private struct Job {
        var advance: Advance
        var before: SimulatorCore.NotificationCounts
        var isCancelled = false
        /// The running task; nil after it has ended.
        var task: Task<Void, Never>?
    }

    private let jobs = Mutex<(list: [Job], lastID: Int, isStopped: Bool)>(([], 0, false))
    private static let maximumCount = 20

    /// Whether an advance is running.
    var isAdvancing: Bool { jobs.withLock { jobs in jobs.list.contains { $0.advance.state == .advancing } } }

    /// Starts an advance. Returns its number; nil if another one is running.
    func begin(
        from: Date, to target: Date, before: SimulatorCore.NotificationCounts,
        _ body: @escaping @Sendable (Int) async -> Void
    ) -> Int? {
        jobs.withLock { jobs in
            guard !jobs.list.contains(where: { $0.advance.state == .advancing }) else { return nil }
            jobs.lastID += 1
            let id = jobs.lastID
            let advance = Advance(
                id: id, state: .advancing, from: from, target: target, now: from, notifications: 0, delivered: 0,
                failedAttempts: 0)
            let job = Job(
                advance: advance, before: before, isCancelled: jobs.isStopped, task: Task { await body(id) })
            jobs.list = jobs.list.suffix(Self.maximumCount - 1) + [job]
            return id
        }
    }

    /// Whether the advance exists and is not cancelled.
    func mayContinue(_ id: Int) -> Bool {
        jobs.withLock { jobs in jobs.list.contains { $0.advance.id == id && !$0.isCancelled } }
    }

    func cancel(_ id: Int) {
        jobs.withLock { jobs in
            guard let index = jobs.list.firstIndex(where: { $0.advance.id == id }) else { return }
            jobs.list[index].isCancelled = true
        }
    }

    /// Cancels all advances. Later ones are cancelled from the start: the simulator stops.
    func cancelAll() {
        let tasks = jobs.withLock { jobs in
            jobs.isStopped = true
            for index in jobs.list.indices { jobs.list[index].isCancelled = true }
            return jobs.list.compactMap(\.task)
        }
        // Cancel the tasks: waiting for a receiver that does not answer must not delay shutdown.
        for task in tasks { task.cancel() }
    }

    /// Records the result of an advance that has ended.
    func end(_ id: Int, _ report: AdvanceReport) {
        jobs.withLock { jobs in
            guard let index = jobs.list.firstIndex(where: { $0.advance.id == id }) else { return }
            jobs.list[index].advance.record(report)
            jobs.list[index].advance.state = report.to >= jobs.list[index].advance.target ? .done : .cancelled
            jobs.list[index].task = nil
        }
    }

    /// Returns an advance; the latest if `id` is nil.
    func find(_ id: Int? = nil) -> (advance: Advance, before: SimulatorCore.NotificationCounts)? {
        jobs.withLock { jobs in
            let job = id.map { id in jobs.list.first { $0.advance.id == id } } ?? jobs.list.last
            return job.map { ($0.advance, $0.before) }
        }
    }
}

extension SimulatorCore {
    /// Starts advancing the clock in the background.
    func beginAdvance(to date: Date) throws -> Advance {
        let conflict = ControlFailure(
            409, "already_advancing", "the clock is advancing already; stop that advance, or wait for it")
        // Check this before the target, which a running advance may have passed already.
        if advances.isAdvancing { throw conflict }
        let target = try checkedTarget(date)
        let (begin, before) = (now, counts)
        let id = advances.begin(from: begin, to: target, before: before) { [self] id in
            // Cancellation only stops the advance. The events until then are reported.
            do { try await run(until: target, while: { self.advances.mayContinue(id) }) } catch {}
            advances.end(id, report(since: before, from: begin))
            watch.signal()
        }
        guard let id else { throw conflict }
        watch.signal()
        return try advance(id)
    }

    func advance(_ request: ControlRequest) throws -> Advance {
        guard let id = Int(try request.parameter("id")) else {
            throw ControlFailure(404, "unknown_advance", "the identifier of an advance must be a number")
        }
        return try advance(id)
    }

    private func advance(_ id: Int) throws -> Advance {
        guard let found = advances.find(id) else {
            throw ControlFailure(404, "unknown_advance", "there is no advance \(id) among the last twenty")
        }
        return current(found)
    }

    /// The latest advance with its current progress; nil if there was none.
    var latestAdvance: Advance? { advances.find().map(current) }

    private func current(_ found: (advance: Advance, before: NotificationCounts)) -> Advance {
        var advance = found.advance
        if advance.state == .advancing { advance.record(report(since: found.before, from: advance.from)) }
        return advance
    }
}
