import AppStoreModels
import Foundation
import Ledger
import Testing

@Suite struct `An erasure` {
    private static let erasure = Erasure(digest: Erasure.digest(of: "anna", in: "com.example"), at: 100)

    @Test(arguments: [
        (99 as Milliseconds, "anna", true), (100, "anna", true), (101, "anna", false), (99, "ben", false),
    ])
    func `takes the name from what was said until then`(_ instant: Milliseconds, _ name: String, _ isRenamed: Bool) {
        let erasure = Self.erasure
        let claim = erasure.renamed(ClaimEvent(at: instant, .join, name), of: "anna")
        #expect(claim == (isRenamed ? ClaimEvent(at: instant, .join, erasure.standIn) : nil))
        let content = GrantEvent.Content(customer: name, entitlement: "premium", reason: "sorry", actor: "team")
        var renamed = content
        renamed.customer = erasure.standIn
        let grant = erasure.renamed(GrantEvent(.create, at: instant, content), of: "anna")
        #expect(grant == (isRenamed ? GrantEvent(.create, at: instant, renamed) : nil))
    }

    @Test(
        arguments: [
            (nil, nil, 100), (99, 99, 100), (250, nil, 250), (250, 90, 250), (nil, 100, 101), (100, 300, 301),
            (nil, .max, .max),
        ] as [(Milliseconds?, Milliseconds?, Milliseconds)])
    func `is no earlier than the last that was said, and later than the one before`(
        _ newest: Milliseconds?, _ previous: Milliseconds?, _ instant: Milliseconds
    ) {
        #expect(Erasure.instant(at: 100, newest: newest, previous: previous) == instant)
    }

    @Test func `leaves what names nobody`() {
        #expect(Self.erasure.renamed(GrantEvent(.revoke, at: 1, .init(reason: "r", actor: "a")), of: "anna") == nil)
    }

    @Test(arguments: [(99 as Milliseconds, true), (100, true), (101, false)])
    func `removes grants and reports of use from until then`(_ instant: Milliseconds, _ isGone: Bool) throws {
        let content = GrantEvent.Content(customer: "anna", entitlement: "premium", reason: "r", actor: "a")
        let grant = try #require(GrantHistory([GrantEvent(.create, at: instant, content)]).grant("g"))
        #expect(Self.erasure.removes(grant) == isGone)
        #expect(Self.erasure.removes(UsageReport(reportedAt: instant)) == isGone)
    }

    @Test(arguments: [(100 as Milliseconds, true), (101, false)])
    func `removes a grant that came from another customer until then`(_ instant: Milliseconds, _ isGone: Bool) throws {
        let made = GrantEvent.Content(customer: "ben", entitlement: "premium", reason: "r", actor: "a")
        let moved = GrantEvent.Content(customer: "anna", reason: "merged", actor: "merge")
        let events = [GrantEvent(.create, at: 5, made), GrantEvent(.move, at: instant, moved)]
        let grant = try #require(GrantHistory(events).grant("g"))
        #expect(grant.customer == "anna" && grant.heldSince == instant && grant.createdAt == 5)
        #expect(Self.erasure.removes(grant) == isGone)
    }

    @Test(arguments: [
        (nil, true), (#"{"app":"com.example","environment":"Sandbox"}"#, true), (#"{"app":"com.example"}"#, true),
        (#"{"environment":"Sandbox"}"#, true), ("{}", true), ("no JSON", true), (#"{"app":7}"#, true),
        (#"{"app":"com.other","environment":"Sandbox"}"#, false), (#"{"environment":"Production"}"#, false),
    ])
    func `removes a remembered answer unless it is about another app or environment`(_ body: String?, _ isGone: Bool) {
        let answer = body.map { RememberedRequest.Answer(status: 200, type: nil, body: Data($0.utf8)) }
        #expect(Erasure.removes(answer, about: "com.example", in: "Sandbox") == isGone)
    }

    @Test func `makes a purchase nobody's that is still the customer's`() {
        let erasure = Self.erasure
        let none = ClaimHistory([])
        func taken(_ claims: [ClaimEvent], named: String? = nil, account: [ClaimEvent] = []) -> ClaimEvent? {
            erasure.disowning(
                Ownership(claims: ClaimHistory(claims), named: named, account: ClaimHistory(account)), of: "anna")
        }
        #expect(taken([], named: "anna") == ClaimEvent(at: 100, .take, erasure.standIn))
        #expect(taken([.init(at: 100, .take, "anna")]) == ClaimEvent(at: 101, .take, erasure.standIn))
        #expect(taken([], named: "ben") == nil)
        #expect(taken([.init(at: 5, .take, erasure.standIn)], named: "anna") == nil)
        #expect(erasure.disowning(Ownership(claims: none, named: nil, account: none), of: "anna") == nil)
    }

    /// An import applies an erasure of long ago again.
    @Test func `leaves a purchase that the customer claimed after it`() {
        let (erasure, none) = (Self.erasure, ClaimHistory([]))
        let renamed = ClaimEvent(at: 5, .take, erasure.standIn)
        let back = ClaimHistory([renamed, ClaimEvent(at: 101, .take, "anna")])
        for named in [nil, "anna"] {
            #expect(erasure.disowning(Ownership(claims: back, named: named, account: none), of: "anna") == nil)
        }
        #expect(erasure.disowning(Ownership(claims: none, named: nil, account: back), of: "anna") == nil)
        // What the App Store signed for the account is no claim.
        let bySignature = erasure.disowning(Ownership(claims: none, named: "anna", account: back), of: "anna")
        #expect(bySignature == ClaimEvent(at: 100, .take, erasure.standIn))
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var customer: String?
        var notification: Int64?
        var data: String?
        /// Nil where the event stays as it is.
        var renamed: (customer: String?, data: String?)?
    }

    static let cases = [
        Case(
            testDescription: "the customer's, of the server's own", customer: "anna", data: "{}",
            renamed: (erasure.standIn, nil)),
        Case(
            testDescription: "another's about the purchase, which names who had it", customer: "ben", data: "{}",
            renamed: ("ben", nil)),
        Case(testDescription: "another's that names nobody", customer: "ben"),
        Case(
            testDescription: "the customer's, of a notification", customer: "anna", notification: 7,
            renamed: (erasure.standIn, nil)),
        Case(testDescription: "another's, of a notification", customer: "ben", notification: 7),
    ]

    @Test(arguments: cases) func `takes the names from events`(_ it: Case) {
        let event = LedgerEvent(
            id: "e", scope: 1, type: .purchaseTransferred, originalTransactionID: "o", customer: it.customer,
            notification: it.notification, occurredAt: 500, createdAt: 500, data: it.data)
        let renamed = Self.erasure.renamed(event, of: "anna")
        #expect(renamed?.customer == it.renamed?.customer)
        #expect(renamed?.data == it.renamed?.data)
        #expect((renamed == nil) == (it.renamed == nil))
        #expect(renamed.map { $0.id == "e" && $0.occurredAt == 500 } ?? true)
    }
}
