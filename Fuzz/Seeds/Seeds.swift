import Foundation
import FuzzSupport

/// A seed: its path below `Fuzz`, and its bytes.
typealias Seed = (path: String, bytes: [UInt8])

/// Writes the seeds and the certificates with which their signatures verify. The private keys are not saved, so every
/// run writes new files. Run `Fuzz/make-seeds` to add a seed, and commit all files that it writes.
@main
struct Seeds {
    static func main() throws {
        let seeds =
            try base64() + certificates() + ocspResponses() + payloads() + signedData() + unifiedReceipts()
            + legacyReceipts() + simulator() + customerTokens() + server()
        for folder in ["Corpus", "Trust"] {
            try? FileManager.default.removeItem(at: Material.folder.appending(path: folder))
        }
        for (path, bytes) in seeds {
            let file = Material.folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: file)
        }
        print("\(seeds.count) files")
    }

    static func seed(_ target: String, _ name: String, _ text: String) -> Seed {
        seed(target, name, Array(text.utf8))
    }

    static func seed(_ target: String, _ name: String, _ bytes: some Sequence<UInt8>) -> Seed {
        ("Corpus/\(target)/\(name)", Array(bytes))
    }

    private static func customerTokens() -> [Seed] {
        let plain = #""sub":"anna","iat":1780000000,"exp":1780003600"#
        let account = #""app_account_token":"7A1B0F6E-0000-4000-8000-000000000001""#
        return [
            seed("customer-tokens", "plain", "{\(plain)}"),
            seed(
                "customer-tokens", "session",
                "{\(plain)," + #""aud":"com.example.app","app_transaction_id":"704000000000000001","# + "\(account)}"),
        ]
    }

    private static func base64() -> [Seed] {
        ["", "QQ", "QQ==", "QUI", "QUI=", "QUJD", "_-8", "/+8=", "QR", "Q", "QUJD\nQUJD", "QUJDREVGR0g9"].enumerated()
            .map { seed("base64", "text-\($0)", $1) }
    }
}
