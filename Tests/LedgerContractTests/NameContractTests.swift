import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import Testing

/// Databases may treat names as equal that differ in case, normalization form or trailing spaces, and may sort them by
/// the rules of a language.
@Suite struct `The contract of names` {
    private static let long = String(repeating: "\u{E9}", count: 127)
    private static let names = [
        "9", "10", "a", "A", "B", "z", "_", "_a", "%", "a%", "'", "\\", " a", "a ", "K", "\u{212A}", "\u{E9}",
        "e\u{301}", "\u{FFFD}", "\u{1F600}", "\(long)x", "\(long)y",
    ].map { ExactText($0) }

    /// A refunded purchase with this identifier, by an Apple account with the same identifier.
    private static func purchase(_ name: ExactText, in appEnvironment: AppEnvironment) -> SignedFact {
        let fact = TransactionFact(
            transactionID: name.text, originalTransactionID: name.text, productID: "gold", type: .nonConsumable,
            purchaseDate: RandomFacts.start, signedDate: RandomFacts.start, revocationDate: RandomFacts.start,
            appTransactionID: name.text)
        return SignedFact(
            scope: appEnvironment.id, fact: .transaction(fact), origin: .app, receivedAt: 0, text: "text \(name.text)")
    }

    private static func endpoint(_ name: String, _ ledger: any LedgerEngine) async throws -> WebhookEndpoint? {
        try await ledger.addWebhook(.init(name: name, url: "https://example.com", secrets: []), at: 0)
    }

    @Test(arguments: Engine.allCases)
    func `A claim returns every purchase that it grants, sorted by bytes`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let claim = Claim(
                customer: "anna", scope: appEnvironment.id, originalTransactionIDs: Self.names.map(\.text),
                policy: .keepOriginal, claimedAt: 5)
            let outcome = try await ledger.claim(claim) { _ in true }
            guard case .granted(let originals) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(originals.map { ExactText($0) } == Self.names.sorted())
        }
    }

    @Test(arguments: Engine.allCases)
    func `Names that differ in one byte are different names everywhere`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            for (index, name) in Self.names.enumerated() {
                let text = name.text
                _ = try await ledger.commit([Self.purchase(name, in: appEnvironment)])
                let claim = Claim(
                    customer: text, scope: appEnvironment.id, originalTransactionIDs: [text], appTransactionID: text,
                    policy: .keepOriginal, claimedAt: 5)
                #expect(try await ledger.claim(claim) { _ in true } == .granted([text]), "\(text)")
                let report = UsageReport(consumptionPercentage: Int32(index), reportedAt: 5)
                try await ledger.record(report, of: text, in: appEnvironment.id)
                try await ledger.record(revision: text, of: text, in: appEnvironment.id, at: 5)
                try await ledger.add(requests: [text], in: appEnvironment.id, because: .restore, at: 5)
                for (key, client) in [(text, "c"), ("k", text)] {
                    let decision = try await ledger.beginRequest(
                        key, of: client, about: nil, fingerprint: Data([1]), at: 5, lockTimeout: 9)
                    #expect(decision == .proceed, "\(text)")
                }
                #expect(try await Self.endpoint(text, ledger) != nil, "\(text)")
                let received = ReceivedNotification(
                    scope: appEnvironment.id, uuid: text, type: "TEST", signedDate: 5, receivedAt: 5,
                    origin: .delivered,
                    text: "text")
                let insertion = try await ledger.commit(received: [received], processed: []).first
                #expect(insertion.map { $0 == .stored($0.id) } == true, "\(text)")
            }
            #expect(try await ledger.missingCounts(in: appEnvironment.id).historyRequests == Self.names.count)
            // One of the customers is erased.
            _ = try await ledger.erase("a", in: appEnvironment, at: 9)
            for (index, name) in Self.names.enumerated() {
                let text = name.text
                #expect(
                    try await ledger.historyMark(of: [text], in: appEnvironment.id)?.revision?.isExactly(text) == true)
                #expect(try await ledger.notification(text)?.uuid.isExactly(text) == true, "\(text)")
                let original = try await ledger.originalTransactionID(of: text, in: appEnvironment.id)
                #expect(original?.isExactly(text) == true, "\(text)")
                let expected = text == "a" ? [] : [name]
                let lineages = try await ledger.lineages(of: text, in: appEnvironment.id).map(\.originalTransactionID)
                #expect(lineages.map { ExactText($0) } == expected)
                let accounts = try await ledger.accounts(of: text, in: appEnvironment.id)
                #expect(accounts.map { ExactText($0) } == expected)
                let reports = try await ledger.usage(
                    of: text, transactionID: "t", productID: "p", in: appEnvironment.id)
                let percentages = reports.compactMap(\.consumptionPercentage)
                #expect(percentages == expected.map { _ in Int32(index) }, "\(text)")
                let erased = try await ledger.lastErasure(of: text, in: appEnvironment)
                #expect((erased == nil) != expected.isEmpty, "\(text)")
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `A transaction is found whose identifier is equal only as Unicode to that of the original transaction`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let fact = TransactionFact(
                transactionID: "e\u{301}", originalTransactionID: "\u{E9}", productID: "gold", type: .nonConsumable,
                purchaseDate: RandomFacts.start, signedDate: RandomFacts.start)
            _ = try await ledger.commit([
                SignedFact(
                    scope: appEnvironment.id, fact: .transaction(fact), origin: .app, receivedAt: 0, text: "text")
            ])
            let found = try await ledger.originalTransactionID(of: "e\u{301}", in: appEnvironment.id)
            #expect(found?.isExactly("\u{E9}") == true)
        }
    }

    @Test(arguments: Engine.allCases)
    func `A merge moves grants to a customer whose name is equal only as Unicode`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let (old, new) = ("e\u{301}", "\u{E9}")
            let content = GrantEvent.Content(customer: old, entitlement: "premium", reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g", content, in: appEnvironment.id, at: 5)
            _ = try await ledger.merge(old, into: new, in: appEnvironment.id, at: 6)
            #expect(try await ledger.grants(of: new, in: appEnvironment.id).map(\.id) == ["g"])
            #expect(try await ledger.grants(of: old, in: appEnvironment.id).isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Deliveries of customers whose names differ in one byte do not wait for each other`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            let endpoint = try #require(try await Self.endpoint("crm", ledger)).id
            for name in Self.names {
                _ = try await ledger.commit([Self.purchase(name, in: appEnvironment)])
                let claim = Claim(
                    customer: name.text, scope: appEnvironment.id, originalTransactionIDs: [name.text],
                    policy: .transfer,
                    claimedAt: 5)
                _ = try await ledger.claim(claim) { _ in true }
            }
            let target = FanOutTarget(endpoint: endpoint) { _, _ in 1 }
            #expect(try await ledger.fanOut(to: [target], within: .none, limit: 100, at: 6) == .done)
            let due = try await ledger.dueDeliveries(of: endpoint, at: 6, limit: 100)
            #expect(due.count == Self.names.count)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Lists are sorted by bytes, and every item is on exactly one page`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let (id, sorted) = (appEnvironment.id, Self.names.sorted())
            for name in Self.names.reversed() {
                _ = try await ledger.commit([Self.purchase(name, in: appEnvironment)])
                _ = try await Self.endpoint(name.text, ledger)
            }
            var (found, after): ([ExactText], String?) = ([], "")
            while let place = after {
                after = try await ledger.summaries(after: place, in: id, limit: 1).first?.originalTransactionID
                if let after { found.append(ExactText(after)) }
            }
            #expect(found == sorted, "summaries")
            (found, after) = ([], "")
            while let place = after {
                let page = try await ledger.unclaimedPurchases(in: id, after: place, limit: 1)
                (found, after) = (found + page.items.map { ExactText($0.originalTransactionID) }, page.next)
            }
            #expect(found == sorted, "unclaimed purchases")
            found = []
            var query = SegmentQuery(.refunded, in: id, at: RandomFacts.start.milliseconds + 1, limit: 1)
            repeat {
                let page = try await ledger.members(query)
                found += page.items.map { ExactText($0.lineage.originalTransactionID) }
                query.after = page.next
            } while query.after != nil
            #expect(found == sorted, "a segment")
            let all = Self.names.map(\.text)
            #expect(try await ledger.webhookEndpoints().map { ExactText($0.name) } == sorted)
            let relatives = try await ledger.identifiersOfSameAccountPurchases(of: all, in: id)
            #expect(relatives.map { ExactText($0) } == sorted)
            let ofAccounts = try await ledger.lineages(ofAccounts: all, in: id)
            #expect(ofAccounts.map { ExactText($0.originalTransactionID) } == sorted)
            let claim = Claim(
                customer: "anna", scope: id, originalTransactionIDs: all, policy: .share, claimedAt: 5)
            _ = try await ledger.claim(claim) { _ in true }
            let lineages = try await ledger.lineages(of: "anna", in: id)
            #expect(lineages.map { ExactText($0.originalTransactionID) } == sorted)
            _ = try await ledger.merge("anna", into: "ben", in: id, at: 6)
            let held = try await ledger.purchases(ownedBy: "ben", in: id)
            #expect(held.map { ExactText($0.lineage.originalTransactionID) } == sorted)
        }
    }

    /// Detects engines that collect results in a dictionary with text keys, or sort with Swift's string order.
    @Test(arguments: Engine.allCases)
    func `Grants, original purchases and accounts whose names differ in one byte are each listed once, by bytes`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let (id, sorted) = (appEnvironment.id, Self.names.sorted())
            for name in Self.names.reversed() {
                let content = GrantEvent.Content(
                    customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
                _ = try await ledger.createGrant(name.text, content, in: id, at: 5)
                let fact = OriginalPurchaseFact(
                    applicationVersion: "1", purchaseDate: RandomFacts.start, appTransactionID: name.text,
                    signedDate: RandomFacts.start)
                let first = OriginalPurchase(
                    scope: id, subject: name.text, kind: .appTransaction, fact: fact, origin: .app, receivedAt: 5,
                    text: "text \(name.text)")
                try await ledger.store([first])
                let claim = Claim(
                    customer: "anna", scope: id, originalTransactionIDs: [name.text], appTransactionID: name.text,
                    policy: .transfer, claimedAt: 5)
                _ = try await ledger.claim(claim) { _ in true }
            }
            #expect(try await ledger.grants(of: "anna", in: id).map { ExactText($0.id) } == sorted)
            let held = try await ledger.originalPurchases(ownedBy: "anna", in: id)
            #expect(held.map { ExactText($0.purchase.subject) } == sorted)
            #expect(try await ledger.accounts(of: "anna", in: id).map { ExactText($0) } == sorted)
            var (found, place): ([ExactText], TimelinePosition?) = ([], TimelinePosition(date: .max))
            while let after = place, found.count < 999 {
                let items = try await ledger.timeline(of: "anna", in: id, after: after, limit: 1)
                found += items.map { ExactText($0.position.name) }
                place = items.last?.position
            }
            let happened = (sorted + sorted.map { ExactText("\($0.text).created") }).sorted()
            let expected = Array(sorted.reversed()) + Array(happened.reversed())
            #expect(found == expected)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Notifications signed at the same instant are sorted by the bytes of their UUIDs`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            let fact = TransactionFact(
                transactionID: "1", originalTransactionID: "1", productID: "gold", type: .nonConsumable,
                purchaseDate: RandomFacts.start, signedDate: RandomFacts.start)
            for name in Self.names.reversed() {
                let received = ReceivedNotification(
                    scope: appEnvironment.id, uuid: name.text, type: "DID_RENEW", signedDate: 5, receivedAt: 5,
                    origin: .delivered, text: "text")
                let id = try #require(try await ledger.commit(received: [received], processed: []).first?.id)
                let processed = ProcessedNotification(
                    id: id, scope: appEnvironment.id, uuid: name.text, type: .didRenew, signedDate: 5,
                    transaction: fact,
                    processedAt: 5)
                _ = try await ledger.commit(received: [], processed: [processed])
            }
            let notifications = try await ledger.notifications(about: "1", in: appEnvironment.id, limit: 99)
            #expect(notifications.map { ExactText($0.uuid) } == Self.names.sorted())
        }
    }

    @Test(arguments: Engine.allCases)
    func `Customers who share a purchase are sorted by bytes, and its events name the first`(
        _ engine: Engine
    ) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            _ = try await ledger.commit([Self.purchase(ExactText("1"), in: appEnvironment)])
            for name in Self.names.reversed() {
                let claim = Claim(
                    customer: name.text, scope: appEnvironment.id, originalTransactionIDs: ["1"], policy: .share,
                    claimedAt: 5)
                #expect(try await ledger.claim(claim) { _ in true } == .granted(["1"]))
            }
            let sorted = Self.names.sorted()
            #expect(try await ledger.owners(of: "1", in: appEnvironment.id).map { ExactText($0) } == sorted)
            let received = ReceivedNotification(
                scope: appEnvironment.id, uuid: "00000000-0000-4000-8000-000000000001", type: "DID_RENEW",
                signedDate: 5,
                receivedAt: 5, origin: .delivered, text: "text")
            let id = try #require(try await ledger.commit(received: [received], processed: []).first?.id)
            let fact = TransactionFact(
                transactionID: "1", originalTransactionID: "1", productID: "gold", type: .nonConsumable,
                purchaseDate: RandomFacts.start, signedDate: RandomFacts.start)
            let processed = ProcessedNotification(
                id: id, scope: appEnvironment.id, uuid: received.uuid, type: .didRenew, signedDate: 5,
                transaction: fact,
                processedAt: 5)
            _ = try await ledger.commit(received: [], processed: [processed])
            let event = try #require(try await ledger.event(try await ledger.lastEvent())?.event)
            #expect(event.customer.map { ExactText($0) } == sorted.first)
        }
    }
}
