internal import Foundation
internal import Synchronization

/// The clock on its way to an instant, while nobody waits for it.
struct Advance: Codable, Sendable, Hashable {
    enum State: String, Codable, Sendable { case advancing, done, cancelled }

    var id: Int
    var state: State
    var from: Date
    var target: Date
    /// How far it is.
    var now: Date
    var notifications: Int
    var delivered: Int
    var failedAttempts: Int
}

/// The clock's ways: one at a time, and the last twenty.
final class AdvanceJobs: Sendable {
    private struct Job {
        var advance: Advance
        var before: SimulatorCore.NotificationCounts
        var isCancelled = false
        /// Ended, it says what it came to.
        var task: Task<Void, Never>?
    }

    private let jobs = Mutex<(list: [Job], lastID: Int)>(([], 0))
    private static let remembered = 20

    /// Whether one is on its way.
    var isAdvancing: Bool { jobs.withLock { jobs in jobs.list.contains { $0.advance.state == .advancing } } }

    /// Begins one; nil if another is on its way.
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
            let task = Task { await body(id) }
            jobs.list = jobs.list.suffix(Self.remembered - 1) + [Job(advance: advance, before: before, task: task)]
            return id
        }
    }

    /// Whether it may go on.
    func mayGoOn(_ id: Int) -> Bool {
        jobs.withLock { jobs in jobs.list.contains { $0.advance.id == id && !$0.isCancelled } }
    }

    func cancel(_ id: Int) {
        jobs.withLock { jobs in
            guard let index = jobs.list.firstIndex(where: { $0.advance.id == id }) else { return }
            jobs.list[index].isCancelled = true
        }
    }

    func cancelAll() {
        let tasks = jobs.withLock { jobs in
            for index in jobs.list.indices { jobs.list[index].isCancelled = true }
            return jobs.list.compactMap(\.task)
        }
        // A receiver that does not answer must not keep the simulator from ending.
        for task in tasks { task.cancel() }
    }

    /// Notes what it came to.
    func end(_ id: Int, _ report: AdvanceReport) {
        jobs.withLock { jobs in
            guard let index = jobs.list.firstIndex(where: { $0.advance.id == id }) else { return }
            jobs.list[index].advance.record(report)
            jobs.list[index].advance.state = report.to >= jobs.list[index].advance.target ? .done : .cancelled
            jobs.list[index].task = nil
        }
    }

    /// One of them; the latest where no number is given.
    func find(_ id: Int? = nil) -> (advance: Advance, before: SimulatorCore.NotificationCounts)? {
        jobs.withLock { jobs in
            let job = id.map { id in jobs.list.first { $0.advance.id == id } } ?? jobs.list.last
            return job.map { ($0.advance, $0.before) }
        }
    }
}

extension Advance {
    mutating func record(_ report: AdvanceReport) {
        now = report.to
        (notifications, delivered, failedAttempts) = (report.notifications, report.delivered, report.failedAttempts)
    }
}

extension SimulatorCore {
    /// Puts the clock forward in the background.
    func beginAdvance(to date: Date) throws -> Advance {
        let isTaken = ControlFailure(
            409, "already_advancing", "the clock is being put forward; stop that first, or wait")
        // Before the target, which a clock that is being put forward may have passed by now.
        if advances.isAdvancing { throw isTaken }
        let target = try checkedTarget(date)
        let (begin, before) = (now, counts)
        let id = advances.begin(from: begin, to: target, before: before) { [self] id in
            // Cancelled is stopped: what happened until then is reported all the same.
            do { try await run(until: target, while: { self.advances.mayGoOn(id) }) } catch {}
            advances.end(id, report(since: before, from: begin))
            watch.signal()
        }
        guard let id else { throw isTaken }
        watch.signal()
        return try advance(id)
    }

    func advance(_ request: ControlRequest) throws -> Advance {
        guard let id = Int(try request.parameter("id")) else {
            throw ControlFailure(404, "unknown_advance", "an advance has a number")
        }
        return try advance(id)
    }

    private func advance(_ id: Int) throws -> Advance {
        guard let found = advances.find(id) else {
            throw ControlFailure(404, "unknown_advance", "there is no advance \(id), or it is forgotten")
        }
        return current(found)
    }

    /// The latest, as it is now; nil if there was none.
    var latestAdvance: Advance? { advances.find().map(current) }

    private func current(_ found: (advance: Advance, before: NotificationCounts)) -> Advance {
        var advance = found.advance
        if advance.state == .advancing { advance.record(report(since: found.before, from: advance.from)) }
        return advance
    }
}
