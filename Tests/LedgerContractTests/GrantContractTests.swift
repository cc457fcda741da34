import Ledger
import TestSupport
import Testing

@Suite struct `The contract of grants` {
    @Test(arguments: Engine.allCases)
    func `A repeated grant request creates no second grant`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let content = GrantEvent.Content(
                customer: "anna", entitlement: "premium", reason: "sorry", actor: "team")
            guard case .created(let grant) = try await ledger.createGrant("g", content, in: appEnvironment.id, at: 100)
            else {
                Issue.record("the grant was refused")
                return
            }
            #expect(try await ledger.createGrant("g", content, in: appEnvironment.id, at: 900) == .created(grant))
            let later = 100 + IdempotencyDecision.retention
            #expect(try await ledger.createGrant("g", content, in: appEnvironment.id, at: later) == .isTaken)
            #expect(try await ledger.grants(of: "anna", in: appEnvironment.id) == [grant])
            #expect(try await ledger.eventCount() == 1)
            // A request with another identifier creates another grant, even with the same content.
            _ = try await ledger.createGrant("h", content, in: appEnvironment.id, at: 900)
            #expect(try await ledger.grants(of: "anna", in: appEnvironment.id).count == 2)
            #expect(try await ledger.eventCount() == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `A grant identifier stays taken after an erasure or a merge into another customer`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            func content(_ customer: String) -> GrantEvent.Content {
                .init(customer: customer, entitlement: "premium", reason: "sorry", actor: "team")
            }
            for (id, customer) in [("moved", "anna"), ("erased", "carl")] {
                _ = try await ledger.createGrant(id, content(customer), in: appEnvironment.id, at: 100)
            }
            _ = try await ledger.merge("anna", into: "ben", in: appEnvironment.id, at: 200)
            _ = try await ledger.erase("carl", in: appEnvironment, at: 200)
            let events = try await ledger.lastEvent()
            #expect(try await ledger.grants(of: "ben", in: appEnvironment.id).map(\.id) == ["moved"])
            let anna = content("anna")
            #expect(try await ledger.createGrant("moved", anna, in: appEnvironment.id, at: 300) == .isTaken)
            let carl = content("carl")
            #expect(try await ledger.createGrant("erased", carl, in: appEnvironment.id, at: 300) == .isTaken)
            for customer in ["anna", "carl"] {
                #expect(try await ledger.grants(of: customer, in: appEnvironment.id).isEmpty)
            }
            #expect(try await ledger.lastEvent() == events)
            // The present owner gets the grant itself.
            let bens = try await ledger.createGrant("moved", content("ben"), in: appEnvironment.id, at: 300)
            #expect(
                try await ledger.grants(of: "ben", in: appEnvironment.id).map { GrantCreation.created($0) } == [bens])
        }
    }

    /// Detects engines that read the grants in the order of an index by customer.
    @Test(arguments: Engine.allCases)
    func `Grants that expire at the same instant get their events in the order of their identifiers`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            for (id, customer) in [("2", "anna"), ("1", "zoe"), ("3", "ben")] {
                let content = GrantEvent.Content(
                    customer: customer, entitlement: "pro", until: 200, reason: "sorry", actor: "team")
                _ = try await ledger.createGrant(id, content, in: appEnvironment.id, at: 100)
            }
            let created = try await ledger.lastEvent()
            for limit in [1, 9] { _ = try await ledger.emitExpiredGrants(at: 200, limit: limit) }
            let expired = FeedQuery(after: created, scopes: [appEnvironment.id], limit: 9)
            let page = try await ledger.events(expired, within: .none)
            #expect(page.items.map(\.event.customer) == ["zoe", "anna", "ben"])
        }
    }

    /// Detects engines that count grants of other customers, of other environments or that have ended.
    @Test(arguments: Engine.allCases)
    func `The limit of active grants applies per customer and environment, and ignores ended and revoked grants`(
        _ engine: Engine
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let walk = try await Walk(try engine.open(in: folder))
            let (ledger, scopes) = (walk.ledger, walk.scopes.map(\.id))
            try #require(scopes.count == 2)
            func create(
                _ id: String, for customer: String = "anna", until end: Milliseconds? = nil, in scope: Int64,
                at now: Milliseconds
            ) async throws -> Bool {
                let content = GrantEvent.Content(
                    customer: customer, entitlement: "pro", until: end, reason: "sorry", actor: "team")
                return try await ledger.createGrant(id, content, in: scope, at: now) != .refused
            }
            for number in 0..<GrantDecision.maximumRunning {
                #expect(try await create("g\(number)", until: number == 0 ? 200 : nil, in: scopes[0], at: 100))
            }
            #expect(try await create("more", in: scopes[0], at: 199) == false)
            #expect(try await ledger.grants(of: "anna", in: scopes[0]).count == GrantDecision.maximumRunning)
            #expect(try await ledger.eventCount() == GrantDecision.maximumRunning)
            #expect(try await create("ben's", for: "ben", in: scopes[0], at: 199))
            #expect(try await create("test", in: scopes[1], at: 199))
            // One has ended, and one is taken back.
            #expect(try await create("more", in: scopes[0], at: 200))
            #expect(try await create("last", in: scopes[0], at: 200) == false)
            let reason = GrantEvent.Content(reason: "over", actor: "team")
            _ = try await ledger.revokeGrant("g1", of: "anna", because: reason, in: scopes[0], at: 200)
            #expect(try await create("last", in: scopes[0], at: 200))
        }
    }

    /// Detects engines that list the entitlements of grants that have ended or of other environments, list one twice, or
    /// sort by a collation.
    @Test(arguments: Engine.allCases)
    func `The granted entitlements are those of the active grants of an environment, each once`(
        _ engine: Engine
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let walk = try await Walk(try engine.open(in: folder))
            let (ledger, scopes) = (walk.ledger, walk.scopes.map(\.id))
            try #require(scopes.count == 2)
            let grants: [(id: String, entitlement: String, end: Milliseconds?, scope: Int64)] = [
                ("1", "pro", nil, scopes[0]), ("2", "pro", 300, scopes[0]), ("3", "Zoom", 201, scopes[0]),
                ("4", "ended", 200, scopes[0]), ("5", "revoked", nil, scopes[0]), ("6", "test", nil, scopes[1]),
            ]
            for grant in grants {
                let content = GrantEvent.Content(
                    customer: "anna", entitlement: grant.entitlement, until: grant.end, reason: "sorry", actor: "team")
                _ = try await ledger.createGrant(grant.id, content, in: grant.scope, at: 100)
            }
            let reason = GrantEvent.Content(reason: "over", actor: "team")
            _ = try await ledger.revokeGrant("5", of: "anna", because: reason, in: scopes[0], at: 150)
            #expect(try await ledger.grantedEntitlements(in: scopes[0], at: 200) == ["Zoom", "pro"])
            #expect(try await ledger.grantedEntitlements(in: scopes[1], at: 200) == ["test"])
        }
    }
}
