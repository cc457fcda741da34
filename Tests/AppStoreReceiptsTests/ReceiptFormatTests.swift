import AppStoreReceipts
import AppStoreTrust
import Entitlements
import Foundation
import StoreSimulator
import Testing

@Suite struct `The formats of receipts` {
    private static let (first, bought, end) = (
        Date(timeIntervalSince1970: 1_647_000_000), Date(timeIntervalSince1970: 1_650_000_000),
        Date(timeIntervalSince1970: 1_652_592_000)
    )

    /// A period at an introductory price, as the App Store and Xcode write it.
    private static func unified(_ type: ReceiptType, _ authority: ReceiptAuthority) throws -> Data {
        var purchase = ReceiptPurchase(productID: "p", transactionID: "7", purchaseDate: bought)
        purchase.expirationDate = end
        purchase.isInIntroductoryOfferPeriod = true
        if type != .xcode {
            purchase.originalTransactionID = "3"
            purchase.originalPurchaseDate = first
            purchase.productType = .autoRenewableSubscription
            purchase.isTrialPeriod = false
        }
        return try authority.sign(
            ReceiptContents(
                type: type, bundleID: "com.example.app", version: "1", creationDate: bought,
                deviceID: PayloadBuilder.device, opaqueValue: Array(repeating: 7, count: 16), purchases: [purchase]))
    }

    /// The same period in the style of iOS 6.
    private static func transaction(_ authority: ReceiptAuthority) throws -> Data {
        var builder = LegacyReceiptTests.Builder(signer: authority.leaf)
        builder.info = """
            {"bid" = "com.example.app"; "bvrs" = "1"; "product-id" = "p"; "transaction-id" = "7"; "quantity" = "1";
            "original-transaction-id" = "3"; "purchase-date-ms" = "1650000000000"; "app-item-id" = "9";
            "original-purchase-date-ms" = "1647000000000"; "expires-date" = "1652592000000";
            "is-trial-period" = "false"; "is-in-intro-offer-period" = "true";}
            """
        return Data(try builder.bytes())
    }

    @Test func `A period of a subscription is the same fact in every format`() throws {
        let authority = try ReceiptAuthority.shared.get()
        var validator = try LegacyReceiptTests.validator(authority)
        validator.xcodeCertificates = try TrustAnchors(certificates: [Data(authority.xcode.der)])
        func fact(_ contents: Data) throws -> TransactionFact {
            let receipt = try validator.validate(contents: contents)
            let facts = try validator.facts(of: receipt).transactions
            #expect(facts.count == 1)
            return try #require(facts.first)
        }
        let production = try fact(Self.unified(.production, authority))
        #expect(production.transactionID == "7" && production.originalTransactionID == "3")
        #expect(production.type == .autoRenewableSubscription && production.offerType == .introductory)
        #expect(production.purchaseDate == Self.bought && production.expiresDate == Self.end)
        #expect(try fact(Self.unified(.productionSandbox, authority)) == production)
        #expect(try fact(Self.transaction(authority)) == production)
        // Xcode does not write the original transaction.
        var xcode = try fact(Self.unified(.xcode, authority))
        #expect(xcode.originalTransactionID == "7")
        xcode.originalTransactionID = production.originalTransactionID
        #expect(xcode == production)
    }
}
