import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Repeated grant requests` {
    private static func grant(_ world: World, key: String, reason: String = "the outage of May") async throws -> String
    {
        let body = #"{"entitlement":"premium","reason":"\#(reason)","actor":"maria"}"#
        let answer = try await world.api.send(
            "POST", "/v1/customers/anna/grants", body: Data(body.utf8), headers: [("Idempotency-Key", key)])
        try #require(answer.status == 201, "\(answer.text)")
        return try #require(answer["id"] as? String)
    }

    @Test func `A repeated grant request makes one grant, even if its answer was not stored`() async throws {
        try await World.withAPI { world in
            let first = try await Self.grant(world, key: "one")
            try await world.deleteStoredRequests()
            #expect(try await Self.grant(world, key: "one") == first)
            let (storage, appEnvironment) = (try world.server.core.storage, try world.appEnvironment())
            #expect(try await storage.grants(of: "anna", in: appEnvironment.id).map(\.id) == [first])
            #expect(try await world.eventTypes() == ["grant.created"])
            #expect(try await Self.grant(world, key: "two") != first)
            try await world.deleteStoredRequests()
            #expect(try await Self.grant(world, key: "one", reason: "the outage of June") != first)
        }
    }

    @Test func `After an erasure the same request makes another grant and emits an event`() async throws {
        try await World.withAPI { world in
            let first = try await Self.grant(world, key: "one")
            #expect(try await world.api.send("DELETE", "/v1/customers/anna").status == 200)
            let (storage, appEnvironment) = (try world.server.core.storage, try world.appEnvironment())
            let events = try await world.eventTypes()
            let second = try await Self.grant(world, key: "one")
            #expect(second != first)
            #expect(try await storage.grants(of: "anna", in: appEnvironment.id).map(\.id) == [second])
            #expect(try await world.eventTypes() == events + ["grant.created"])
        }
    }
}
