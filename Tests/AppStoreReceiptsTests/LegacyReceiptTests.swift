import AppStoreReceipts
import AppStoreTrust
import Crypto
import Entitlements
import Foundation
import StoreSimulator
import SwiftASN1
import TestSupport
import Testing
import X509
import _CryptoExtras

@Suite("Transaction receipts")
struct LegacyReceiptTests {
    static let genuine = ConditionTrait.enabled(if: Fixtures.exist, Comment(rawValue: Fixtures.explanation))

    @Test(genuine)
    func `A genuine transaction receipt validates with its issuer in the pool`() throws {
        let text = try Fixtures.text(Fixtures.legacy)
        let verified = try Fixtures.validator().validate(base64: text)
        let receipt = try #require(verified.transactionReceipt?.payload)
        #expect(receipt.bundleID == "com.mindmobapp.MindMob")
        #expect(receipt.version == "20120427")
        #expect(receipt.productID == "com.mindmobapp.download")
        #expect(receipt.transactionID == "1000000046178817")
        #expect(receipt.originalTransactionID == "1000000046178817")
        #expect(receipt.quantity == 1)
        #expect(receipt.purchaseDate == Date(timeIntervalSinceReferenceDate: 357_491_155.868))
        #expect(receipt.unsigned == (try UnverifiedReceipt(base64: text)).transaction?.unsigned)
        #expect(receipt.unsigned.environment == "Sandbox")
        #expect(receipt.environment == .sandbox)
        #expect(verified.trace.certificates.map(\.serialNumber) == ["6514914DD95804B5", "1A", "02"])
        #expect(verified.trace.anchor == "Apple Root CA")
        // The trace describes the built-in root like the root from a file.
        let builtIn = try #require(verified.trace.certificates.last)
        var validator = try Fixtures.validator()
        validator.anchors = try TrustAnchors(certificates: [Fixtures.certificate("AppleRootCA.cer")])
        validator.intermediates = try CertificatePool(
            certificates: [Fixtures.certificate("AppleRootCA.cer"), Fixtures.certificate("AppleITunesStoreCA.cer")])
        #expect(try validator.validate(base64: text).trace.certificates.last == builtIn)
        #expect(try UnverifiedReceipt.transactionID(in: text) == "1000000046178817")
    }

    @Test(genuine)
    func `A genuine transaction receipt is refused without its issuer and with another root`() throws {
        let text = try Fixtures.text(Fixtures.legacy)
        #expect(throws: refusal(.chainLength)) { try ReceiptValidator().validate(base64: text) }
        var validator = try Fixtures.validator()
        validator.anchors = try TrustAnchors(certificates: [Fixtures.certificate("AppleWWDRCA-2013.cer")])
        #expect(throws: refusal(.untrustedRoot)) { try validator.validate(base64: text) }
    }

    @Test(arguments: ["", "<html>Not found</html>"])
    func `A file without a certificate cannot be an intermediate`(_ text: String) throws {
        #expect(throws: refusal(.certificateMalformed)) { try CertificatePool(certificates: [Data(text.utf8)]) }
        #expect(try CertificatePool(certificates: []) == .empty)
    }

    @Test(arguments: [
        (Data(), "no certificate was found"), (Data([0xff, 0x00]), "no certificate was found"),
        (Data("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n".utf8), "truncatedASN1Field"),
    ])
    func `The message about a file that is no certificate names no source line`(_ data: Data, _ reason: String) throws {
        let error = #expect(throws: refusal(.certificateMalformed)) { try TrustAnchors(certificates: [data]) }
        let message = try #require(error).message
        #expect(message.contains(reason) && !message.contains(".swift"))
    }

    @Test func `A folder without a certificate file is refused`() async throws {
        try await Tool.inTemporaryFolder { folder in
            try Data("no certificate".utf8).write(to: folder.appending(path: "notes.txt"))
            #expect(throws: refusal(.certificateMalformed)) { try CertificatePool(contentsOf: [folder]) }
            #expect(throws: refusal(.certificateMalformed)) { try TrustAnchors(contentsOf: [folder]) }
        }
    }

    @Test(genuine)
    func `The unsigned environment and pod of a transaction receipt are not trusted`() throws {
        let list = String(decoding: try Fixtures.bytes(Fixtures.legacy), as: UTF8.self)
        let without = list.replacing("\t\"environment\" = \"Sandbox\";\n", with: "")
        #expect(without != list)
        var validator = try Fixtures.validator()
        #expect(try validator.validate(contents: Data(without.utf8)).payload.environment == nil)
        validator.environments = [.production]
        #expect(throws: refusal(.wrongEnvironment)) { try validator.validate(contents: Data(without.utf8)) }
        #expect(throws: refusal(.wrongEnvironment)) { try validator.validate(contents: Data(list.utf8)) }
        // As in an endpoint for the sandbox.
        validator.environments = [.sandbox]
        for text in [without, list] {
            _ = try validator.validate(contents: Data(text.utf8))
            let endpoint = VerifyReceiptEndpoint(validator: validator, environment: .sandbox)
            #expect(endpoint.response(contents: Data(text.utf8)).status == .valid)
        }
    }

    /// Builds a synthetic transaction receipt.
    struct Builder: Sendable {
        var info =
            "{\"bid\" = \"com.example.app\"; \"bvrs\" = \"1\"; \"product-id\" = \"p\"; \"transaction-id\" = \"7\"; \"app-item-id\" = \"9\"; \"purchase-date-ms\" = \"1650000000123\"; \"unique-vendor-identifier\" = \"00010203-0405-0607-0809-0A0B0C0D0E0F\";}"
        var version: UInt8 = 3
        var signer: Issued
        var length: UInt32?
        var suffix: [UInt8] = []
        var environment = ""

        func bytes() throws -> [UInt8] {
            let signed = [version] + Array(info.utf8)
            let signature = try signer.key.sign(bytes: signed, signatureAlgorithm: .sha1WithRSAEncryption)
            let length = withUnsafeBytes(of: (length ?? UInt32(signer.der.count)).bigEndian) { Array($0) }
            let blob = [version] + Array(signature.rawRepresentation) + length + signer.der + suffix
            let text =
                "{\n\t\"signature\" = \"\(Data(blob).base64EncodedString())\";\n\t\"purchase-info\" = \"\(Data(info.utf8).base64EncodedString())\";\n\(environment)}"
            return Array(text.utf8)
        }
    }

    static func validator(_ authority: ReceiptAuthority, _ intermediates: [[UInt8]]? = nil) throws -> ReceiptValidator {
        ReceiptValidator(
            anchors: try TrustAnchors(certificates: [Data(authority.root.der)]),
            intermediates: try CertificatePool(
                certificates: (intermediates ?? [authority.intermediate.der, authority.root.der]).map { Data($0) }))
    }

    static let changes:
        [(String, VerificationError.Code?, @Sendable (inout Builder, ReceiptAuthority) throws -> Void)] = [
            ("nothing", nil, { _, _ in }),
            ("an unknown version", .malformedReceipt, { builder, _ in builder.version = 4 }),
            ("a blob shorter than its length", .malformedReceipt, { builder, _ in builder.length = 1 << 31 }),
            ("a blob longer than its length", .malformedReceipt, { builder, _ in builder.suffix = [0] }),
            ("an empty certificate", .malformedReceipt, { builder, _ in builder.length = 0 }),
            (
                "no product", .malformedReceipt,
                { builder, _ in builder.info = builder.info.replacing("product-id", with: "product") }
            ),
            (
                "no date", .malformedReceipt,
                { builder, _ in builder.info = builder.info.replacing("purchase-date-ms", with: "date") }
            ),
            (
                "no date for an expiration", .malformedReceipt,
                { builder, _ in builder.info = builder.info.replacing("unique-vendor-identifier", with: "expires-date")
                }
            ),
            (
                "a key twice", .malformedReceipt,
                { builder, _ in builder.info = builder.info.replacing("bvrs", with: "bid") }
            ),
            ("text after the purchase information", .malformedReceipt, { builder, _ in builder.info += "x" }),
            (
                "purchase before the certificates", .expiredOrNotYetValid,
                { builder, _ in builder.info = builder.info.replacing("1650000000123", with: "1500000000123") }
            ),
            (
                "a leaf without the marker", .missingLeafMarker,
                { builder, authority in
                    builder.signer = try authority.issue(
                        "Developer", by: authority.intermediate, key: authority.leaf.key)
                }
            ),
            (
                "another key", .badSignature,
                { builder, authority in
                    builder.signer = try authority.leaf.with(key: authority.xcode)
                }
            ),
            ("a certificate of its own", .untrustedRoot, { builder, authority in builder.signer = authority.xcode }),
        ]

    @Test(arguments: changes.indices)
    func `A version 3 transaction receipt with one change is refused with the change's code`(_ index: Int) throws {
        let (name, code, change) = Self.changes[index]
        let authority = try ReceiptAuthority.shared.get()
        var builder = Builder(signer: authority.leaf)
        try change(&builder, authority)
        let bytes = Data(try builder.bytes())
        let validator = try Self.validator(authority)
        if let code {
            #expect(throws: refusal(code), "\(name)") { try validator.validate(contents: bytes) }
        } else {
            let receipt = try validator.validate(contents: bytes, deviceID: Data(0..<16))
            #expect(receipt.payload.environment == .production)
            #expect(throws: refusal(.wrongDevice)) { try validator.checkDevice(Data(1..<17), of: receipt) }
        }
    }

    @Test func `A transaction receipt with a textual purchase date yields its purchase`() throws {
        let authority = try ReceiptAuthority.shared.get()
        var builder = Builder(signer: authority.leaf)
        builder.info = builder.info.replacing(
            "\"purchase-date-ms\" = \"1650000000123\"", with: "\"purchase-date\" = \"2022-04-15 05:20:00 Etc/GMT\"")
        let validator = try Self.validator(authority)
        let receipt = try validator.validate(contents: Data(builder.bytes()))
        let fact = try #require(try validator.facts(of: receipt).transactions.first)
        #expect(fact.transactionID == "7" && fact.productID == "p")
        #expect(fact.purchaseDate == Date(timeIntervalSince1970: 1_650_000_000))
        #expect(fact.signedDate == fact.purchaseDate)
    }

    @Test func `A restored purchase with textual dates has the date of its original purchase`() throws {
        let authority = try ReceiptAuthority.shared.get()
        var builder = Builder(signer: authority.leaf)
        builder.info = builder.info.replacing(
            "\"purchase-date-ms\" = \"1650000000123\"",
            with: """
                "purchase-date" = "2022-04-15 05:20:00 Etc/GMT"; "original-transaction-id" = "3"; \
                "original-purchase-date" = "2022-04-14 05:20:00 Etc/GMT"
                """)
        let validator = try Self.validator(authority)
        let receipt = try validator.validate(contents: Data(builder.bytes()))
        let fact = try #require(try validator.facts(of: receipt).transactions.first)
        #expect(fact.transactionID == "3")
        #expect(fact.purchaseDate == Date(timeIntervalSince1970: 1_650_000_000 - 86_400))
    }

    @Test func `A transaction receipt is as old as its purchase, so that a later refund overrides it`() throws {
        let authority = try ReceiptAuthority.shared.get()
        let validator = try Self.validator(authority)
        let receipt = try validator.validate(contents: Data(Builder(signer: authority.leaf).bytes()))
        // Signed data have exactly this date for the same millisecond: 1650000000123 since 1970.
        #expect(receipt.payload.signedDate == Date(timeIntervalSinceReferenceDate: 671_692_800.123))
        var facts = try validator.facts(of: receipt)
        #expect(facts.transactions.map(\.signedDate) == [receipt.payload.signedDate])
        var refund = try #require(facts.transactions.first)
        refund.signedDate += 86_400
        refund.revocationDate = refund.signedDate
        let engine = EntitlementEngine(catalogue: ProductCatalogue(entitlements: ["pro": ["p"]]))
        #expect(engine.currentState(of: facts, now: refund.signedDate).entitlement("pro")?.isActive == true)
        facts.transactions.append(refund)
        #expect(engine.currentState(of: facts, now: refund.signedDate).entitlement("pro")?.isActive == false)
    }

    @Test func `A transaction receipt and a receipt attribute can be created for tests`() {
        let date = Date(timeIntervalSince1970: 1_650_000_000)
        let receipt = Receipt.transaction(
            LegacyReceipt(
                bundleID: "com.example.app", productID: "p", transactionID: "7", purchaseDate: date, appItemID: "9"))
        #expect(receipt.environment == .production && receipt.signedDate == date)
        #expect(ReceiptDocument(receipt).json.contains(#""transaction_id":"7""#))
        let attribute = ReceiptAttribute(type: 6, value: Data([1]))
        let unified = AppReceipt(
            bundleID: "com.example.app", version: "1", creationDate: date, otherAttributes: [attribute])
        #expect(unified.otherAttributes.map(\.version) == [1])
    }

    @Test func `The refusal of a forged signer does not quote the name in its certificate`() throws {
        let authority = try ReceiptAuthority.shared.get()
        let leaf = try authority.issue(
            "Forged\nname", by: authority.intermediate.with(key: authority.xcode), key: authority.leaf.key,
            markers: [ReceiptAuthority.leafMarker])
        let bytes = Data(try Builder(signer: leaf).bytes())
        let validator = try Self.validator(authority)
        let error = #expect(throws: VerificationError.self) { try validator.validate(contents: bytes) }
        #expect(error?.code == .badChainSignature)
        #expect(error?.message == "certificate 1 is not signed by certificate 2")
    }

    @Test func `A transaction identifier is read from a transaction receipt without a signature`() throws {
        let info = Data("{\n\t\"transaction-id\" = \"33993399\";\n}".utf8).base64EncodedString()
        let text = Data("{\n\t\"purchase-info\" = \"\(info)\";\n}".utf8).base64EncodedString()
        #expect(try UnverifiedReceipt.transactionID(in: text) == "33993399")
        #expect(throws: refusal(.malformedReceipt)) { try UnverifiedReceipt(base64: text) }
    }
}

extension UnverifiedReceipt {
    fileprivate var transaction: LegacyReceipt? {
        if case .transaction(let receipt) = content { receipt } else { nil }
    }
}
