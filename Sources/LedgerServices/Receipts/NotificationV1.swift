internal import Basics
internal import Foundation

/// A notification of version 1. Only its receipt is signed.
///
/// Only the receipt and the members needed to find its history are decoded. The App Store's history contains more than
/// the other members.
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
    /// The newest receipt, in base64, from `unified_receipt` or, in old notifications, from the top level.
    package var receipt: String?
    /// The original transaction identifier. It is not signed and serves only to request the App Store's history.
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
        // Ignore an identifier of another type or form: the receipt is enough.
        let id = try? container.decodeIfPresent(String.self, forKey: .originalTransactionID)
        originalTransactionID = id.flatMap { $0.isDigits(upTo: 64) ? $0 : nil }
    }

    /// Decodes a body. Returns nil if it is not a notification of version 1.
    package static func read(_ body: [UInt8]) -> NotificationV1? {
        // The decoding error does not matter.
        try? StrictJSONDecoder.decode(NotificationV1.self, from: body)
    }

    /// Returns a body with the shared secret replaced by `***`, to be stored. Returns an empty array if the secret
    /// cannot be replaced, as in JSON that is cut off or has two members of that name. The body need not be a
    /// notification: a `verifyReceipt` request has the secret too.
    package static func withoutPassword(_ body: [UInt8]) -> [UInt8] {
        struct Secret: Decodable { var password: String? }
        let found: String?
        do { found = try StrictJSONDecoder.decode(Secret.self, from: body).password } catch {
            // A name can be written with escapes, such as `p\u0061ssword`.
            let mayHaveSecret = ["password", "\\u"].contains { Data(body).range(of: Data($0.utf8)) != nil }
            return mayHaveSecret ? [] : body
        }
        guard let password = found, !password.isEmpty else { return body }
        let quote = UInt8(ascii: "\"")
        // A secret with JSON escapes is not found in the bytes. Then store nothing.
        guard !password.utf8.contains(where: { $0 == quote || $0 == UInt8(ascii: "\\") }) else { return [] }
        let string = Array("\"\(password)\"".utf8)
        var (result, rest, isFound) = ([UInt8](), body[...], false)
        result.reserveCapacity(body.count)
        // Anybody can send any secret, so the search must be linear: each comparison begins at a quotation mark and ends
        // at the next one at the latest.
        while let start = rest.firstIndex(of: quote) {
            result += rest[..<start]
            rest = rest[start...]
            if rest.starts(with: string) {
                result += "\"***\"".utf8
                rest = rest.dropFirst(string.count)
                isFound = true
            } else {
                result.append(quote)
                rest = rest.dropFirst()
            }
        }
        result += rest
        return isFound ? result : []
    }
}
