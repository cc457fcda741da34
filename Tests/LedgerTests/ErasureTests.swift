import AppStoreModels
import Entitlements
import Foundation
import Ledger
import Testing

@Suite struct `An erasure` {
    private static let erasure = Erasure(digest: Erasure.digest(of: "anna", in: "com.example"), at: 100)

    @Test(arguments: [
        (99 as Milliseconds, "anna", true), (100, "anna", true), (101, "anna", false), (99, "ben", false),
    ])
    func `An erasure replaces the customer's name in claims and grant events up to its instant`(
        _ instant: Milliseconds, _ name: String, _ isRenamed: Bool
    ) {
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
    func `An erasure's instant is at least that of the newest record and after the previous erasure`(
        _ newest: Milliseconds?, _ previous: Milliseconds?, _ instant: Milliseconds
    ) {
        #expect(Erasure.instant(at: 100, newest: newest, previous: previous) == instant)
    }

    @Test(arguments: [(nil, 100), (99, 100), (100, 101), (250, 251), (.max, .max)] as [(Milliseconds?, Milliseconds)])
    func `What a customer gets is later than the customer's last erasure`(
        _ erasure: Milliseconds?, _ instant: Milliseconds
    ) {
        #expect(Erasure.instant(ofChangeAt: 100, afterErasure: erasure) == instant)
    }

    @Test func `An erasure does not change grant events without a customer`() {
        #expect(Self.erasure.renamed(GrantEvent(.revoke, at: 1, .init(reason: "r", actor: "a")), of: "anna") == nil)
    }

    @Test(arguments: [(99 as Milliseconds, true), (100, true), (101, false)])
    func `An erasure removes grants and usage reports up to its instant`(_ instant: Milliseconds, _ isRemoved: Bool)
        throws
    {
        let content = GrantEvent.Content(customer: "anna", entitlement: "premium", reason: "r", actor: "a")
        let grant = try #require(GrantHistory([GrantEvent(.create, at: instant, content)]).grant("g"))
        #expect(Self.erasure.removes(grant) == isRemoved)
        #expect(Self.erasure.removes(UsageReport(reportedAt: instant)) == isRemoved)
    }

    @Test(arguments: [(100 as Milliseconds, true), (101, false)])
    func `An erasure removes a grant that was moved to the customer up to its instant`(
        _ instant: Milliseconds, _ isRemoved: Bool
    ) throws {
        let made = GrantEvent.Content(customer: "ben", entitlement: "premium", reason: "r", actor: "a")
        let moved = GrantEvent.Content(customer: "anna", reason: "merged", actor: "merge")
        let events = [GrantEvent(.create, at: 5, made), GrantEvent(.move, at: instant, moved)]
        let grant = try #require(GrantHistory(events).grant("g"))
        #expect(grant.customer == "anna" && grant.heldSince == instant && grant.createdAt == 5)
        #expect(Self.erasure.removes(grant) == isRemoved)
    }

    @Test(arguments: [
        (nil, true), (#"{"app":"com.example","environment":"Sandbox"}"#, true), (#"{"app":"com.example"}"#, true),
        (#"{"environment":"Sandbox"}"#, true), ("{}", true), ("no JSON", true), (#"{"app":7}"#, true),
        (#"{"app":"com.other","environment":"Sandbox"}"#, false), (#"{"environment":"Production"}"#, false),
    ])
    func `An erasure removes a stored response unless it names another app or environment`(
        _ body: String?, _ isRemoved: Bool
    ) {
        let answer = body.map { IdempotentRequest.StoredResponse(status: 200, type: nil, body: Data($0.utf8)) }
        #expect(Erasure.removes(answer, about: "com.example", in: "Sandbox") == isRemoved)
    }

    @Test func `An erasure assigns the customer's purchases to the stand-in`() {
        let erasure = Self.erasure
        let none = ClaimHistory([])
        func taken(_ claims: [ClaimEvent], named: String? = nil, account: [ClaimEvent] = []) -> ClaimEvent? {
            erasure.disowningClaim(
                for: Ownership(claims: ClaimHistory(claims), named: named, account: ClaimHistory(account)), of: "anna")
        }
        #expect(taken([], named: "anna") == ClaimEvent(at: 100, .take, erasure.standIn))
        #expect(taken([.init(at: 100, .take, "anna")]) == ClaimEvent(at: 101, .take, erasure.standIn))
        #expect(taken([], named: "ben") == nil)
        #expect(taken([.init(at: 5, .take, erasure.standIn)], named: "anna") == nil)
        #expect(erasure.disowningClaim(for: Ownership(claims: none, named: nil, account: none), of: "anna") == nil)
    }

    /// Imports apply erasures of long ago again.
    @Test func `An erasure does not take a purchase that the customer claimed after it`() {
        let (erasure, none) = (Self.erasure, ClaimHistory([]))
        let renamed = ClaimEvent(at: 5, .take, erasure.standIn)
        let reclaimed = ClaimHistory([renamed, ClaimEvent(at: 101, .take, "anna")])
        for named in [nil, "anna"] {
            #expect(
                erasure.disowningClaim(for: Ownership(claims: reclaimed, named: named, account: none), of: "anna")
                    == nil)
        }
        #expect(erasure.disowningClaim(for: Ownership(claims: none, named: nil, account: reclaimed), of: "anna") == nil)
        // A signed app account token is not a claim.
        let bySignature = erasure.disowningClaim(
            for: Ownership(claims: none, named: "anna", account: reclaimed), of: "anna")
        #expect(bySignature == ClaimEvent(at: 100, .take, erasure.standIn))
    }

    @Test(arguments: [(99 as Milliseconds, true), (100, true), (101, false)])
    func `An erasure that is applied again after an import does not change what is later`(
        _ instant: Milliseconds, _ isCovered: Bool
    ) {
        let date = Date(milliseconds: instant)
        let purchase = Lineage(
            originalTransactionID: "o",
            transactions: [
                TransactionFact(
                    transactionID: "o", originalTransactionID: "o", productID: "gold", type: .autoRenewableSubscription,
                    purchaseDate: date, signedDate: date)
            ])
        #expect(Self.erasure.covers(purchase, isRepeated: true) == isCovered)
        #expect(Self.erasure.covers(purchase, isRepeated: false))
        #expect((instant <= Self.erasure.reach(isRepeated: true)) == isCovered)
        #expect(Self.erasure.reach(isRepeated: false) == .max)
    }

    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var customer: String?
        var notification: Int64?
        var data: String?
        /// Nil if the event stays unchanged.
        var renamed: (customer: String?, data: String?)?
    }

    static let cases = [
        Case(
            testDescription: "the customer's event, created by the server", customer: "anna", data: "{}",
            renamed: (erasure.standIn, nil)),
        Case(
            testDescription: "another customer's event whose data name the former owner", customer: "ben", data: "{}",
            renamed: ("ben", nil)),
        Case(testDescription: "another customer's event without data", customer: "ben"),
        Case(
            testDescription: "the customer's event of a notification", customer: "anna", notification: 7,
            renamed: (erasure.standIn, nil)),
        Case(testDescription: "another customer's event of a notification", customer: "ben", notification: 7),
    ]

    @Test(arguments: cases) func `An erasure removes the customer's name and data from events`(_ testCase: Case) {
        let event = LedgerEvent(
            id: "e", scope: 1, type: .purchaseTransferred, originalTransactionID: "o", customer: testCase.customer,
            notification: testCase.notification, occurredAt: 500, createdAt: 500, data: testCase.data)
        let renamed = Self.erasure.renamed(event, of: "anna")
        #expect(renamed?.customer == testCase.renamed?.customer)
        #expect(renamed?.data == testCase.renamed?.data)
        #expect((renamed == nil) == (testCase.renamed == nil))
        #expect(renamed.map { $0.id == "e" && $0.occurredAt == 500 } ?? true)
    }
}
