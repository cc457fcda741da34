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
            func taken(_ scope: Int64) async throws -> [HistoryRequest] {
                try await ledger.takeHistoryRequests(in: scope, at: 4, limit: 2)
            }
            let first = try await taken(scopes[0])
            #expect(first.map(\.transactionID) == ["1", "2"] && first.allSatisfy { $0.scope == scopes[0] })
            #expect(try await taken(scopes[1]).map(\.transactionID) == ["4"])
            // What was given up and what is not due take nobody's place.
            try await ledger.fail(request: try #require(first.first?.id), code: "never", at: 4)
            #expect(try await taken(scopes[0]).map(\.transactionID) == ["2", "3"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `whoever finishes a history request a second time crosses off no other one`(_ engine: Engine) async throws {
        try await Tool.inTemporaryFolder { folder in
            let walk = try await Walk(try engine.open(in: folder))
            let (ledger, scope) = (walk.ledger, walk.scopes[0].id)
            try await ledger.putAside("1", in: scope, code: "no", until: 1, at: 1)
            let first = try #require(try await ledger.takeHistoryRequests(in: scope, at: 2, limit: 9).first)
            try await ledger.finish(request: first.id)
            try await ledger.putAside("2", in: scope, code: "no", until: 1, at: 2)
            try await ledger.finish(request: first.id)
            let second = try #require(try await ledger.takeHistoryRequests(in: scope, at: 2, limit: 9).first)
            try await ledger.finish(request: second.id)
            // It was asked for by somebody else too, and could not be believed.
            try await ledger.postpone(first, until: 3, code: "no")
            for id in [first.id, second.id] { try await ledger.finish(request: id) }
            #expect(try await ledger.takeHistoryRequests(in: scope, at: 3, limit: 9).map(\.transactionID) == ["1"])
        }
    }
}
