internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger

/// Answers about a customer that an app can prove: without a proof, whoever owns the network of a device could answer that
/// everything is bought.
///
/// A request with a nonce gets the header `Counterfoil-Signature: TIME.SIGNATURE`: milliseconds since 1970, and an Ed25519
/// signature in base64url over the lines of ``message(_:_:_:_:)`` and the body.
enum SignedAnswer {
    static let nonceHeader = "Counterfoil-Nonce"
    static let signatureHeader = "Counterfoil-Signature"
    /// Made once: to check a name costs more than to look for it.
    private static let nonceName = HTTPField.Name(nonceHeader)
    /// The code of the error for a nonce that is none.
    static let invalidNonce = "invalid_nonce"

    /// What is signed: the version, the customer, the nonce and the time, each with a line feed, then the body. None of the
    /// lines can hold a line feed.
    static func message(_ customer: String, _ nonce: String, _ time: Milliseconds, _ body: [UInt8]) -> [UInt8] {
        Array("counterfoil-answer-1\n\(customer)\n\(nonce)\n\(time)\n".utf8) + body
    }

    /// The nonce of a request: 16 to 64 characters of base64url, if there is one.
    static func nonce(of request: Request) throws(APIFailure) -> String? {
        guard let name = nonceName, !request.headers[values: name].isEmpty else { return nil }
        guard let nonce = request.headers.only(name), 16...64 ~= nonce.utf8.count,
            nonce.utf8.allSatisfy({ $0.isOfBase64URL })
        else {
            throw APIFailure(
                invalidNonce, "\(nonceHeader) has 16 to 64 characters: letters, digits, - and _.",
                parameter: nonceHeader)
        }
        return nonce
    }
}

extension UInt8 {
    fileprivate var isOfBase64URL: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
