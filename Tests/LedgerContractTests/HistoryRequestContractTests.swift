import Foundation
import Ledger
import TestSupport
import Testing

extension `The contract of every database` {
    @Test(arguments: Engine.allCases)
    func `history requests of each app and environment are taken, however many wait in another one`(
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
            let taken = try await ledger.takeHistoryRequests(at: 4, limit: 2)
            #expect(taken.map(\.transactionID) == ["1", "2", "4"])
            #expect(taken.map(\.scope) == [scopes[0], scopes[0], scopes[1]])
            // What was given up and what is not due take nobody's place.
            try await ledger.fail(request: try #require(taken.first?.id), code: "never", at: 4)
            #expect(try await ledger.takeHistoryRequests(at: 4, limit: 2).map(\.transactionID) == ["2", "3", "4"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `whoever finishes a history request a second time crosses off no other one`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            let walk = try await Walk(try engine.open(in: folder))
            let (ledger, scope) = (walk.ledger, walk.scopes[0].id)
            try await ledger.putAside("1", in: scope, code: "no", until: 1, at: 1)
            let first = try #require(try await ledger.takeHistoryRequests(at: 2, limit: 9).first)
            try await ledger.finish(request: first.id)
            try await ledger.putAside("2", in: scope, code: "no", until: 1, at: 2)
            try await ledger.finish(request: first.id)
            let second = try #require(try await ledger.takeHistoryRequests(at: 2, limit: 9).first)
            try await ledger.finish(request: second.id)
            // It was asked for by somebody else too, and could not be believed.
            try await ledger.postpone(first, until: 3, code: "no")
            for id in [first.id, second.id] { try await ledger.finish(request: id) }
            #expect(try await ledger.takeHistoryRequests(at: 3, limit: 9).map(\.transactionID) == ["1"])
        }
    }
}
