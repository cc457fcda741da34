internal import Basics
package import Crypto
package import Foundation

/// The JWS compact serialization (RFC 7515 §7.1) with ES256. Creates every JWS of this module, and those that the
/// simulator signs instead of Apple.
package enum CompactJWS {
    /// Signs `header.payload`. Both are signed unchanged; `header` has to contain `"alg":"ES256"`.
    package static func sign(
        header: some Collection<UInt8>, payload: some Collection<UInt8>, with key: P256.Signing.PrivateKey
    ) throws(SigningError) -> String {
        let input = Base64.encodeURL(header) + "." + Base64.encodeURL(payload)
        do {
            // RFC 7518 §3.4: r and s, 32 bytes each; not DER.
            return try input + "." + Base64.encodeURL(key.signature(for: Data(input.utf8)).rawRepresentation)
        } catch {
            throw SigningError(.signingFailed, "the cryptographic library refused to sign")
        }
    }

    /// Returns the payload of a JWS, which is not verified; nil unless there are three parts and it is base64url.
    package static func payload(of text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 ? Base64.decodeURL(parts[1]) : nil
    }

    /// Returns JSON with sorted keys: equal values give equal bytes.
    package static func json(_ value: some Encodable) throws(SigningError) -> Data {
        do { return try JSONEncoder.sorted.encode(value) } catch {
            throw SigningError(.unencodable, "the value cannot be written as JSON")
        }
    }
}

extension Date {
    /// Returns the time since 1970 in whole units, rounded down. Throws `invalid_date` if Int64 cannot represent it.
    func unixTime(unitsPerSecond: Double = 1) throws(SigningError) -> Int64 {
        guard let time = Int64(exactly: (timeIntervalSince1970 * unitsPerSecond).rounded(.down)) else {
            throw SigningError(.invalidDate, "the clock shows no usable date")
        }
        return time
    }
}
