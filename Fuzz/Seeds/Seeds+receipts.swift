import AppStoreReceipts
import Crypto
import Foundation
import FuzzSupport
import StoreSimulator
import SwiftASN1
import TestSupport
import X509
import _CryptoExtras

extension Seeds {
    private static let authority = Result { try ReceiptAuthority(now: present) }

    /// Unified receipts with each digest and of each environment, and requests that contain them.
    static func unifiedReceipts() throws -> [Seed] {
        let authority = try authority.get()
        let production = try authority.sign(contents(.production, purchases: 2))
        let sandbox = try authority.sign(contents(.productionSandbox, purchases: 1))
        let xcode = try authority.sign(contents(.xcode, purchases: 1))
        var old = ReceiptBuilder(payload: contents(.production, purchases: 1).encoded, authority: authority)
        old.digest = [1, 3, 14, 3, 2, 26]
        var attributes = ReceiptBuilder(payload: contents(.production, purchases: 1).encoded, authority: authority)
        attributes.signedAttributes = ReceiptBuilder.standardAttributes
        var volume = contents(.productionVPP, purchases: 0)
        volume.expirationDate = present + 86_400
        let text = production.base64EncodedString(options: [.lineLength64Characters])
        let request = #"{"receipt-data":"\#(production.base64EncodedString())","password":"secret"}"#
        return [
            ("Trust/receipt-root.cer", authority.root.der),
            ("Trust/receipt-intermediate.cer", authority.intermediate.der),
            ("Trust/receipt-xcode.cer", authority.xcode.der),
            seed("unified-receipts", "production", production),
            seed("unified-receipts", "production-sha1", try old.bytes()),
            seed("unified-receipts", "signed-attributes", try attributes.bytes()),
            seed("unified-receipts", "sandbox", sandbox),
            seed("unified-receipts", "volume-purchase", try authority.sign(volume)),
            seed("unified-receipts", "xcode", xcode),
            seed("unified-receipts", "production.b64", text),
            seed("transaction-ids", "production.b64", text),
            seed("transaction-ids", "sandbox.b64", sandbox.base64EncodedString()),
            seed("transaction-ids", "xcode.b64", xcode.base64EncodedString()),
            seed("transaction-ids", "request.json", request),
        ]
    }

    private static func contents(_ type: ReceiptType, purchases: Int) -> ReceiptContents {
        var contents = ReceiptContents(
            type: type, bundleID: "com.example.app", version: "1.2", originalVersion: "1.0", creationDate: present,
            originalPurchaseDate: present - 1000, appAppleID: 41, deviceID: Data([1, 2, 3, 4, 5, 6]),
            opaqueValue: Array(repeating: 7, count: 16))
        for index in 0..<purchases {
            var purchase = ReceiptPurchase(productID: "product", transactionID: "10\(index)", purchaseDate: present)
            purchase.originalTransactionID = "100"
            purchase.originalPurchaseDate = present - 500
            purchase.productType = .autoRenewableSubscription
            purchase.expirationDate = present + 86_400
            purchase.webOrderLineItemID = 1 << 40
            purchase.isTrialPeriod = false
            purchase.isInIntroductoryOfferPeriod = true
            purchase.promotionalOfferID = "offer"
            contents.purchases.append(purchase)
        }
        return contents
    }

    /// Transaction receipts of both versions, complete and as their two parts.
    static func legacyReceipts() throws -> [Seed] {
        let authority = try authority.get()
        let intermediate = try template("Store", isAuthority: true, marker: [1, 2, 840, 113635, 100, 6, 2, 2])
            .issue(for: newKey(2048), by: authority.root)
        let leaf = try template("Purchases", isAuthority: false, marker: [1, 2, 840, 113635, 100, 6, 5, 1])
            .issue(for: newKey(1024), by: intermediate)
        var seeds: [Seed] = [("Trust/receipt-old-intermediate.cer", intermediate.der)]
        for (version, signer) in [(UInt8(2), leaf), (3, authority.leaf)] {
            let signed = [version] + Array(information.utf8)
            let signature = try signer.key.sign(bytes: signed, signatureAlgorithm: .sha1WithRSAEncryption)
            let length = withUnsafeBytes(of: UInt32(signer.der.count).bigEndian) { Array($0) }
            let blob = [version] + Array(signature.rawRepresentation) + length + signer.der
            let text = """
                {
                \t"signature" = "\(Data(blob).base64EncodedString())";
                \t"purchase-info" = "\(Data(information.utf8).base64EncodedString())";
                \t"pod" = "16";
                \t"signing-status" = "0";
                }
                """
            seeds.append(seed("legacy-receipts", "version-\(version)", text))
            seeds.append(seed("legacy-receipts", "version-\(version)-parts", Array(information.utf8) + [0xFF] + blob))
            let encoded = Data(text.utf8).base64EncodedString(options: [.lineLength64Characters])
            seeds.append(seed("legacy-receipts", "version-\(version).b64", encoded))
            seeds.append(seed("transaction-ids", "transaction-\(version).b64", encoded))
        }
        return seeds
    }

    private static func newKey(_ bits: Int) throws -> Certificate.PrivateKey {
        Certificate.PrivateKey(try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bits)))
    }

    private static func template(
        _ name: String, isAuthority: Bool, marker: ASN1ObjectIdentifier
    ) -> CertificateTemplate {
        var template = CertificateTemplate(
            commonName: name, notBefore: Date(timeIntervalSince1970: 1_600_000_000), notAfter: present,
            basicConstraints: isAuthority ? .isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority,
            keyUsage: KeyUsage(digitalSignature: !isAuthority, keyCertSign: isAuthority))
        template.markers = [marker]
        return template
    }

    private static let information = """
        {
        \t"bid" = "com.example.app";
        \t"bvrs" = "1";
        \t"product-id" = "com.example.\\"pro\\"";
        \t"transaction-id" = "7";
        \t"original-transaction-id" = "6";
        \t"app-item-id" = "9";
        \t"quantity" = "1";
        \t"purchase-date" = "2024-12-20 04:53:20 Etc/GMT";
        \t"purchase-date-ms" = "1734670400123";
        \t"expires-date" = "1737348800123";
        \t"is-trial-period" = "false";
        \t"unique-vendor-identifier" = "00010203-0405-0607-0809-0A0B0C0D0E0F";
        }
        """
}
