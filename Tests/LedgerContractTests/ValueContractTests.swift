import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import Testing

@Suite struct `The contract of values` {
    private static func notification(
        _ number: Int, signed: Milliseconds = 0, in scope: Int64
    ) -> ReceivedNotification {
        ReceivedNotification(
            scope: scope, uuid: notificationUUID(number), type: "DID_RENEW", signedDate: signed,
            receivedAt: signed, origin: .delivered, text: "text \(number)")
    }

    private static let texts = [
        "", "a\u{0}b", "\u{0}", "\u{1F600}\u{FFFD}", String(repeating: "\u{E9}", count: 1000),
    ]

    /// PostgreSQL does not allow U+0000 in text. Paths, responses of other servers and bodies may contain it.
    @Test(arguments: Engine.allCases, texts.indices)
    func `Untrusted texts are stored unchanged`(_ engine: Engine, _ index: Int) async throws {
        let text = Self.texts[index]
        try await engine.withLedger { ledger, found in
            let scope = found.id
            let entry = AuditEntry(
                at: 1, actor: text, session: text, address: text, action: text, target: text, detail: text, result: text
            )
            try await ledger.appendAudit([entry, entry])
            let entries = try await ledger.audit(AuditFilter(), before: .max, limit: 9).items
            #expect(entries.map(\.entry) == [entry, entry])
            #expect(entries.map(\.isChained) == [true, true])
            let refusal = Refusal(receivedAt: 1, code: text, message: text, sender: text, body: Data(text.utf8))
            try await ledger.commit([refusal])
            #expect(try await ledger.refusals(before: .max, limit: 9).map(\.refusal) == [refusal])
            let counts = try await ledger.refusalCounts(from: 0, to: 9, amongLast: 9)
            #expect(counts == [text: 1])
            let received = Self.notification(1, in: scope)
            let id = try #require(try await ledger.commit(received: [received], processed: []).first?.id)
            try await ledger.fail(id, code: text, message: text, at: 1)
            #expect(try await ledger.notification(received.uuid)?.failure == text)
            #expect(try await ledger.failedNotifications(code: text, in: [scope], limit: 9) == [id])
            let item = UnverifiedItem(digest: Data([1]), claimedUUID: text, code: text, message: text)
            try await ledger.replaceUnverified(with: [item], ofHistory: text, in: scope, at: 1)
            let missing = StoredUnverifiedItem(
                claimedUUID: text, history: text, code: text, message: text, noticedAt: 1)
            #expect(try await ledger.missingItems(in: scope).unverifiedItems == [missing])
            let plan = RecoveryPlan.requested(scope, from: 0, until: 9, filters: [], RecoverySettings())
            let recovery = try await ledger.begin(plan, at: 1)
            try await ledger.record(failure: text, of: recovery, isGivenUp: false, at: 1)
            #expect(try await ledger.recovery(recovery)?.failure == text)
        }
    }

    /// JSON may contain U+0000 as an escape, and some databases refuse that too.
    @Test(arguments: Engine.allCases, texts.indices)
    func `Texts of requests, and of the responses to webhooks, are stored unchanged`(
        _ engine: Engine, _ index: Int
    ) async throws {
        let text = Self.texts[index]
        try await engine.withLedger { ledger, found in
            let scope = found.id
            let content = GrantEvent.Content(customer: "anna", entitlement: text, reason: text, actor: text)
            _ = try await ledger.createGrant("g", content, in: scope, at: 1)
            let grant = try #require(try await ledger.grants(of: "anna", in: scope).first)
            #expect([grant.entitlement, grant.reason, grant.actor] == [text, text, text])
            let report = UsageReport(productID: text, consumptionPercentage: 5, reportedAt: 1)
            try await ledger.record(report, of: "anna", in: scope)
            let usage = try await ledger.usage(of: "anna", transactionID: "t", productID: text, in: scope)
            #expect(usage.first?.consumptionPercentage == 5)
            try await ledger.add(requests: ["1"], in: scope, because: .restore, at: 1)
            let request = try #require(try await ledger.dueHistoryRequests(in: scope, at: 1, limit: 9).first)
            try await ledger.postpone(request, until: 1, code: text)
            #expect(try await ledger.dueHistoryRequests(in: scope, at: 1, limit: 9).map(\.failure) == [text])
            let response = IdempotentRequest.StoredResponse(
                status: 201, type: text, location: text, body: Data(text.utf8))
            for expected in [IdempotencyDecision.proceed, .repeats(response)] {
                let decision = try await ledger.beginRequest(
                    "k", of: "c", about: nil, fingerprint: Data([1]), at: 1, lockTimeout: 9)
                #expect(decision == expected)
                try await ledger.endRequest("k", of: "c", begunAt: 1, with: response)
            }
            var definition = WebhookDefinition(name: "crm", url: text, secrets: [Secret(text)])
            definition.events = [text]
            let endpoint = try #require(try await ledger.addWebhook(definition, at: 1)).id
            let stored = try #require(try await ledger.webhookEndpoints().first?.definition)
            #expect(stored.url == text && stored.secrets.map(\.revealed) == [text] && stored.events == [text])
            let test = LedgerEvent(id: "evt_t", scope: scope, type: .webhookTest, occurredAt: 1, createdAt: 1)
            let delivery = try #require(try await ledger.addWebhookTest(test, to: endpoint)).id
            var outcome = DeliveryOutcome(delivery: delivery, endpoint: endpoint, result: .failed, error: text)
            outcome.attempt = DeliveryAttempt(at: 1, milliseconds: 1, error: text)
            _ = try await ledger.record([outcome], disableAfter: .max, at: 1)
            #expect(try await ledger.delivery(delivery, of: endpoint)?.lastError == text)
            #expect(try await ledger.attempts(of: delivery, limit: 9).map(\.error) == [text])
        }
    }

    /// Detects engines that compare the texts in the form in which they store them.
    @Test(arguments: Engine.allCases, [[0, 1], [1, 0]])
    func `Of two texts with the same fact the one with the greater bytes stays, in any order of arrival`(
        _ engine: Engine, _ order: [Int]
    ) async throws {
        // The headers are `a` and `b`, whose digests by SHA-256 have the opposite order.
        let texts = ["a.e30.c2ln", "b.e30.c2ln"]
        try await engine.withLedger { ledger, found in
            let (scope, date) = (found.id, RandomFacts.start)
            let fact = TransactionFact(
                transactionID: "1", originalTransactionID: "1", productID: "gold", type: .nonConsumable,
                purchaseDate: date, signedDate: date)
            let original = OriginalPurchaseFact(
                applicationVersion: "1", purchaseDate: date, appTransactionID: "account", signedDate: date)
            for text in order.map({ texts[$0] }) {
                let signedFact = SignedFact(
                    scope: scope, fact: .transaction(fact), origin: .app, receivedAt: 5, text: text)
                _ = try await ledger.commit([signedFact])
                let purchase = OriginalPurchase(
                    scope: scope, subject: "account", kind: .appTransaction, fact: original, origin: .app,
                    receivedAt: 5, text: text)
                try await ledger.store([purchase])
            }
            let claim = Claim(
                customer: "anna", scope: scope, originalTransactionIDs: ["1"], appTransactionID: "account",
                policy: .keepOriginal, claimedAt: 5)
            _ = try await ledger.claim(claim) { _ in true }
            let sources = try await ledger.sources(of: [FactSelection("1")], notifications: true, in: scope)
            let signed = sources.compactMap { fact -> String? in
                guard case .signedFact(let stored) = fact.source else { return nil }
                return stored.text
            }
            #expect(signed == ["b.e30.c2ln"])
            let purchases = try await ledger.originalPurchases(ownedBy: "anna", in: scope)
            #expect(purchases.map(\.purchase.text) == ["b.e30.c2ln"])
        }
    }

    /// From the first millisecond of the year 1 to the last one of the year 9999.
    @Test(arguments: Engine.allCases)
    func `Instants before 1970 and in the far future are stored unchanged`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, found in
            let scope = found.id
            let instants: [Milliseconds] = [-62_135_596_800_000, -86_400_001, -1, 0, 1, 253_402_300_799_999]
            for (number, instant) in instants.enumerated() {
                let date = Date(milliseconds: instant)
                let fact = TransactionFact(
                    transactionID: "\(number)", originalTransactionID: "\(number)", productID: "gold",
                    type: .autoRenewableSubscription, purchaseDate: date, expiresDate: date, signedDate: date,
                    revocationDate: date)
                let renewal = RenewalFact(
                    originalTransactionID: "\(number)", productID: "gold", autoRenewProductID: "gold",
                    willRenew: true, isInBillingRetry: false, gracePeriodExpiresDate: date, renewalDate: date,
                    signedDate: date)
                let received = Self.notification(number, signed: instant, in: scope)
                let id = try #require(try await ledger.commit(received: [received], processed: []).first?.id)
                #expect(try await ledger.backlog().oldest == instant)
                let processed = ProcessedNotification(
                    id: id, scope: scope, uuid: received.uuid, type: .didRenew, signedDate: instant,
                    transaction: fact, renewal: renewal, processedAt: instant)
                _ = try await ledger.commit(received: [], processed: [processed])
                let lineage = try await ledger.lineage("\(number)", in: scope)
                #expect(lineage?.transactions == [fact] && lineage?.renewal == renewal, "\(instant)")
                let stored = try await ledger.notification(received.uuid)
                #expect(stored?.signedDate == instant && stored?.receivedAt == instant)
            }
            let page = try await ledger.events(FeedQuery(after: 0, scopes: [scope], limit: 9), within: .none)
            #expect(page.items.map(\.event.occurredAt) == instants)
            #expect(page.items.map(\.event.createdAt) == instants)
        }
    }

    /// An engine may mark a delivery that is not due yet with an instant.
    @Test(arguments: Engine.allCases, [-9, -1] as [Milliseconds])
    func `A delivery is due, and due again after a failure, also while the clock shows a time before 1970`(
        _ engine: Engine, _ now: Milliseconds
    ) async throws {
        try await engine.withLedger { ledger, _ in
            let endpoint = try await ledger.addEndpoint()
            let event = LedgerEvent(id: "evt_1", scope: 1, type: .webhookTest, occurredAt: now, createdAt: now)
            let delivery = try #require(try await ledger.addWebhookTest(event, to: endpoint.id))
            #expect(delivery.due == now)
            for result in [DeliveryOutcome.Result.retry(at: now, body: nil), .delivered] {
                let due = try await ledger.dueDeliveries(of: endpoint.id, at: now, limit: 9)
                #expect(due.map(\.id) == [delivery.id], "\(result)")
                let outcome = DeliveryOutcome(delivery: delivery.id, endpoint: endpoint.id, result: result)
                _ = try await ledger.record([outcome], disableAfter: .max, at: now)
            }
            #expect(try await ledger.dueDeliveries(of: endpoint.id, at: now, limit: 9).isEmpty)
        }
    }

    /// The App Store signs whole milliseconds only.
    @Test(arguments: Engine.allCases, [-0.4, -0.0006, -0.0004, 0.0004, 0.0006, 0.4] as [TimeInterval])
    func `Fractions of a millisecond are rounded off in stored facts`(_ engine: Engine, _ fraction: TimeInterval)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            func facts(at date: Date) -> (TransactionFact, RenewalFact) {
                (
                    TransactionFact(
                        transactionID: "1", originalTransactionID: "1", productID: "gold",
                        type: .autoRenewableSubscription, purchaseDate: date, expiresDate: date + 9,
                        signedDate: date, revocationDate: date + 5),
                    RenewalFact(
                        originalTransactionID: "1", productID: "gold", autoRenewProductID: "gold", willRenew: true,
                        gracePeriodExpiresDate: date + 9, renewalDate: date + 5, signedDate: date)
                )
            }
            let date = RandomFacts.start + fraction
            let (transaction, renewal) = facts(at: date)
            let signedFacts = [SignedFact.Fact.transaction(transaction), .renewal(renewal)].enumerated().map {
                SignedFact(
                    scope: appEnvironment.id, fact: $0.element, origin: .app, receivedAt: 0, text: "text \($0.offset)")
            }
            #expect(try await ledger.commit(signedFacts) == 2)
            let received = Self.notification(1, in: appEnvironment.id)
            let id = try #require(try await ledger.commit(received: [received], processed: []).first?.id)
            let processed = ProcessedNotification(
                id: id, scope: appEnvironment.id, uuid: received.uuid, type: .didRenew, signedDate: 0,
                transaction: transaction,
                renewal: renewal, processedAt: 0)
            let expected = facts(at: Date(milliseconds: date.milliseconds))
            for _ in 0..<2 {
                let lineage = try await ledger.lineage("1", in: appEnvironment.id)
                #expect(lineage?.transactions == [expected.0] && lineage?.renewal == expected.1)
                _ = try await ledger.commit(received: [], processed: [processed])
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `An event is read as it was added`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, found in
            let scope = found.id
            let content = GrantEvent.Content(customer: "anna", entitlement: "pro", reason: "sorry", actor: "team")
            _ = try await ledger.createGrant("g", content, in: scope, at: 5)
            let made = try #require(try await ledger.event(try await ledger.lastEvent())?.event)
            #expect(made.customer == "anna" && made.data?.contains("sorry") == true && !made.isLate)
            #expect(try await ledger.lastEventsOfCustomers(in: scope, limit: 9, amongLast: 99) == [made])
            // The notification with the later signing date is processed first.
            var (facts, late) = (RandomFacts(seed: 1), [Bool?]())
            for number in [2, 1] {
                let received = Self.notification(number, signed: Int64(number), in: scope)
                let id = try #require(try await ledger.commit(received: [received], processed: []).first?.id)
                let processed = ProcessedNotification(
                    id: id, scope: scope, uuid: received.uuid, type: .didRenew, signedDate: received.signedDate,
                    transaction: facts.transaction("1"), processedAt: 9)
                _ = try await ledger.commit(received: [], processed: [processed])
                late.append(try await ledger.event(try await ledger.lastEvent())?.event.isLate)
            }
            #expect(late == [false, true])
        }
    }
}
