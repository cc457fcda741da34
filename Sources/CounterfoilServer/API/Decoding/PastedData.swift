internal import Basics
internal import Crypto
internal import Foundation

/// Pasted data, recognized by its format alone.
enum PastedData {
    /// A compact JWS, signed by Apple or with an app's own key.
    case token(String)
    /// A JSON object with a signed text, such as a notification's `{"signedPayload":…}`, and the name of the text's
    /// member.
    case wrapped(String, member: String)
    /// A response of `verifyReceipt`: only the receipt in it, if there is one, is signed.
    case verifyReceiptResponse(receipt: String?, payload: [UInt8])
    case certificates(Data)
    /// An offer signature in the original format with the signed values, as in the API's response.
    case offer([UInt8])
    /// An offer signature without the signed values.
    case bareSignature
    /// A receipt, in base64 or as bytes.
    case receipt(Data)
    /// A webhook from this server: headers, an empty line, the body.
    case webhook(headers: [String: String], body: Data)

    init(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            self = .receipt(Data(bytes))
            return
        }
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if trimmed.hasPrefix("-----BEGIN") {
            self = .certificates(Data(trimmed.utf8))
        } else if let webhook = Self.webhook(text) {
            self = webhook
        } else if trimmed.hasPrefix("{"), let json = Self.json(trimmed) {
            self = json
        } else if trimmed.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2, trimmed.hasPrefix("ey") {
            self = .token(trimmed)
        } else if Self.isSignature(trimmed) {
            self = .bareSignature
        } else {
            self = .receipt(Data(trimmed.utf8))
        }
    }

    private static let members = [
        "signedPayload", "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo", "jws",
    ]

    private static func json(_ text: String) -> PastedData? {
        guard let object = VerbatimJSON.object(Array(text.utf8)) else { return nil }
        if object["signature"] is String, object["nonce"] is String { return .offer(Array(text.utf8)) }
        for member in members {
            if let token = object[member] as? String { return .wrapped(token, member: member) }
        }
        if object["status"] is NSNumber {
            let receipt = object["latest_receipt"] as? String
            return .verifyReceiptResponse(receipt: receipt, payload: Array(text.utf8))
        }
        if let receipt = object["receipt-data"] as? String { return .receipt(Data(receipt.utf8)) }
        return nil
    }

    /// Whether the text is base64 of a P-256 signature in DER and of nothing else, as StoreKit uses for an offer: two
    /// integers of up to 33 bytes each. Every receipt is longer.
    private static func isSignature(_ text: String) -> Bool {
        guard text.utf8.count <= 96, let der = Base64.decode(text) else { return false }
        return (try? P256.Signing.ECDSASignature(derRepresentation: der)) != nil
    }

    /// Parses header lines such as `webhook-id: …`, in any order and among others, then an empty line and the body.
    private static func webhook(_ text: String) -> PastedData? {
        // Search only the beginning: a pasted receipt may have megabytes.
        let beginning = String(text.prefix(16 << 10)).replacing("\r\n", with: "\n")
        guard let gap = beginning.firstRange(of: "\n\n") else { return nil }
        var headers: [String: String] = [:]
        for line in beginning[..<gap.lowerBound].split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        guard headers["webhook-id"] != nil else { return nil }
        let rest = String(text.dropFirst(16 << 10)).replacing("\r\n", with: "\n")
        return .webhook(headers: headers, body: Data(beginning[gap.upperBound...].utf8) + Data(rest.utf8))
    }
}
