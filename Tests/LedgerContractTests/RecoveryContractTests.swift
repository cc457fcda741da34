import Foundation
import MemoryLedger
import Testing

@testable import Ledger

@Suite struct `The contract of recovery` {
    private static func plan(_ scope: Int64, windows: Int, movesMark: Bool = true) -> RecoveryPlan {
        RecoveryPlan(
            scope: scope, cause: .schedule, from: 0, until: 1000, filters: [], movesMark: movesMark,
            windows: (0..<windows).map { RecoveryWindow(stage: $0, from: 0, until: 1000) })
    }

    private static func page(next: String? = nil) -> PageOutcome {
        PageOutcome(next: next, isLast: next == nil, counts: RecoveryCounts(pages: 1), unverified: [])
    }

    /// Engines may reuse the identifiers of windows.
    @Test(arguments: Engine.allCases)
    func `A late result for a window of an ended recovery changes no other window`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, found in
            let scope = found.id
            let old = try await ledger.begin(Self.plan(scope, windows: 1), at: 0)
            let late = try #require(try await ledger.openWindows(of: old).first)
            try await ledger.record(failure: "no", of: old, isGivenUp: true, at: 1)
            let new = try await ledger.begin(Self.plan(scope, windows: 1), at: 2)
            let window = try #require(try await ledger.openWindows(of: new).first)
            try await ledger.record(Self.page(next: "elsewhere"), of: late, at: 3)
            try await ledger.record(Self.page(), of: late, at: 3)
            try await ledger.clip(window: late, to: 5000)
            try await ledger.skip(window: late)
            #expect(try await ledger.openWindows(of: new) == [window])
            #expect(try await ledger.recovery(old)?.from == 0)
            // A window of an unknown recovery.
            var (unknown, page) = (late, Self.page())
            unknown.recovery = new + 1000
            page.unverified = [UnverifiedItem(digest: Data([1]), code: "no", message: "no")]
            try await ledger.record(page, of: unknown, at: 3)
            #expect(try await ledger.missingCounts(in: [0, scope]).values.map(\.unverified) == [0, 0])
            try await ledger.record(Self.page(next: "here"), of: window, at: 4)
            try await ledger.restart(window: late)
            #expect(try await ledger.openWindows(of: new).map(\.token) == ["here"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `A recovery with open windows cannot finish, and finishing one twice changes nothing`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, found in
            let scope = found.id
            let id = try await ledger.begin(Self.plan(scope, windows: 2), at: 0)
            let windows = try await ledger.openWindows(of: id)
            try #require(windows.count == 2)
            var page = Self.page()
            page.unverified = [UnverifiedItem(digest: Data([1]), code: "no", message: "no")]
            try await ledger.record(page, of: windows[0], at: 1)
            let error = await #expect(throws: StorageError.self) {
                try await ledger.finish(recovery: id, until: 900, limit: 0, at: 2000)
            }
            #expect(error?.code == .failed)
            #expect(try await ledger.completenessMarks().isEmpty)
            #expect(try await ledger.unverifiedSpans(in: scope).isEmpty)
            #expect(try await ledger.recovery(id)?.state == .open)
            #expect(try await ledger.openWindows(of: id) == [windows[1]])
            try await ledger.skip(window: windows[1])
            let mark = try await ledger.finish(recovery: id, until: 900, limit: 0, at: 2000)
            #expect(mark?.readUntil == 900)
            // A process that did not see the first call finish repeats it.
            let spans = try await ledger.unverifiedSpans(in: scope)
            #expect(!spans.isEmpty)
            let again = try await ledger.finish(recovery: id, until: 5000, limit: 0, at: 6000)
            #expect(again == mark)
            // A recovery that was failed up has read nothing.
            let failed = try await ledger.begin(Self.plan(scope, windows: 1), at: 7000)
            try await ledger.record(failure: "no", of: failed, isGivenUp: true, at: 7000)
            let after = try await ledger.finish(recovery: failed, until: 8000, limit: 0, at: 9000)
            #expect(after == mark)
            #expect(try await ledger.recovery(failed)?.state == .failed)
            #expect(try await ledger.completenessMarks() == [mark].compactMap(\.self))
            #expect(try await ledger.unverifiedSpans(in: scope) == spans)
        }
    }

    /// Several servers may read a page, and the answer to a commit may be lost. Detects engines that find the window by
    /// its identifier alone.
    @Test(arguments: Engine.allCases)
    func `A page of a recovery that is recorded twice counts once and does not lead back to an earlier page`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, found in
            let id = try await ledger.begin(Self.plan(found.id, windows: 1), at: 0)
            let first = try #require(try await ledger.openWindows(of: id).first)
            for _ in 0..<2 { try await ledger.record(Self.page(next: "2"), of: first, at: 1) }
            let second = try #require(try await ledger.openWindows(of: id).first)
            try await ledger.record(Self.page(next: "3"), of: second, at: 2)
            for window in [first, second] {
                try await ledger.record(Self.page(next: "2"), of: window, at: 3)
                try await ledger.record(Self.page(), of: window, at: 3)
            }
            let last = try #require(try await ledger.openWindows(of: id).first)
            #expect(second.token == "2" && last.token == "3")
            #expect(try await ledger.recovery(id)?.counts.pages == 2)
            // The window was started over meanwhile.
            try await ledger.restart(window: last)
            try await ledger.record(Self.page(), of: last, at: 4)
            #expect(try await ledger.openWindows(of: id) == [first])
            for _ in 0..<2 { try await ledger.record(Self.page(), of: first, at: 5) }
            #expect(try await ledger.openWindows(of: id).isEmpty)
            #expect(try await ledger.recovery(id)?.counts.pages == 3)
        }
    }

    /// Detects engines that forget the unverified items of a window, or open it again.
    @Test(arguments: Engine.allCases)
    func `A window that another server has read to its end is not started over`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, found in
            let id = try await ledger.begin(Self.plan(found.id, windows: 1), at: 0)
            let window = try #require(try await ledger.openWindows(of: id).first)
            var page = Self.page()
            page.unverified = [UnverifiedItem(digest: Data([1]), code: "no", message: "no")]
            try await ledger.record(page, of: window, at: 1)
            // The request of this server fails afterwards.
            try await ledger.restart(window: window)
            try await ledger.clip(window: window, to: 500)
            #expect(try await ledger.openWindows(of: id).isEmpty)
            #expect(try await ledger.recovery(id)?.from == 0)
            try #require(try await ledger.unverifiedSpans(in: found.id).isEmpty)
            _ = try await ledger.finish(recovery: id, until: 900, limit: 0, at: 2000)
            #expect(try await ledger.unverifiedSpans(in: found.id).isEmpty == false)
        }
    }

    /// Detects engines that find the recovery by its identifier alone.
    @Test(arguments: Engine.allCases)
    func `An error that is recorded after a recovery has ended does not change the recovery`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, found in
            let (done, failed) = (
                try await ledger.begin(Self.plan(found.id, windows: 0), at: 0),
                try await ledger.begin(Self.plan(found.id, windows: 1), at: 0)
            )
            _ = try await ledger.finish(recovery: done, until: 900, limit: 0, at: 2000)
            try await ledger.record(failure: "first", of: failed, isGivenUp: true, at: 2000)
            for (id, state) in [(done, .done), (failed, .failed)] as [(Int64, RecoveryRun.State)] {
                let ended = try await ledger.recovery(id)
                try #require(ended?.state == state)
                for isGivenUp in [false, true] {
                    try await ledger.record(failure: "second", of: id, isGivenUp: isGivenUp, at: 3000)
                    #expect(try await ledger.recovery(id) == ended)
                }
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `A recovery that is begun twice moves the mark like one`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, found in
            var ids: [Int64] = []
            for _ in 0..<2 { ids.append(try await ledger.begin(Self.plan(found.id, windows: 1), at: 0)) }
            #expect(ids[0] != ids[1])
            #expect(try await ledger.openRecoveries(in: [found.id]).map(\.id) == ids)
            var marks: [CompletenessMark?] = []
            for id in ids {
                let window = try #require(try await ledger.openWindows(of: id).first)
                try await ledger.record(Self.page(), of: window, at: 1)
                marks.append(try await ledger.finish(recovery: id, until: 900, limit: 0, at: 2000))
            }
            let stored = try await ledger.completenessMarks()
            #expect(stored.count == 1 && marks == [stored.first, stored.first])
            #expect(try await ledger.historyPass(in: found.id) == nil)
        }
    }

    /// An engine that counts the named items would stop at twenty.
    @Test(arguments: Engine.allCases)
    func `The newest twenty unverified items are named, and all are counted`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, found in
            let id = try await ledger.begin(Self.plan(found.id, windows: 1), at: 0)
            let window = try #require(try await ledger.openWindows(of: id).first)
            var page = Self.page()
            page.unverified = (0..<25 as Range<UInt8>).map {
                UnverifiedItem(digest: Data([$0]), code: "no", message: "\($0)")
            }
            try await ledger.record(page, of: window, at: 1)
            let missing = try await ledger.missingItems(in: found.id)
            #expect(missing.unverifiedItems.map(\.message) == (5..<25).reversed().map { "\($0)" })
            #expect(try await ledger.missingCounts(in: found.id).unverified == 25)
        }
    }

    /// Detects engines that do not find a different text with a known UUID, or that compare the date of the signature.
    @Test(arguments: Engine.allCases)
    func `Pending notifications are found by app and environment, and by how long they have waited`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, found in
            let scope = found.id
            func receive(_ text: String, at now: Milliseconds) async throws -> Int64 {
                let received = ReceivedNotification(
                    scope: scope, uuid: "00000000-0000-4000-8000-000000000001", type: "DID_RENEW", signedDate: 0,
                    receivedAt: now, origin: .recovered, text: text)
                return try #require(try await ledger.commit(received: [received], processed: []).first).id
            }
            #expect(try await !ledger.hasPendingNotifications(in: scope, since: 0...Milliseconds.max))
            let first = try await receive("first", at: 10)
            #expect(try await !ledger.hasPendingNotifications(in: scope, since: 0...9))
            #expect(try await ledger.hasPendingNotifications(in: scope, since: 0...10))
            #expect(try await ledger.hasPendingNotifications(in: scope, since: 10...11))
            #expect(try await !ledger.hasPendingNotifications(in: scope, since: 11...Milliseconds.max))
            #expect(try await !ledger.hasPendingNotifications(in: scope + 1, since: 0...Milliseconds.max))
            let second = try await receive("second", at: 20)
            try #require(first > 0 && second < 0)
            try await ledger.fail(first, code: "no", message: "no", at: 30)
            #expect(try await !ledger.hasPendingNotifications(in: scope, since: 0...19))
            #expect(try await ledger.hasPendingNotifications(in: scope, since: 0...20))
            try await ledger.fail(second, code: "no", message: "no", at: 30)
            #expect(try await !ledger.hasPendingNotifications(in: scope, since: 0...Milliseconds.max))
            try await ledger.reprocess([first], at: 40)
            #expect(try await !ledger.hasPendingNotifications(in: scope, since: 0...39))
            #expect(try await ledger.hasPendingNotifications(in: scope, since: 0...40))
        }
    }

    @Test(arguments: Engine.allCases)
    func `Only the last ended recoveries are kept, and all open ones`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, found in
            let scope = found.id
            let (plan, count) = (Self.plan(scope, windows: 0), RecoveryRun.maximumCount)
            func end(_ id: Int64) async throws {
                _ = try await ledger.finish(recovery: id, until: 900, limit: 0, at: 2000)
            }
            var ids: [Int64] = []
            for number in 0..<(count + 3) { ids.append(try await ledger.begin(plan, at: Int64(number))) }
            try await end(ids[0])
            try await ledger.record(failure: "no", of: ids[1], isGivenUp: true, at: 2000)
            try await end(ids[count - 1])
            #expect(try await ledger.recovery(ids[0])?.state == .done)
            try await end(ids[count])
            #expect(try await ledger.recovery(ids[0]) == nil)
            #expect(try await ledger.recovery(ids[1])?.state == .failed)
            try await end(ids[count + 2])
            #expect(try await ledger.recovery(ids[1]) == nil)
            #expect(try await ledger.recovery(ids[2])?.state == .open)
            #expect(try await ledger.openRecoveries(in: [scope]).first?.id == ids[2])
            let last = try await ledger.recoveries(in: [scope], before: nil, limit: 2).map(\.id)
            #expect(last == [ids[count + 2], ids[count + 1]])
        }
    }

    @Test(arguments: Engine.allCases)
    func `Recoveries of one app do not displace those of another`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, found in
            let (busy, quiet) = (found.id, found.id + 1)
            func finish(in scope: Int64) async throws -> Int64 {
                let id = try await ledger.begin(Self.plan(scope, windows: 0), at: 0)
                _ = try await ledger.finish(recovery: id, until: 900, limit: 0, at: 2000)
                return id
            }
            let (other, first) = (try await finish(in: quiet), try await finish(in: busy))
            for _ in 1..<RecoveryRun.maximumCount {
                _ = try await ledger.begin(Self.plan(busy, windows: 0), at: 0)
            }
            _ = try await finish(in: quiet)
            #expect(try await ledger.recovery(first)?.state == .done)
            _ = try await finish(in: busy)
            #expect(try await ledger.recovery(first) == nil)
            #expect(try await ledger.recovery(other)?.state == .done)
            #expect(try await ledger.recoveries(in: [quiet], before: nil, limit: 10).count == 2)
        }
    }
}
