import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `Grant history` {
    private static func made(
        at instant: Milliseconds, _ customer: String = "anna", until: Milliseconds? = nil, by actor: String = "maria"
    ) -> GrantEvent {
        GrantEvent(
            .create, at: instant,
            .init(customer: customer, entitlement: "premium", until: until, reason: "goodwill", actor: actor))
    }

    private static func revoked(at instant: Milliseconds, by actor: String = "maria") -> GrantEvent {
        GrantEvent(.revoke, at: instant, .init(reason: "a mistake", actor: actor))
    }

    @Test func `A grant history uses the first creation and the first revocation, in any order`() throws {
        let events = [
            Self.made(at: 5), Self.made(at: 5, by: "otto"), Self.made(at: 4, "ben", until: 9), Self.revoked(at: 7),
            Self.revoked(at: 6, by: "otto"), Self.made(at: 5),
        ]
        let history = GrantHistory(events)
        #expect(history.events.count == 5)
        let grant = try #require(history.grant("g"))
        #expect(grant.customer == "ben" && grant.createdAt == 4 && grant.until == 9)
        #expect(grant.revocation?.instant == 6 && grant.revocation?.actor == "otto")
        #expect(GrantHistory(events.reversed()) == history)
        #expect(GrantHistory([Self.revoked(at: 1)]).grant("g") == nil)
        // The clock was set back between the two events.
        #expect(GrantHistory([Self.made(at: 5), Self.revoked(at: 1)]).grant("g")?.revocation?.instant == 5)
    }

    @Test func `A grant is active from its start to its end or revocation, the end excluded`() throws {
        let grant = try #require(GrantHistory([Self.made(at: 5, until: 9)]).grant("g"))
        #expect(grant.state(at: 8) == .running && grant.state(at: 9) == .expired)
        let revoked = try #require(GrantHistory([Self.made(at: 5, until: 9), Self.revoked(at: 7)]).grant("g"))
        #expect([6, 7, 9].map { revoked.state(at: $0) } == [.revoked, .revoked, .revoked])
        let facts = [grant, revoked].map {
            GrantFact(
                id: $0.id, entitlement: $0.entitlement, createdAt: $0.createdAt, until: $0.until,
                revokedAt: $0.revocation?.instant)
        }
        #expect(facts.map { $0.isActive(at: Date(milliseconds: 4)) } == [false, false])
        #expect(facts.map { $0.isActive(at: Date(milliseconds: 6)) } == [true, true])
        #expect(facts.map { $0.isActive(at: Date(milliseconds: 7)) } == [true, false])
        #expect(facts.map { $0.isActive(at: Date(milliseconds: 9)) } == [false, false])
        #expect(GrantDecision.revocation(of: grant, at: 8) == nil)
        #expect(GrantDecision.revocation(of: grant, at: 9) == .isOver(grant))
        #expect(GrantDecision.revocation(of: revoked, at: 9) == .revoked(revoked))
    }

    @Test func `A stored creation or revocation by a clock that was ahead applies now`() {
        let fact = GrantFact(id: "g", entitlement: "premium", createdAt: 5, until: 9, revokedAt: 7)
        let now = Date(milliseconds: 3)
        #expect(fact.asStored(at: now).from == now && fact.asStored(at: now).revokedAt == now)
        let later = Date(milliseconds: 8)
        #expect(fact.asStored(at: later) == fact)
    }

    @Test(
        arguments: [
            (nil, 4, nil, 9), (nil, 8, nil, 9), (nil, 9, nil, nil), (true, 9, nil, 9), (false, 4, nil, nil),
            (nil, 4, 7, nil), (true, 4, 7, nil),
        ] as [(Bool?, Milliseconds, Milliseconds?, Milliseconds?)])
    func `The expiry of a grant has one event, unless the grant is revoked or ended before it became known`(
        _ wasDue: Bool?, _ emittedUntil: Milliseconds, _ revocation: Milliseconds?, _ date: Milliseconds?
    ) throws {
        let events = [Self.made(at: 5, until: 9)] + (revocation.map { [Self.revoked(at: $0)] } ?? [])
        let grant = try #require(GrantHistory(events).grant("g"))
        #expect(grant.expiryEventDate(wasDue: wasDue, emittedUntil: emittedUntil) == date)
        #expect(grant.hasExpiryEvent(isDue: false) == (revocation == nil))
        #expect(!grant.hasExpiryEvent(isDue: true))
    }

    @Test func `The expiry of a grant without an end has no event`() throws {
        let grant = try #require(GrantHistory([Self.made(at: 5)]).grant("g"))
        #expect(grant.expiryEventDate(wasDue: nil, emittedUntil: .min) == nil)
        #expect(!grant.hasExpiryEvent(isDue: false))
    }

    @Test(
        arguments: [
            (false, [5]), (true, [5, 9]),
        ] as [(Bool, [Milliseconds])])
    func `A timeline has the creation of a grant, and its end once the event exists`(
        _ hasExpiryEvent: Bool, _ dates: [Milliseconds]
    ) throws {
        let grant = try #require(GrantHistory([Self.made(at: 5, until: 9)]).grant("g"))
        let items = TimelineItem.items(of: grant, hasExpiryEvent: hasExpiryEvent)
        #expect(items.map(\.position.date) == dates)
        #expect(items.map(\.position.name) == Array(["g.created", "g.expired"].prefix(dates.count)))
        let revoked = try #require(GrantHistory([Self.made(at: 5), Self.revoked(at: 7)]).grant("g"))
        #expect(
            TimelineItem.items(of: revoked, hasExpiryEvent: false).map(\.position.name) == ["g.created", "g.revoked"])
    }

    @Test(
        arguments: [
            (100, 8 as Milliseconds, .refused), (100, 9, nil), (99, 8, nil),
        ] as [(Int, Milliseconds, GrantCreation?)])
    func `A customer has at most a hundred active grants`(
        _ count: Int, _ now: Milliseconds, _ creation: GrantCreation?
    ) throws {
        let grant = try #require(GrantHistory([Self.made(at: 5, until: 9)]).grant("g"))
        let grants = [Grant](repeating: grant, count: count)
        let content = GrantEvent.Content(customer: "anna", entitlement: "premium", reason: "sorry", actor: "team")
        #expect(
            GrantDecision.creation(of: content, known: nil, hasEvents: false, beside: grants, at: now)
                == creation)
    }

    @Test(arguments: [
        ("anna", 86_400_004 as Milliseconds, true), ("anna", 86_400_005, false), ("ben", 6, false), ("anna", 1, true),
    ])
    func `A creation request that is repeated within a day returns the existing grant`(
        _ customer: String, _ now: Milliseconds, _ isSame: Bool
    ) throws {
        let grant = try #require(GrantHistory([Self.made(at: 5)]).grant("g"))
        let content = GrantEvent.Content(customer: customer, entitlement: "premium", reason: "sorry", actor: "team")
        #expect(
            GrantDecision.creation(of: content, known: grant, hasEvents: true, beside: [], at: now)
                == (isSame ? GrantCreation.created(grant) : .isTaken))
    }

    @Test func `The identifier of an erased grant is not used again`() {
        let content = GrantEvent.Content(customer: "anna", entitlement: "premium", reason: "sorry", actor: "team")
        #expect(GrantDecision.creation(of: content, known: nil, hasEvents: true, beside: [], at: 1) == .isTaken)
    }

    @Test func `A grant belongs to the customer of its last move, in any order of its events`() throws {
        let made = GrantHistory([Self.made(at: 5)])
        let first = try #require(made.move(to: "ben", at: 9))
        let second = try #require(GrantHistory(made.events + [first]).move(to: "cleo", at: 3))
        #expect(first.instant == 9)
        // The clock was set back between the two moves.
        #expect(second.instant == 10)
        for events in [made.events + [first, second], [second, first] + made.events] {
            let grant = try #require(GrantHistory(events + [Self.revoked(at: 20)]).grant("g"))
            #expect(grant.customer == "cleo")
            #expect(grant.createdAt == 5 && grant.entitlement == "premium" && grant.reason == "goodwill")
            #expect(grant.revocation?.instant == 20)
        }
        #expect(GrantHistory([first]).grant("g") == nil)
    }

    @Test func `Of a deleted grant the last move stays, which decides if the creation is imported again`() throws {
        let made = GrantHistory([Self.made(at: 5), Self.revoked(at: 6)])
        #expect(made.remnant(for: "erased:1") == nil)
        let first = try #require(made.move(to: "ben", at: 9))
        let second = try #require(GrantHistory(made.events + [first]).move(to: "cleo", at: 10))
        let remnant = try #require(GrantHistory(made.events + [first, second]).remnant(for: "erased:1"))
        #expect(remnant.kind == .move && remnant.instant == 10 && remnant.content.customer == "erased:1")
        #expect(GrantHistory([remnant]).grant("g") == nil)
        #expect(GrantHistory(made.events + [remnant]).grant("g")?.customer == "erased:1")
    }

    @Test func `Of two creations at one instant, the one with the earlier end counts, in any order`() throws {
        let both = [Self.made(at: 5), Self.made(at: 5, until: 9)]
        for events in [both, both.reversed()] {
            #expect(try #require(GrantHistory(events).grant("g")).until == 9)
        }
    }
}
