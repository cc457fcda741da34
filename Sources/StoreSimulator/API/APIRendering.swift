package import AppStoreModels
internal import Foundation

/// Writes answers as JSON, signing on the way. Not for use while the store is locked: signing takes its time.
package struct APIRendering {
    /// The signed text of a transaction, and so on for each kind of leaf.
    package var transaction: (JWSTransactionDecodedPayload) throws -> String
    package var renewalInfo: (JWSRenewalInfoDecodedPayload) throws -> String
    package var appTransaction: (AppTransaction) throws -> String
    /// The signed text of the notification with this number.
    package var notification: (Int) throws -> String

    package init(
        transaction: @escaping (JWSTransactionDecodedPayload) throws -> String,
        renewalInfo: @escaping (JWSRenewalInfoDecodedPayload) throws -> String,
        appTransaction: @escaping (AppTransaction) throws -> String, notification: @escaping (Int) throws -> String
    ) {
        self.transaction = transaction
        self.renewalInfo = renewalInfo
        self.appTransaction = appTransaction
        self.notification = notification
    }

    /// The JSON of an answer.
    package func bytes(_ body: APIBody) throws -> [UInt8] {
        var bytes: [UInt8] = []
        // One signed text with its three certificates fits.
        bytes.reserveCapacity(8 * 1024)
        try write(body, to: &bytes)
        return bytes
    }

    private func write(_ body: APIBody, to bytes: inout [UInt8]) throws {
        switch body {
        case .transaction(let payload): Self.write(signed: try transaction(payload), to: &bytes)
        case .renewalInfo(let payload): Self.write(signed: try renewalInfo(payload), to: &bytes)
        case .appTransaction(let payload): Self.write(signed: try appTransaction(payload), to: &bytes)
        case .notification(let number): Self.write(signed: try notification(number), to: &bytes)
        case .string(let text): Self.write(text, to: &bytes)
        case .integer(let number): bytes += String(number).utf8
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            var isFirst = true
            for element in elements {
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                try write(element, to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members): try write(members, to: &bytes)
        case .model(let model):
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            bytes += try encoder.encode(model)
        }
    }

    private func write(_ members: [(String, APIBody?)], to bytes: inout [UInt8]) throws {
        bytes.append(UInt8(ascii: "{"))
        var isFirst = true
        for (name, value) in members {
            guard let value else { continue }
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            Self.write(name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            try write(value, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Base64url and dots need no escapes, and are not searched for any.
    private static func write(signed text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        bytes += text.utf8
        bytes.append(UInt8(ascii: "\""))
    }

    // RFC 8259 §7: quotation mark, reverse solidus and the control characters must be escaped.
    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
