import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

@Suite struct `Notification kinds in events and webhooks` {
    @Test(arguments: KindExpectation.documented + KindExpectation.others)
    func `A kind of notification has the expected event, compatible names and sentence`(_ expected: KindExpectation)
        throws
    {
        let event = EventType(expected.type, expected.subtype)
        #expect(event.rawValue == expected.event)
        #expect(CompatibleEvent.events(of: event).map(\.rawValue) == expected.compatible)
        #expect(Self.sentence(expected) == expected.bare)
        guard let sentence = expected.sentence else { return }
        guard let purchase = try Self.purchase(expected.type, expected.subtype) else {
            #expect(expected.bare == sentence)
            return
        }
        #expect(Self.sentence(expected, purchase.transaction, purchase.renewalInfo) == sentence)
        // Without a transaction, the sentence uses the renewal's product.
        if let info = purchase.renewalInfo, expected.bare.contains("a product") {
            #expect(Self.sentence(expected, nil, info).contains(info.productId))
        }
    }

    @Test func `Every kind that Apple documents has an expectation`() {
        #expect(
            KindExpectation.documented.map { NotificationKind.name($0.type, $0.subtype) }
                == NotificationKind.all.map(\.name)
        )
    }

    @Test(
        arguments: [
            (0, 1, .purchased, "Bought coins for free."), (0, 3, .purchased, "Bought coins (3 times) for free."),
            (990, 1, .purchased, "Bought coins for 0.99 USD."),
            (0, 1, .familyShared, "Bought coins (shared by the family)."),
            (0, 1, .assigned, "Bought coins (assigned)."),
        ] as [(Int64, Int32, InAppOwnershipType, String)])
    func `The sentence shows price and quantity in readable form, or that a purchase is shared or assigned`(
        _ price: Int64, _ quantity: Int32, _ ownership: InAppOwnershipType, _ sentence: String
    ) throws {
        var transaction = try #require(try Self.purchase(.oneTimeCharge)).transaction
        (transaction.price, transaction.quantity) = (price, quantity)
        transaction.inAppOwnershipType = ownership
        let expected = try Self.expectation(.oneTimeCharge)
        #expect(Self.sentence(expected, transaction) == sentence)
    }

    @Test(
        arguments: [
            (.purchased, 9.99), (.familyShared, 0), (.assigned, 0), (InAppOwnershipType(rawValue: "LATER"), 0),
        ] as [(InAppOwnershipType, Double)])
    func `The compatible payload has no price of a purchase that somebody else paid for`(
        _ ownership: InAppOwnershipType, _ price: Double
    ) throws {
        var transaction = try #require(try Self.purchase(.oneTimeCharge)).transaction
        (transaction.price, transaction.currency, transaction.inAppOwnershipType) = (9990, "USD", ownership)
        let payload = ResponseBodyV2DecodedPayload(
            notificationType: .oneTimeCharge, subtype: nil, notificationUUID: "", version: "2.0",
            signedDate: .distantPast)
        let type = EventType(.oneTimeCharge, nil)
        let context = EventContext(
            event: LedgerEvent(id: "evt_1", scope: 1, type: type, occurredAt: 0, createdAt: 0),
            delivery: WebhookDelivery(
                id: 1, endpoint: 1, event: 1, variant: 0, state: .pending, attempts: 0, createdAt: 0,
                eventID: "evt_1", eventType: type),
            appEnvironment: nil, parts: NotificationParts(payload: payload, transaction: transaction))
        let body = try #require(CompatibleJSON.body(context, as: .nonRenewingPurchase))
        for member in ["price", "price_in_purchased_currency"] {
            #expect(JSON(Data(body))["event"][member].number == price, "\(member)")
        }
    }

    @Test(
        arguments: [
            (.familyShared, .familyRevoke, "Lost gold (shared by the family) on 1 January 2026: sharing ended."),
            (.assigned, nil, "Lost gold (assigned) on 1 January 2026: the assignment ended."),
            (.assigned, .assignmentRevoke, "Lost gold (assigned) on 1 January 2026: the assignment ended."),
        ] as [(InAppOwnershipType, RevocationType?, String)])
    func `The sentence about a revoked purchase says whether sharing or the assignment of a seat ended`(
        _ ownership: InAppOwnershipType, _ type: RevocationType?, _ sentence: String
    ) throws {
        var transaction = try #require(try Self.purchase(.revoke)).transaction
        (transaction.inAppOwnershipType, transaction.revocationType) = (ownership, type)
        let expected = try Self.expectation(.revoke)
        #expect(Self.sentence(expected, transaction) == sentence)
    }

    @Test(
        arguments: [
            (.voluntary, .familyShared, "gold (shared by the family) expired: the purchaser had cancelled."),
            (
                .priceIncrease, .assigned,
                "gold (assigned) expired: the purchaser did not agree to the higher price."
            ),
        ] as [(NotificationSubtype, InAppOwnershipType, String)])
    func `The sentence about a shared or assigned subscription does not say that the customer ended it`(
        _ subtype: NotificationSubtype, _ ownership: InAppOwnershipType, _ sentence: String
    ) throws {
        var transaction = try #require(try Self.purchase(.expired, subtype)).transaction
        transaction.inAppOwnershipType = ownership
        let expected = try Self.expectation(.expired, subtype)
        #expect(Self.sentence(expected, transaction) == sentence)
    }

    @Test func `The sentence about a cancellation names the end of the commitment`() throws {
        var transaction = try #require(try Self.purchase(.didChangeRenewalStatus, .autoRenewDisabled)).transaction
        transaction.commitmentInfo = TransactionCommitmentInfo(
            commitmentExpiresDate: Date(timeIntervalSince1970: 1_798_761_600))
        let expected = try Self.expectation(.didChangeRenewalStatus, .autoRenewDisabled)
        #expect(Self.sentence(expected, transaction) == "Cancelled: gold ends on 1 January 2027.")
        // A cancellation in a grace period or in billing retry ends the subscription at once.
        transaction.commitmentInfo = nil
        let end = try #require(transaction.expiresDate)
        #expect(Self.sentence(expected, transaction, signed: end) == "Cancelled: gold ends.")
    }

    @Test func `The sentence about a change of the product names that of the next commitment`() throws {
        let purchase = try #require(try Self.purchase(.didChangeRenewalPref, .downgrade))
        var transaction = purchase.transaction
        var renewal = try #require(purchase.renewalInfo)
        // Until the commitment ends, each month renews with the same product.
        renewal.autoRenewProductId = renewal.productId
        renewal.commitmentInfo = RenewalCommitmentInfo(commitmentAutoRenewProductId: "plus")
        transaction.commitmentInfo = TransactionCommitmentInfo(
            commitmentExpiresDate: Date(timeIntervalSince1970: 1_798_761_600))
        let expected = try Self.expectation(.didChangeRenewalPref, .downgrade)
        #expect(Self.sentence(expected, transaction, renewal) == "Will change to plus on 1 January 2027.")
    }

    @Test(
        arguments: [
            ("gold", "Changed their mind: gold will renew again."),
            ("plus", "Changed their mind: gold will renew again into plus."),
        ])
    func `The sentence about a renewal that was turned on again names the product of a pending change`(
        _ next: String, _ sentence: String
    ) throws {
        let purchase = try #require(try Self.purchase(.didChangeRenewalStatus, .autoRenewEnabled))
        var renewal = try #require(purchase.renewalInfo)
        renewal.autoRenewProductId = next
        let expected = try Self.expectation(.didChangeRenewalStatus, .autoRenewEnabled)
        #expect(Self.sentence(expected, purchase.transaction, renewal) == sentence)
    }

    @Test(
        arguments: [
            (nil, "Refunded: gold on 1 January 2026, the period until 16 January 2026."),
            (.refundFull, "Refunded: gold on 1 January 2026, the period until 16 January 2026."),
            (.refundProrated, "Refunded in part: gold on 1 January 2026, the period until 16 January 2026."),
        ] as [(RevocationType?, String)])
    func `The sentence about a refund says whether only a part was refunded`(
        _ type: RevocationType?, _ sentence: String
    ) throws {
        var transaction = try #require(try Self.purchase(.refund)).transaction
        transaction.revocationType = type
        let expected = try Self.expectation(.refund)
        #expect(Self.sentence(expected, transaction) == sentence)
    }

    @Test func `The sentence about a refund of some items says that only a part was refunded`() throws {
        var transaction = try #require(try Self.purchase(.refund)).transaction
        (transaction.revocationType, transaction.revocationDate) = (nil, nil)
        let expected = try Self.expectation(.refund)
        #expect(
            Self.sentence(expected, transaction)
                == "Refunded in part: gold, the period until 16 January 2026.")
    }

    @Test func `The documentation lists every event with its notifications and compatible names`() throws {
        let own = [
            EventType.purchaseLinked, .purchaseTransferred, .webhookTest, .grantCreated, .grantRevoked, .grantExpired,
        ].map { "| `\($0.rawValue)` |" }
        let text = try Fixtures.file("docs/webhooks.md")
        let documented = text.split(separator: "\n").drop { $0 != "| event | from | compatible |" }.dropFirst(2)
            .prefix { $0.hasPrefix("|") }.map(String.init)
            .filter { row in !own.contains { row.hasPrefix($0) } }
        let kinds = Dictionary(grouping: NotificationKind.all, by: \.event).sorted { $0.key < $1.key }
        #expect(documented == kinds.map { Self.row($0.key, $0.value) })
    }

    /// Returns a row of the documentation's table of events.
    private static func row(_ event: String, _ kinds: [NotificationKind]) -> String {
        var from: [String] = []
        for kind in kinds {
            // The subtype is named only if the type alone has another event.
            let typeSuffices = NotificationKind.closest(to: kind.type, nil)?.event == event
            let name = kind.type.rawValue + (typeSuffices ? "" : kind.subtype.map { "/" + $0.rawValue } ?? "")
            if !from.contains("`\(name)`") { from.append("`\(name)`") }
        }
        let names = (kinds.first?.compatible ?? []).map { "`\($0.rawValue)`" }.joined(separator: ", ")
        return "| `\(event)` | \(from.joined(separator: ", ")) | \(names.isEmpty ? "—" : names) |"
    }

    /// Returns the purchase in the notification that a trigger causes in the shop on 1 January 2026; nil if it has none.
    private static func purchase(
        _ type: NotificationTypeV2, _ subtype: NotificationSubtype? = nil
    ) throws -> NotificationRecord.Purchase? {
        var store = Store(
            environment: .production, app: SimulatedApp(), catalogue: .shop, settings: .production, seed: 1)
        _ = try store.trigger(TriggerRequest(type, subtype), at: Date(timeIntervalSince1970: 1_767_225_600))
        guard case .purchase(let purchase) = try #require(store.notifications.last).content else { return nil }
        return purchase
    }

    /// Without its contents, a notification in a timeline says why they are missing.
    @Test(
        arguments: [
            (.pending, "Received, not yet processed."),
            (.failed, "Received, but the data in it failed verification."),
            (.processed, "Received, but its signatures no longer verify."),
        ] as [(StoredNotification.State, String)])
    func `The sentence about a notification that cannot be read says why`(
        _ state: StoredNotification.State, _ sentence: String
    ) {
        var stored = StoredNotification(
            id: 1, scope: 1, uuid: "", type: "REFUND", signedDate: 0, receivedAt: 0, origin: .delivered, state: state,
            text: "text")
        #expect(TimelineSentence.text(stored, nil) == sentence)
        stored.text = ""
        #expect(TimelineSentence.text(stored, nil) == "Received, but its text is damaged on disk.")
    }

    private static func expectation(
        _ type: NotificationTypeV2, _ subtype: NotificationSubtype? = nil
    ) throws -> KindExpectation {
        try #require(KindExpectation.documented.first { $0.type == type && $0.subtype == subtype })
    }

    private static func sentence(
        _ expected: KindExpectation, _ transaction: JWSTransactionDecodedPayload? = nil,
        _ renewal: JWSRenewalInfoDecodedPayload? = nil, signed: Date = .distantPast
    ) -> String {
        let payload = ResponseBodyV2DecodedPayload(
            notificationType: expected.type, subtype: expected.subtype, notificationUUID: "", version: "2.0",
            signedDate: signed)
        let stored = StoredNotification(
            id: 1, scope: 1, uuid: "", type: expected.type.rawValue, subtype: expected.subtype?.rawValue, signedDate: 0,
            receivedAt: 0, origin: .delivered, state: .processed, text: "")
        let parts = NotificationParts(payload: payload, transaction: transaction, renewal: renewal)
        return TimelineSentence.text(stored, parts)
    }
}
