package import Ledger
internal import Crypto
package import Foundation

/// Signs by Standard Webhooks 1.0.
package enum WebhookSignature {
    /// The headers of a message: `webhook-id`, `webhook-timestamp`, `webhook-signature` with a signature of each secret.
    ///
    /// - Parameter date: When it is sent. Receivers refuse what is five minutes off their own clock.
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

    /// A date as the header `webhook-timestamp` has it, or the nearest there is: who pastes a webhook to have it decoded
    /// may have any number there.
    static func timestamp(_ date: Date) -> Int64 {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        return Int64(exactly: seconds) ?? (seconds < 0 ? .min : .max)
    }

    /// A new secret: `whsec_` and 32 random bytes.
    package static func makeSecret() -> Secret {
        let key = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
        return Secret("whsec_" + key.base64EncodedString())
    }
}

extension Secret {
    /// The bytes that Standard Webhooks signs with; nil if this is no `whsec_` and base64 of 24 to 64 bytes.
    package var webhookKey: [UInt8]? {
        guard revealed.hasPrefix("whsec_"), let data = Data(base64Encoded: String(revealed.dropFirst(6))),
            (24...64).contains(data.count)
        else { return nil }
        return Array(data)
    }
}
