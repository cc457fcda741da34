internal import Basics
internal import HTTPTypes
internal import Hummingbird
internal import Ledger

/// The signature of a response about a customer, with which an app verifies the origin of the response. Without a
/// signature, an attacker in control of a device's network could respond that everything is bought.
///
/// A request with a nonce gets the header `Counterfoil-Signature: TIME.SIGNATURE`: milliseconds since 1970, and an
/// Ed25519 signature in base64url over ``message(_:_:_:_:)``.
enum ResponseSignature {
    static let nonceHeader = "Counterfoil-Nonce"
    static let signatureHeader = "Counterfoil-Signature"
    /// Created once: validating a header name costs more than finding the header.
    private static let nonceName = HTTPField.Name(nonceHeader)
    /// The error code for an invalid nonce.
    static let invalidNonce = "invalid_nonce"

    /// Returns the signed bytes: the version, the customer, the nonce and the time, each with a line feed, then the
    /// body. None of the lines can contain a line feed.
    static func message(_ customer: String, _ nonce: String, _ time: Milliseconds, _ body: [UInt8]) -> [UInt8] {
        Array("counterfoil-answer-1\n\(customer)\n\(nonce)\n\(time)\n".utf8) + body
    }

    /// Returns the nonce of a request, 16 to 64 characters of base64url; nil if there is none.
    static func nonce(of request: Request) throws(APIFailure) -> String? {
        guard let name = nonceName, !request.headers[values: name].isEmpty else { return nil }
        guard let nonce = request.headers.singleValue(of: name), 16...64 ~= nonce.utf8.count,
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
        isASCIIAlphanumeric || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }
}
