internal import Basics
package import Crypto
package import Foundation

/// The compact form of RFC 7515 §7.1, made with ES256. Everything this module signs as a JWS goes through here, and so
/// does what the simulator signs in Apple's place.
package enum CompactJWS {
    /// Signs `header.payload`. Both are the exact bytes that will be signed; `header` has to say `"alg":"ES256"`.
    package static func sign(
        header: some Collection<UInt8>, payload: some Collection<UInt8>, with key: P256.Signing.PrivateKey
    ) throws(SigningError) -> String {
        try sign(encodedHeader: Base64.encodeURL(header), payload: payload, with: key)
    }

    /// The same for a header that is base64url already: it repeats from one JWS to the next.
    package static func sign(
        encodedHeader: String, payload: some Collection<UInt8>, with key: P256.Signing.PrivateKey
    ) throws(SigningError) -> String {
        let input = encodedHeader + "." + Base64.encodeURL(payload)
        do {
            // RFC 7518 §3.4: r and s, 32 bytes each; not DER.
            return try input + "." + Base64.encodeURL(key.signature(for: Data(input.utf8)).rawRepresentation)
        } catch {
            throw SigningError(.signingFailed, "the cryptographic library refused to sign")
        }
    }

    /// JSON with sorted keys: the same value always gives the same bytes.
    package static func json(_ value: some Encodable) throws(SigningError) -> Data {
        do { return try JSONEncoder.sorted.encode(value) } catch {
            throw SigningError(.unencodable, "the value cannot be written as JSON")
        }
    }
}

extension Date {
    /// Whole seconds since 1970, rounded down; an error where no such number is.
    func unixSeconds() throws(SigningError) -> Int64 {
        guard let seconds = Int64(exactly: timeIntervalSince1970.rounded(.down)) else {
            throw SigningError(.invalidDate, "the clock shows no usable date")
        }
        return seconds
    }
}
