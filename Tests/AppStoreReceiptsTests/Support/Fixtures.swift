import AppStoreReceipts
import Foundation
import TestSupport

/// The genuine receipts beside the repository. Tests that need them are skipped if they are missing.
enum Fixtures {
    static let folder = TestSupport.Fixtures.folder.appending(path: "receipts")
    static let exist = FileManager.default.fileExists(atPath: folder.path)
    static let explanation = "the folder shared/fixtures beside the repository is missing"

    static func data(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }
    static func text(_ name: String) throws -> String { String(decoding: try data(name), as: UTF8.self) }
    static func certificate(_ name: String) throws -> Data { try data("certs/" + name) }
    static func bytes(_ name: String) throws -> [UInt8] {
        let text = try text(name).filter { !$0.isWhitespace }
        return Array(Data(base64Encoded: text) ?? Data())
    }

    static let apple = [
        "sandbox-sha256-2025", "sandbox-sha1-2020", "sandbox-sha1-g7-2023", "production-macos-sha256-2023",
        "production-macos-sha1-2017",
    ]
    .map { $0 + ".b64" }
    static let xcode = ["xcode-2023-one-purchase.b64", "xcode-2023-empty.b64"]
    static let legacy = "legacy-v2-sandbox-2012.b64"
    static let all = apple + xcode + [legacy]

    static func enrolled() throws -> TrustAnchors {
        try TrustAnchors(certificates: [certificate("StoreKitTestCertificate.cer")])
    }

    /// A validator that accepts every genuine receipt.
    static func validator() throws -> ReceiptValidator {
        ReceiptValidator(
            intermediates: try CertificatePool(certificates: [certificate("AppleITunesStoreCA.cer")]),
            xcodeCertificates: try enrolled())
    }
}
