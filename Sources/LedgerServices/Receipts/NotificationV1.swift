internal import Basics
internal import Foundation

/// A notification of version 1: nothing in it is signed but the receipt.
///
/// Of its many members only what leads to the receipt is read; the receipt is proof, and the history that it leads to says
/// more than all the others.
package struct NotificationV1: Decodable {
    private struct Unified: Decodable {
        var latestReceipt: String?

        private enum CodingKeys: String, CodingKey {
            case latestReceipt = "latest_receipt"
        }
    }

    package var type: String
    /// The app's shared secret.
    package var password: String?
    /// In base64: the newest receipt; very old ones have it at the top.
    package var receipt: String?
    /// Which purchase it is about. Nothing proves it: it says only what to ask the App Store about.
    var originalTransactionID: String?

    private enum CodingKeys: String, CodingKey {
        case type = "notification_type"
        case password
        case unified = "unified_receipt"
        case latestReceipt = "latest_receipt"
        case latestExpiredReceipt = "latest_expired_receipt"
        case originalTransactionID = "original_transaction_id"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = try container.decode(String.self, forKey: .type)
        password = try container.decodeIfPresent(String.self, forKey: .password)
        let unified = try container.decodeIfPresent(Unified.self, forKey: .unified)
        receipt =
            try unified?.latestReceipt ?? container.decodeIfPresent(String.self, forKey: .latestReceipt)
            ?? container.decodeIfPresent(String.self, forKey: .latestExpiredReceipt)
        // Of another type or form it leads nowhere, and the receipt may.
        let id = try? container.decodeIfPresent(String.self, forKey: .originalTransactionID)
        originalTransactionID = id.flatMap { Self.isIdentifier($0) ? $0 : nil }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) }
    }

    /// Reads a body; nil when it is something else.
    package static func read(_ body: [UInt8]) -> NotificationV1? {
        // Not to be one is the answer, whatever it is instead.
        try? StrictJSONDecoder.decode(NotificationV1.self, from: body)
    }

    /// A body as it may be kept: the shared secret of a notification of version 1 is nobody's to read.
    package static func withoutPassword(_ body: [UInt8]) -> [UInt8] {
        guard let password = read(body)?.password, !password.isEmpty else { return body }
        let secret = Array(password.utf8)
        // Written with escapes it is not found, and then nothing is kept.
        guard body.firstRange(of: secret) != nil else { return [] }
        return body.replacing(secret, with: Array("***".utf8))
    }
}
