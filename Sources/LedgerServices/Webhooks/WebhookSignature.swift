internal import Crypto
package import Foundation
package import Ledger

/// Signs messages as Standard Webhooks 1.0 specifies.
package enum WebhookSignature {
    /// Returns the headers of a message: `webhook-id`, `webhook-timestamp`, and `webhook-signature` with one signature
    /// per secret.
    ///
    /// - Parameter date: When the message is sent. Receivers refuse messages that differ by five minutes from their
    ///   clock.
    package static func headers(
        id: String, date: Date, body: Data, secrets: [Secret]
    ) -> [(name: String, value: String)] {
        let timestamp = String(Self.timestamp(date))
        let content = Data("\(id).\(timestamp).".utf8) + body
        let signatures = secrets.compactMap(\.webhookKey).map { key in
            let code = HMAC<SHA256>.authenticationCode(for: content, using: SymmetricKey(data: key))
            return "v1," + Data(code).base64EncodedString()
        }
        return [
            ("webhook-id", id), ("webhook-timestamp", timestamp),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }

    /// Returns a date as seconds for the header `webhook-timestamp`, clamped to `Int64`: a webhook that a user pastes
    /// to decode it may contain any number.
    static func timestamp(_ date: Date) -> Int64 {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        return Int64(exactly: seconds) ?? (seconds < 0 ? .min : .max)
    }

    /// Returns a new secret: `whsec_` and 32 random bytes in base64.
    package static func makeSecret() -> Secret {
        let key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        return Secret("whsec_" + key.base64EncodedString())
    }
}

extension Secret {
    /// The HMAC key of Standard Webhooks; nil unless the secret is `whsec_` followed by base64 of 24 to 64 bytes.
    package var webhookKey: [UInt8]? {
        guard revealed.hasPrefix("whsec_"), let data = Data(base64Encoded: String(revealed.dropFirst(6))),
            (24...64).contains(data.count)
        else { return nil }
        return Array(data)
    }
}
