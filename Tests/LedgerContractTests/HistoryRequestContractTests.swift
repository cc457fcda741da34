import Entitlements
import Foundation
import Ledger
import MemoryLedger
import TestSupport
import Testing

extension `The contract of every database` {
    @Test(arguments: Engine.allCases)
    func `History requests are read per app and environment, however many are due in another one`(
        _ engine: Engine
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let walk = try await Walk(try engine.open(in: folder))
            let (ledger, scopes) = (walk.ledger, walk.scopes.map(\.id))
            try #require(scopes.count == 2)
            for number: Milliseconds in 1...3 {
                try await ledger.add(requests: ["\(number)"], in: scopes[0], because: .restore, at: number)
            }
            for number: Milliseconds in 4...5 {
                try await ledger.add(requests: ["\(number)"], in: scopes[1], because: .restore, at: number)
            }
            func due(_ scope: Int64) async throws -> [HistoryRequest] {
                try await ledger.dueHistoryRequests(in: scope, at: 4, limit: 2)
            }
            let first = try await due(scopes[0])
            #expect(first.map(\.transactionID) == ["1", "2"] && first.allSatisfy { $0.scope == scopes[0] })
            #expect(try await due(scopes[1]).map(\.transactionID) == ["4"])
            // Failed requests and those not yet due do not count toward the limit.
            try await ledger.fail(request: try #require(first.first?.id), code: "never", at: 4)
            #expect(try await due(scopes[0]).map(\.transactionID) == ["2", "3"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `A history request that is added again while it runs is run once more`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            try await ledger.add(requests: ["1", "2"], in: scope, because: .notificationV1, at: 1)
            let running = try await ledger.dueHistoryRequests(in: scope, at: 1, limit: 10)
            try await ledger.add(requests: ["1"], in: scope, because: .notificationV1, at: 1)
            for request in running { try await ledger.finish(request: request.id) }
            let remaining = try await ledger.dueHistoryRequests(in: scope, at: 1, limit: 10)
            #expect(running.count == 2 && remaining.map(\.transactionID) == ["1"])
            for request in remaining { try await ledger.finish(request: request.id) }
            #expect(try await ledger.dueHistoryRequests(in: scope, at: 1, limit: 10).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Finishing a history request twice removes no other request`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            try await ledger.scheduleRetry(of: "1", in: scope, code: "no", until: 1, at: 1)
            let first = try #require(try await ledger.dueHistoryRequests(in: scope, at: 2, limit: 9).first)
            try await ledger.finish(request: first.id)
            try await ledger.scheduleRetry(of: "2", in: scope, code: "no", until: 1, at: 2)
            try await ledger.finish(request: first.id)
            let second = try #require(try await ledger.dueHistoryRequests(in: scope, at: 2, limit: 9).first)
            try await ledger.finish(request: second.id)
            // The same history was requested again, and its answer could not be verified.
            try await ledger.postpone(first, until: 3, code: "no")
            for id in [first.id, second.id] { try await ledger.finish(request: id) }
            #expect(
                try await ledger.dueHistoryRequests(in: scope, at: 3, limit: 9).map(\.transactionID) == ["1"])
        }
    }

    /// A request that only an unsigned text caused is forgotten if the App Store does not know the transaction. Detects
    /// engines that also forget a transaction that something signed names.
    @Test(arguments: Engine.allCases)
    func `The first reason of a history request stays, unless nothing signed named the transaction`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            let steps: [(added: HistoryRequest.Reason, stored: HistoryRequest.Reason)] = [
                (.unsignedNotificationV1, .unsignedNotificationV1), (.restore, .restore),
                (.unsignedNotificationV1, .restore), (.receipt, .restore),
            ]
            for (reason, expected) in steps {
                try await ledger.add(requests: ["1"], in: scope, because: reason, at: 1)
                #expect(try await ledger.dueHistoryRequests(in: scope, at: 1, limit: 9).map(\.reason) == [expected])
            }
        }
    }

    /// Detects engines that list requests by their row identifiers, which may be random.
    @Test(arguments: Engine.allCases)
    func `Of the failed history requests those that are tried again are named first, then the newest`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let (scope, numbers) = (appEnvironment.id, Array(11..<36))
            // Two are added at each instant.
            for number in numbers {
                try await ledger.scheduleRetry(
                    of: "\(number)", in: scope, code: "no", until: 99, at: Milliseconds(number / 2))
            }
            func named() async throws -> [String] {
                try await ledger.missingItems(in: scope).historyRequests.map(\.transactionID)
            }
            let newest = numbers.sorted { ($1 / 2, $0) < ($0 / 2, $1) }.map { "\($0)" }
            #expect(try await named() == Array(newest.prefix(MissingItems.maximumCount)))
            let requests = try await ledger.dueHistoryRequests(in: scope, at: 99, limit: 99)
            for request in requests where ["34", "35", "11"].contains(request.transactionID) {
                try await ledger.fail(request: request.id, code: "never", at: 100)
            }
            #expect(try await named() == Array(newest.dropFirst(2).prefix(MissingItems.maximumCount)))
            for request in requests where newest[2...5].contains(request.transactionID) {
                try await ledger.finish(request: request.id)
            }
            #expect(try await named() == Array(newest[6...23]) + ["34", "35"])
        }
    }

    /// Detects engines that keep only the values recorded last.
    @Test(arguments: Engine.allCases)
    func `A history mark survives later requests that record no revision`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            let walk = try await Walk(try engine.open(in: folder))
            let (ledger, scopes) = (walk.ledger, walk.scopes.map(\.id))
            try #require(scopes.count == 2)
            let id = scopes[0]
            var facts = RandomFacts(seed: 1)
            _ = try await ledger.commit(
                ["1", "2", "3"].map { original in
                    SignedFact(
                        scope: id, fact: .transaction(facts.transaction(original)), origin: .app, receivedAt: 0,
                        text: "text \(original)")
                })
            for (original, revision) in [("1", "a"), ("3", "b")] {
                try await ledger.record(revision: revision, of: original, in: id, at: 5)
            }
            try await ledger.record(revision: nil, of: "1", in: id, at: 6)
            try await ledger.recordRequest(about: ["1", "2", "2"], in: id, at: 7)
            #expect(try await ledger.summaries(after: "", in: id, limit: 9).map(\.requestedAt) == [7, 7, 5])
            #expect(try await ledger.historyMark(of: ["2"], in: id) == nil)
            for (identifiers, revision) in [(["2", "1", "3"], "a"), (["3", "1"], "b")] {
                #expect(try await ledger.historyMark(of: identifiers, in: id)?.revision == revision)
            }
            try await ledger.record(revision: "", of: "3", in: id, at: 8)
            #expect(try await ledger.historyMark(of: ["3"], in: id) == nil)
            #expect(try await ledger.historyMark(of: ["1"], in: scopes[1]) == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `The last recorded history pass is stored per app and environment`(
        _ engine: Engine
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let walk = try await Walk(try engine.open(in: folder))
            let (ledger, scopes) = (walk.ledger, walk.scopes.map(\.id))
            try #require(scopes.count == 2)
            var pass = HistoryPass(scope: scopes[0], cursor: "\u{E9}", staleBefore: 4, startedAt: 5)
            #expect(try await ledger.record(pass, replacing: nil))
            #expect(try await ledger.historyPass(in: scopes[0]) == pass)
            #expect(try await ledger.historyPass(in: scopes[1]) == nil)
            // It fills a gap, until it is finished or another pass replaces it.
            #expect(try await ledger.missingCounts(in: scopes[0]).isFillingGap)
            #expect(try await ledger.missingCounts(in: scopes[1]).isFillingGap == false)
            let begun = pass
            for (staleBefore, finishedAt) in [(4, 9), (nil, nil), (nil, 9)] as [(Milliseconds?, Milliseconds?)] {
                let previous = pass
                (pass.cursor, pass.staleBefore, pass.finishedAt) = ("", staleBefore, finishedAt)
                #expect(try await ledger.record(pass, replacing: previous))
                #expect(try await ledger.historyPass(in: scopes[0]) == pass)
                #expect(try await ledger.missingCounts(in: scopes[0]).isFillingGap == false)
            }
            // Of a server that has not seen the last step.
            for previous in [begun, nil] {
                #expect(try await ledger.record(begun, replacing: previous) == false)
                #expect(try await ledger.historyPass(in: scopes[0]) == pass)
            }
        }
    }

    /// Detects engines that remove items of another history or another app.
    @Test(arguments: Engine.allCases)
    func `An unverified item is missing until its own history is read again without it`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            let walk = try await Walk(try engine.open(in: folder))
            let (ledger, scopes) = (walk.ledger, walk.scopes.map(\.id))
            try #require(scopes.count == 2)
            let items = (0..<3).map { UnverifiedItem(digest: Data([$0]), code: "no \($0)", message: "no") }
            for scope in scopes {
                try await ledger.replaceUnverified(with: Array(items[0...1]), ofHistory: "1", in: scope, at: 5)
                try await ledger.replaceUnverified(with: [items[2]], ofHistory: "2", in: scope, at: 6)
            }
            func missing(_ scope: Int64) async throws -> [String] {
                try await ledger.missingItems(in: scope).unverifiedItems.map { "\($0.code) in \($0.history ?? "-")" }
            }
            #expect(try await missing(scopes[0]) == ["no 2 in 2", "no 1 in 1", "no 0 in 1"])
            try await ledger.replaceUnverified(with: [items[1]], ofHistory: "1", in: scopes[0], at: 7)
            #expect(try await missing(scopes[0]) == ["no 1 in 1", "no 2 in 2"])
            // Another history has it too.
            try await ledger.replaceUnverified(with: [items[1], items[2]], ofHistory: "2", in: scopes[0], at: 8)
            #expect(try await ledger.missingCounts(in: scopes[0]).unverified == 2)
            try await ledger.replaceUnverified(with: [], ofHistory: "1", in: scopes[0], at: 9)
            #expect(try await ledger.missingCounts(in: scopes[0]).unverified == 2)
            try await ledger.replaceUnverified(with: [], ofHistory: "2", in: scopes[0], at: 9)
            #expect(try await ledger.missingCounts(in: scopes[0]).unverified == 0)
            #expect(try await missing(scopes[1]) == ["no 2 in 2", "no 1 in 1", "no 0 in 1"])
        }
    }
}
