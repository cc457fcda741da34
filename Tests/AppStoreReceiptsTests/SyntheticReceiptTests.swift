import AppStoreReceipts
import AppStoreTrust
import Foundation
import StoreSimulator
import SwiftASN1
import Testing
import X509

/// One change to a valid receipt, and the expected error code; nil if the receipt stays valid.
struct ReceiptChange: Sendable, CustomStringConvertible {
    let description: String
    let code: VerificationError.Code?
    let bytes: @Sendable (ReceiptAuthority) throws -> [UInt8]

    /// A change to the container.
    init(
        _ description: String, _ code: VerificationError.Code?,
        _ change: @escaping @Sendable (inout ReceiptBuilder, ReceiptAuthority) throws -> Void
    ) {
        (self.description, self.code) = (description, code)
        bytes = { authority in
            var builder = ReceiptBuilder(payload: PayloadBuilder().bytes, authority: authority)
            try change(&builder, authority)
            return try builder.bytes()
        }
    }

    /// A change to the payload, signed afterwards.
    init(
        payload description: String, _ code: VerificationError.Code?,
        _ change: @escaping @Sendable (inout PayloadBuilder) -> Void
    ) {
        self.init(description, code) { builder, _ in
            var payload = PayloadBuilder(purchases: [PayloadBuilder.purchase()])
            change(&payload)
            builder.payload = payload.bytes
        }
    }

    /// Another leaf under the same intermediate.
    init(
        leaf description: String, _ code: VerificationError.Code?,
        _ issue: @escaping @Sendable (ReceiptAuthority) throws -> Issued
    ) {
        self.init(description, code) { builder, authority in
            builder.signer = try issue(authority)
            builder.certificates = [builder.signer.der, authority.intermediate.der, authority.root.der]
        }
    }

    /// Another intermediate under the same root, with its own leaf.
    init(
        intermediate description: String, _ code: VerificationError.Code?,
        _ issue: @escaping @Sendable (ReceiptAuthority) throws -> Issued
    ) {
        self.init(description, code) { builder, authority in
            let intermediate = try issue(authority)
            builder.signer = try authority.issue(
                "Leaf", by: intermediate, key: authority.leaf.key, markers: [ReceiptAuthority.leafMarker])
            builder.certificates = [builder.signer.der, intermediate.der, authority.root.der]
        }
    }
}

@Suite("Synthetic receipts")
struct SyntheticReceiptTests {
    static func validator(_ authority: ReceiptAuthority) throws -> ReceiptValidator {
        ReceiptValidator(
            anchors: try TrustAnchors(certificates: [Data(authority.root.der)]),
            now: { Date(timeIntervalSince1970: 1_800_000_000) })
    }

    @Test(arguments: containers + payloads)
    func `A synthetic receipt with one change is accepted or refused with the change's code`(_ change: ReceiptChange)
        throws
    {
        let authority = try ReceiptAuthority.shared.get()
        let bytes = try change.bytes(authority)
        let validator = try Self.validator(authority)
        if let code = change.code {
            #expect(throws: refusal(code)) { try validator.validate(contents: Data(bytes)) }
        } else {
            #expect(try validator.validate(contents: Data(bytes)).payload.bundleID == PayloadBuilder.bundleID)
        }
    }

    @Test func `A receipt for another app, version, device or environment is refused`() throws {
        let authority = try ReceiptAuthority.shared.get()
        let bytes = Data(try ReceiptBuilder(payload: PayloadBuilder().bytes, authority: authority).bytes())
        var validator = try Self.validator(authority)
        validator.bundleIDs = [PayloadBuilder.bundleID]
        validator.versions = ["1.2"]
        validator.environments = [.production]
        let receipt = try validator.validate(contents: bytes, deviceID: PayloadBuilder.device)
        #expect(throws: refusal(.wrongDevice)) { try validator.checkDevice(Data([1]), of: receipt) }
        validator.bundleIDs = ["com.example.other"]
        #expect(throws: refusal(.wrongApp)) { try validator.validate(contents: bytes) }
        validator.bundleIDs = nil
        validator.versions = ["1.3"]
        #expect(throws: refusal(.wrongVersion)) { try validator.validate(contents: bytes) }
        validator.versions = nil
        validator.environments = [.sandbox]
        #expect(throws: refusal(.wrongEnvironment)) { try validator.validate(contents: bytes) }
        #expect(try validator.authenticate(contents: bytes).payload == receipt.payload)
    }

    @Test func `A receipt has expired from the instant of its expiration date on`() throws {
        let authority = try ReceiptAuthority.shared.get()
        var payload = PayloadBuilder()
        payload.set(21, RawDER.ia5("2027-01-15T08:00:00Z"))
        let bytes = Data(try ReceiptBuilder(payload: payload.bytes, authority: authority).bytes())
        let end = Date(timeIntervalSince1970: 1_800_000_000)
        var validator = try Self.validator(authority)
        validator.now = { end - 0.001 }
        #expect(try validator.validate(contents: bytes).payload.expirationDate == end)
        validator.now = { end }
        #expect(throws: refusal(.receiptExpired)) { try validator.validate(contents: bytes) }
    }

    /// An app that sends a receipt of the sandbox to production must learn that before anything else.
    @Test func `A receipt with several faults is refused for the environment, the app, the device, then its age`()
        throws
    {
        let authority = try ReceiptAuthority.shared.get()
        var payload = PayloadBuilder()
        payload.set(21, RawDER.ia5("2022-01-02T00:00:00Z"))
        let bytes = Data(try ReceiptBuilder(payload: payload.bytes, authority: authority).bytes())
        var validator = try Self.validator(authority)
        validator.environments = [.sandbox]
        validator.bundleIDs = ["com.example.other"]
        validator.versions = ["9"]
        let other = Data([1])
        #expect(throws: refusal(.wrongEnvironment)) { try validator.validate(contents: bytes, deviceID: other) }
        validator.environments = [.production]
        #expect(throws: refusal(.wrongApp)) { try validator.validate(contents: bytes, deviceID: other) }
        validator.bundleIDs = [PayloadBuilder.bundleID]
        #expect(throws: refusal(.wrongVersion)) { try validator.validate(contents: bytes, deviceID: other) }
        validator.versions = ["1.2"]
        #expect(throws: refusal(.wrongDevice)) { try validator.validate(contents: bytes, deviceID: other) }
        #expect(throws: refusal(.receiptExpired)) {
            try validator.validate(contents: bytes, deviceID: PayloadBuilder.device)
        }
    }

    @Test func `The refusal of another app's receipt does not name the accepted apps`() throws {
        let authority = try ReceiptAuthority.shared.get()
        let bytes = Data(try ReceiptBuilder(payload: PayloadBuilder().bytes, authority: authority).bytes())
        var validator = try Self.validator(authority)
        validator.bundleIDs = ["com.example.other", "com.example.secret"]
        let error = try #require(throws: VerificationError.self) { try validator.validate(contents: bytes) }
        #expect(error.code == .wrongApp)
        #expect(!error.message.contains("com.example.other") && !error.message.contains("com.example.secret"))
    }

    @Test func `Bundle identifiers and versions of receipts are compared by bytes`() throws {
        let authority = try ReceiptAuthority.shared.get()
        for (ours, theirs) in [("com.example.Kiosk", "com.example.\u{212A}iosk"), ("jos\u{E9}", "jose\u{301}")] {
            #expect(ours == theirs, "Swift takes them for equal")
            var payload = PayloadBuilder()
            payload.set(2, RawDER.utf8(theirs))
            payload.set(3, RawDER.utf8(theirs))
            let bytes = Data(try ReceiptBuilder(payload: payload.bytes, authority: authority).bytes())
            var validator = try Self.validator(authority)
            validator.bundleIDs = [ours]
            #expect(throws: refusal(.wrongApp)) { try validator.validate(contents: bytes) }
            validator.bundleIDs = [theirs]
            _ = try validator.validate(contents: bytes)
            validator.versions = [ours]
            #expect(throws: refusal(.wrongVersion)) { try validator.validate(contents: bytes) }
            validator.versions = [theirs]
            _ = try validator.validate(contents: bytes)
        }
    }

    @Test func `An Xcode receipt needs an enrolled certificate, which signs for no other environment`() throws {
        let authority = try ReceiptAuthority.shared.get()
        func receipt(_ type: String) throws -> Data {
            var builder = ReceiptBuilder(payload: PayloadBuilder(type: type).bytes, authority: authority)
            builder.signer = authority.xcode
            builder.certificates = [authority.xcode.der]
            return Data(try builder.bytes())
        }
        var validator = try Self.validator(authority)
        #expect(throws: refusal(.notEnrolled)) { try validator.validate(contents: receipt("Xcode")) }
        validator.xcodeCertificates = try TrustAnchors(certificates: [Data(authority.xcode.der)])
        #expect(try validator.validate(contents: receipt("Xcode")).payload.environment == .xcode)
        #expect(throws: refusal(.wrongEnvironment)) { try validator.validate(contents: receipt("Production")) }
        var forged = [UInt8](try receipt("Xcode"))
        forged[forged.count - 1] ^= 1
        #expect(throws: refusal(.badSignature)) { try validator.validate(contents: Data(forged)) }
    }

    @Test func `Intermediates and roots are taken from the pool, but only anchors are trusted`() throws {
        let authority = try ReceiptAuthority.shared.get()
        var builder = ReceiptBuilder(payload: PayloadBuilder().bytes, authority: authority)
        builder.certificates = [authority.leaf.der]
        let bytes = Data(try builder.bytes())
        var validator = try Self.validator(authority)
        validator.intermediates = try CertificatePool(
            certificates: [authority.intermediate.der, authority.root.der].map { Data($0) })
        _ = try validator.validate(contents: bytes)
        validator.anchors = .apple
        #expect(throws: refusal(.untrustedRoot)) { try validator.validate(contents: bytes) }
    }

    @Test func `A receipt has all documented fields`() throws {
        var payload = PayloadBuilder(
            type: "ProductionVPP",
            purchases: [
                PayloadBuilder.purchase([
                    (1705, RawDER.utf8("999")), (1706, RawDER.ia5("2020-12-31T23:59:59.5Z")), (1707, RawDER.integer(3)),
                    (1708, RawDER.ia5("2021-02-01T00:00:00+01:00")), (1710, RawDER.integer(5)),
                    (1711, RawDER.integer(1 << 55)),
                    (1712, RawDER.ia5("2021-01-15T00:00:00Z")), (1713, RawDER.integer(1)), (1719, RawDER.integer(0)),
                    (1720, RawDER.integer(1)), (1721, RawDER.utf8("offer")), (1722, RawDER.integer(0)),
                ])
            ])
        payload.attributes += [
            (1, RawDER.integer(42)), (6, [0xFF, 0xFE]), (15, RawDER.integer(1 << 60)), (19, RawDER.ia5("0.9")),
            (21, RawDER.ia5("2030-01-01T00:00:00Z")), (22, RawDER.ia5("2021-06-01T00:00:00Z")),
            (23, RawDER.utf8("School")),
            (32, RawDER.ia5("2019-01-01T00:00:00Z")), (24, []),
        ]
        let authority = try ReceiptAuthority.shared.get()
        let bytes = Data(try ReceiptBuilder(payload: payload.bytes, authority: authority).bytes())
        let verified = try Self.validator(authority).validate(contents: bytes)
        let receipt = try #require(verified.appReceipt?.payload)
        #expect(receipt.isVolumePurchase)
        #expect(receipt.environment == .production)
        #expect(receipt.appAppleID == 42)
        #expect(receipt.downloadID == 1 << 60)
        #expect(receipt.originalVersion == "0.9")
        #expect(receipt.volumePurchaseOrganization == "School")
        #expect(receipt.volumePurchaseDate == (try Date("2021-06-01T00:00:00Z", strategy: .iso8601)))
        #expect(receipt.preorderDate == (try Date("2019-01-01T00:00:00Z", strategy: .iso8601)))
        #expect(receipt.otherAttributes.map(\.type) == [6, 24])
        #expect(receipt.otherAttributes.first?.value == Data([0xFF, 0xFE]))
        let purchase = try #require(receipt.purchases.first)
        #expect(purchase.originalTransactionID == "999")
        #expect(purchase.originalPurchaseDate == Date(timeIntervalSince1970: 1_609_459_199.5))
        #expect(purchase.productType == .autoRenewableSubscription)
        #expect(purchase.expirationDate == (try Date("2021-01-31T23:00:00Z", strategy: .iso8601)))
        #expect(purchase.webOrderLineItemID == 1 << 55)
        #expect(purchase.cancellationDate != nil)
        #expect(purchase.cancellationReason == 1)
        #expect(purchase.isTrialPeriod == true)
        #expect(purchase.isInIntroductoryOfferPeriod == false)
        #expect(purchase.promotionalOfferID == "offer")
        #expect(purchase.otherAttributes.map(\.type) == [1722])
    }
}
