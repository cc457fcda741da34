import AppStoreModels
import AppStoreReceipts
import AppStoreTrust
import Foundation
import StoreSimulator
import Testing

@Suite("Receipts of the store")
struct ReceiptContentsTests {
    /// One authority for all tests, because generating RSA keys is slow.
    static let authority = Result { try ReceiptAuthority(now: APIShop.start) }

    static func validator(now: Date) throws -> ReceiptValidator {
        let root = Data(try authority.get().root.der)
        return ReceiptValidator(anchors: try TrustAnchors(certificates: [root]), now: { now })
    }

    /// Returns the signed receipt of a customer.
    static func receipt(_ shop: APIShop, of customer: String = "anna") throws -> Data {
        try authority.get().sign(shop.store.receiptContents(of: customer, at: shop.now))
    }

    @Test(arguments: [AppStoreEnvironment.production, .sandbox])
    func `A receipt validates with its own device identifier only`(_ environment: AppStoreEnvironment) throws {
        var shop = APIShop(environment)
        try shop.buy("plus")
        let customer = try #require(shop.store.customers["anna"])
        let device = shop.store.deviceID(of: customer)
        let data = try Self.receipt(shop)
        var validator = try Self.validator(now: shop.now)
        validator.bundleIDs = [APIShop.app.bundleID]
        let id = withUnsafeBytes(of: device.uuid) { Data($0) }
        let receipt = try #require(try validator.validate(contents: data, deviceID: id).appReceipt).payload
        #expect(receipt.environment?.rawValue == environment.rawValue)
        #expect(receipt.version == APIShop.app.version && receipt.creationDate == shop.now)
        #expect(receipt.appAppleID == (environment == .sandbox ? 0 : APIShop.app.appAppleID))
        #expect(receipt.originalVersion == (environment == .sandbox ? "1.0" : APIShop.app.version))
        let other = Data(repeating: 1, count: 16)
        let foreign = #expect(throws: VerificationError.self) {
            try validator.validate(contents: data, deviceID: other)
        }
        #expect(foreign?.code == .wrongDevice)
        let own = UUID()
        let contents = try shop.store.receiptContents(of: "anna", device: own, at: shop.now)
        #expect(contents.deviceID == withUnsafeBytes(of: own.uuid) { Data($0) })
    }

    @Test(arguments: [AppStoreEnvironment.production, .sandbox])
    func `A receipt has all attribute types of Apple's receipts`(
        _ environment: AppStoreEnvironment
    ) throws {
        var shop = APIShop(environment)
        let (plus, _) = (try shop.buy("plus"), try shop.buy("lamp"))
        let contents = try shop.store.receiptContents(of: "anna", at: shop.now)
        #expect(contents.attributes.map { $0.type } == Array(0...16) + [17, 17, 18, 19, 20, 25])
        for purchase in contents.purchases {
            let last = purchase.transactionID == plus ? 1719 : 1718
            #expect(purchase.attributes.map { $0.type } == Array(1701...last) + [1722])
        }
        let data = try Self.authority.get().sign(contents)
        let receipt = try #require(try Self.validator(now: shop.now).validate(contents: data).appReceipt).payload
        let isSandbox = environment == .sandbox
        #expect(receipt.downloadDate == (isSandbox ? nil : shop.now))
        for number in [receipt.vendorID, receipt.downloadID, receipt.versionExternalID]
            + receipt.purchases.map(\.productAppleID)
        {
            let isZero = try #require(number) == 0
            #expect(isZero == isSandbox)
        }
        #expect(receipt.otherAttributes.map(\.type).sorted() == [6, 7, 20])
        #expect(receipt.purchases.allSatisfy { $0.cancellationDate == nil && $0.promotionalOfferID == nil })
    }

    @Test func `A receipt lists all purchases except finished consumables`() throws {
        var shop = APIShop()
        let finished = try shop.buy("coins")
        try shop.perform(.finish(customer: "anna"))
        let (coins, lamp, pass) = (try shop.buy("coins"), try shop.buy("lamp"), try shop.buy("pass"))
        let trial = try shop.buy("trial")
        shop.advance(days: 10)
        try shop.perform(.approveRefund(customer: "anna", transaction: lamp))
        let receipt = try #require(
            try Self.validator(now: shop.now).validate(contents: Self.receipt(shop)).appReceipt
        ).payload
        let rows = Dictionary(uniqueKeysWithValues: receipt.purchases.map { ($0.transactionID, $0) })
        let renewal = try #require(shop.store.subscriptions[trial]?.current)
        #expect(Set(rows.keys) == [coins, lamp, pass, trial, renewal])
        #expect(!rows.keys.contains(finished))
        #expect(rows[coins]?.productType == .consumable && rows[pass]?.productType == .nonRenewingSubscription)
        #expect(rows[lamp]?.productType == .nonConsumable && rows[lamp]?.cancellationDate == shop.now)
        #expect(rows[coins]?.isInIntroductoryOfferPeriod == nil && rows[coins]?.webOrderLineItemID == nil)
        #expect(rows[trial]?.isTrialPeriod == true && rows[renewal]?.isTrialPeriod == false)
        #expect(rows[trial]?.isInIntroductoryOfferPeriod == false)
        #expect(rows[renewal]?.originalTransactionID == trial)
        #expect(rows[renewal]?.originalPurchaseDate == rows[trial]?.purchaseDate)
        let expires = try #require(shop.store.transactions[renewal]?.payload.expiresDate)
        #expect(rows[renewal]?.expirationDate == expires)
        let line = try #require(shop.store.transactions[renewal]?.payload.webOrderLineItemId)
        #expect(rows[renewal]?.webOrderLineItemID.map { String($0) } == line)
    }

    @Test(arguments: [AppStoreEnvironment.production, .sandbox])
    func `A volume purchase receipt is valid until it expires or is revoked`(
        _ environment: AppStoreEnvironment
    ) throws {
        var shop = APIShop(environment)
        try shop.buy("plus")
        try shop.perform(.assignVolumePurchase(customer: "anna"))
        func receipt() throws -> AppReceipt {
            let verified = try Self.validator(now: shop.now).validate(contents: Self.receipt(shop))
            return try #require(verified.appReceipt).payload
        }
        #expect(try receipt().isVolumePurchase && receipt().expirationDate == nil)
        #expect(try receipt().environment?.rawValue == environment.rawValue)
        let end = shop.now + 10 * 86_400
        try shop.perform(.assignVolumePurchase(customer: "anna", expirationDate: end))
        #expect(try receipt().expirationDate == end)
        let lasting = try Self.receipt(shop)
        let answer = try StoreVerifyReceiptTests.verify(&shop, lasting)
        #expect(answer.status == 0)
        shop.advance(days: 9)
        _ = try Self.validator(now: shop.now).validate(contents: lasting)
        shop.advance(days: 1)
        let expired = #expect(throws: VerificationError.self) { try receipt() }
        #expect(expired?.code == .receiptExpired)
        let over = #expect(throws: StoreError.self) { try shop.perform(.revokeVolumePurchase(customer: "anna")) }
        #expect(over?.code == .impossibleTransition)
        try shop.perform(.assignVolumePurchase(customer: "anna"))
        _ = try receipt()
        try shop.perform(.revokeVolumePurchase(customer: "anna"))
        let revoked = #expect(throws: VerificationError.self) { try receipt() }
        #expect(revoked?.code == .receiptExpired)
        let ended = #expect(throws: StoreError.self) {
            try shop.perform(.assignVolumePurchase(customer: "anna", expirationDate: shop.now))
        }
        #expect(ended?.code == .invalidArgument)
        let unknown = #expect(throws: StoreError.self) { try shop.perform(.revokeVolumePurchase(customer: "ben")) }
        #expect(unknown?.code == .unknownCustomer)
    }

    @Test func `A sandbox receipt is missing before the first purchase, restore or refresh`() throws {
        var shop = APIShop(.sandbox)
        func code(_ customer: String = "anna") -> StoreError.Code? {
            do { _ = try shop.store.receiptContents(of: customer, at: shop.now) } catch { return error.code }
            return nil
        }
        try shop.perform(.createCustomer(customer: "anna"))
        #expect(code() == .noReceipt)
        try shop.perform(.refreshReceipt(customer: "anna"))
        #expect(code() == nil)
        try shop.perform(.clearHistory(customer: "anna"))
        #expect(code() == .noReceipt)
        try shop.perform(.askToBuy(customer: "ben"))
        try shop.perform(.purchase(customer: "ben", product: "lamp"))
        #expect(code("ben") == .noReceipt, "the purchase is pending")
        try shop.perform(.approvePurchase(customer: "ben"))
        #expect(code("ben") == nil)
        try shop.perform(.clearHistory(customer: "ben"))
        #expect(code("ben") == .noReceipt)
        try shop.perform(.sync(customer: "ben", device: "phone"))
        #expect(code("ben") == nil)
        try shop.perform(.goOffline(customer: "carl", device: "phone"))
        let offline = #expect(throws: StoreError.self) {
            try shop.perform(.refreshReceipt(customer: "carl", device: "phone"))
        }
        #expect(offline?.code == .deviceOffline)
        #expect(code("carl") == .noReceipt)
    }

    @Test(arguments: [AppStoreEnvironment.production, .sandbox])
    func `A pre-order is in the app transaction and the receipt of production`(
        _ environment: AppStoreEnvironment
    ) throws {
        var shop = APIShop(environment)
        let (ordered, first) = (shop.now - 9 * 86_400, shop.now - 2 * 86_400)
        for (customer, preorder) in [("anna", ordered), ("ben", nil)] {
            try shop.perform(
                .createCustomer(
                    customer: customer, firstPurchaseDate: first, preorderDate: preorder))
            try shop.perform(.refreshReceipt(customer: customer))
            let expected = environment == .production ? preorder : nil
            let account = try shop.store.customer(customer)
            #expect(shop.store.appTransaction(of: account, at: shop.now).preorderDate == expected)
            #expect(shop.store.serverAppTransaction(of: account, at: shop.now).preorderDate == expected)
            let receipt = try Self.validator(now: shop.now).validate(contents: Self.receipt(shop, of: customer))
            #expect(receipt.appReceipt?.payload.preorderDate == expected)
        }
        // A pre-order precedes the first download, and the App Store opened in 2008.
        for date in [first + 0.001, Date(timeIntervalSince1970: 0)] {
            let command = StoreCommand.createCustomer(customer: "carl", firstPurchaseDate: first, preorderDate: date)
            let error = #expect(throws: StoreError.self) { try shop.perform(command) }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test func `A first purchase cannot precede the App Store, whatever the clock shows`() throws {
        var shop = APIShop()
        shop.now = Date(timeIntervalSince1970: 946_684_800)
        let early = Date(timeIntervalSince1970: 900_000_000)
        let command = StoreCommand.createCustomer(customer: "anna", firstPurchaseDate: early)
        let error = #expect(throws: StoreError.self) { try shop.perform(command) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `A customer without purchases has an empty receipt, and an unknown customer has none`() throws {
        var shop = APIShop()
        try shop.perform(.createCustomer(customer: "anna"))
        let receipt = try Self.validator(now: shop.now).validate(contents: Self.receipt(shop))
        #expect(receipt.appReceipt?.payload.purchases.isEmpty == true)
        let unknown = #expect(throws: StoreError.self) { try shop.store.receiptContents(of: "ben", at: shop.now) }
        #expect(unknown?.code == .unknownCustomer)
    }
}
