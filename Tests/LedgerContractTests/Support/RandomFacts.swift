import AppStoreModels
import Entitlements
import Foundation
import Ledger
import TestSupport

/// Facts about a few purchases that contradict each other as often as possible: different contents with the same date,
/// changing accounts, two texts under one UUID.
struct RandomFacts {
    static let start = Date(milliseconds: 1_800_000_000_000)
    static let tokens = ["00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"]
    static let customers = ["anna", "bob"] + tokens
    static let originals = ["1", "2", "3", "4"]
    static let accounts = ["x", "y"]

    var random: SeededGenerator
    /// Numbers the texts, so that each text is unique.
    private var texts = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func pick<Element>(_ choices: [Element], or other: Element) -> Element {
        choices.randomElement(using: &random) ?? other
    }

    mutating func isOneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    mutating func days(_ range: ClosedRange<Int>) -> Date {
        Self.start + Double(Int.random(in: range, using: &random)) * 86_400
    }

    mutating func original() -> String { pick(Self.originals, or: "1") }

    mutating func text() -> String {
        texts += 1
        return "text \(10_000 + texts)"
    }

    mutating func transaction(_ original: String) -> TransactionFact {
        // The type of a purchase never changes, and a consumable has one transaction.
        let isSubscription = original != "4"
        let id = isOneIn(3) || !isSubscription ? original : "\(original)\(Int.random(in: 0..<3, using: &random))"
        let bought = days(0...3)
        return TransactionFact(
            transactionID: id, originalTransactionID: original, productID: isSubscription ? "gold" : "coins",
            type: isSubscription ? .autoRenewableSubscription : .consumable, purchaseDate: bought,
            expiresDate: isSubscription ? bought + 86_400 * 4 : nil,
            subscriptionGroupIdentifier: isSubscription ? "group" : nil, signedDate: days(0...3),
            revocationDate: isOneIn(6) ? days(2...4) : nil, isUpgraded: isOneIn(8),
            ownership: isOneIn(5) ? .familyShared : .purchased, offerType: isOneIn(4) ? .introductory : nil,
            offerDiscountType: isOneIn(3) ? .freeTrial : nil,
            appAccountToken: isOneIn(3) ? UUID(uuidString: pick(Self.tokens, or: "")) : nil,
            appTransactionID: isOneIn(2) ? pick(Self.accounts, or: "x") : nil,
            previousOriginalTransactionID: isOneIn(6) ? self.original() : nil, price: isOneIn(2) ? 9_990 : nil,
            currency: isOneIn(2) ? "USD" : nil, revocationPercentage: isOneIn(6) ? 50_000 : nil)
    }

    mutating func renewal(_ original: String) -> RenewalFact {
        RenewalFact(
            originalTransactionID: original, productID: "gold", autoRenewProductID: "gold",
            willRenew: isOneIn(2), isInBillingRetry: isOneIn(4),
            gracePeriodExpiresDate: isOneIn(5) ? days(3...9) : nil,
            priceIncreaseStatus: isOneIn(5) ? .pending : nil,
            eligibleWinBackOfferIDs: isOneIn(4) ? ["back"] : [], renewalDate: isOneIn(2) ? days(4...9) : nil,
            signedDate: days(0...3))
    }

    static let types: [NotificationTypeV2] = [
        .didRenew, .expired, .refund, .refundDeclined, .subscribed, .test, .didChangeRenewalStatus,
        .consumptionRequest,
    ]

    /// A notification as received and as processed.
    mutating func notification(
        in appEnvironment: AppEnvironment, at now: Milliseconds
    ) -> (received: ReceivedNotification, processed: ProcessedNotification) {
        // A UUID is never used in two environments.
        let place = appEnvironment.environment == .production ? "00" : "01"
        let uuid = "00000000-0000-4000-8000-00000000\(place)\(Int.random(in: 10..<60, using: &random))"
        let (original, type) = (original(), pick(Self.types, or: .test))
        let signed = days(0...3).milliseconds
        var processed = ProcessedNotification(
            id: 0, scope: appEnvironment.id, uuid: uuid, type: type, signedDate: signed,
            transaction: isOneIn(5) ? nil : transaction(original),
            renewal: original == "4" || isOneIn(2) ? nil : renewal(isOneIn(9) ? self.original() : original),
            processedAt: now)
        if processed.originalTransactionID == nil {
            processed.appTransactionID = Self.accounts[texts % Self.accounts.count]
        }
        let received = ReceivedNotification(
            scope: appEnvironment.id, uuid: uuid, type: type.rawValue, signedDate: signed, receivedAt: now,
            origin: isOneIn(3) ? .recovered : .delivered, text: text())
        return (received, processed)
    }

    /// A fact that does not come in a notification.
    mutating func signedFact(in appEnvironment: AppEnvironment, at now: Milliseconds) throws -> SignedFact {
        let original = original()
        if isOneIn(4) {
            return try SignedFact(
                receipt: transaction(original), in: appEnvironment, at: Date(milliseconds: now), origin: .app)
        }
        let fact: SignedFact.Fact =
            isOneIn(3) && original != "4" ? .renewal(renewal(original)) : .transaction(transaction(original))
        return SignedFact(
            scope: appEnvironment.id, fact: fact, origin: isOneIn(2) ? .app : .asked, receivedAt: now, text: text())
    }
}

/// Returns the UUID of a test's notification.
func notificationUUID(_ number: Int) -> String { "00000000-0000-4000-8000-00000000000\(number)" }
