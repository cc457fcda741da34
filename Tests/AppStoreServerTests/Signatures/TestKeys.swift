import AppStoreTrust
import Basics
import Crypto
import Foundation
import Testing

@testable import AppStoreServer

/// Keys for these tests only, and a reader for what they sign.
enum TestKeys {
    static let sec1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIKPkFWz3/xnC68qWXNTeDUJle/oFhBrmKNgnyYMMyjvOoAoGCCqGSM49
        AwEHoUQDQgAE9+ifThsbtHytTE9xY5tro+fC1HB8bmZsOIO8TuxNS7kj48+F7sWv
        T20DtORx2KcBq0gyPu4lqdQFg+o+hYzShA==
        -----END EC PRIVATE KEY-----
        """

    static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAioPS5wwFZ6qHHT4gF
        HwnKDWGdCwYugZh8u0VcCA4+N2n2VR0R5t5FXvm/xXxEIu6hZANiAASeRc6rYiMz
        ou4EAQEm8FDF//Dg5/6hLT/3n/m8zB2v1zdu3ofGmP9skRrvW0ULsqn+S2QBb5/v
        5mE6ya8knlP5jAMfyvf9zZ0tZfEoZGicL3Tt7FCvwQ2KQBFee9FfWoE=
        -----END PRIVATE KEY-----
        """

    /// As long as a P-256 key, but on another curve.
    static let secp256k1 = """
        -----BEGIN PRIVATE KEY-----
        MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgt3YWQbzaF1JeAcKHKd81
        1/ixBkO9DzVXUkHp+NWEsKmhRANCAAQ2ORhOWwSfyST5BsjP4Qvcsd9LB/RpqYJ1
        4Yr0mSd5GogpRcDNvrFQZgCovnqLWp2Vv4/bnYbZ+22HLOZVwsAg
        -----END PRIVATE KEY-----
        """

    static let secp256k1SEC1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHQCAQEEILd2FkG82hdSXgHChynfNdf4sQZDvQ81V1JB6fjVhLCpoAcGBSuBBAAK
        oUQDQgAENjkYTlsEn8kk+QbIz+EL3LHfSwf0aamCdeGK9JkneRqIKUXAzb6xUGYA
        qL56i1qdlb+P252G2ftthyzmVcLAIA==
        -----END EC PRIVATE KEY-----
        """

    /// Its curve may be any of 256 bits.
    static let unnamedCurve = """
        -----BEGIN EC PRIVATE KEY-----
        MCUCAQEEIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB
        -----END EC PRIVATE KEY-----
        """

    static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE9+ifThsbtHytTE9xY5tro+fC1HB8
        bmZsOIO8TuxNS7kj48+F7sWvT20DtORx2KcBq0gyPu4lqdQFg+o+hYzShA==
        -----END PUBLIC KEY-----
        """

    static let keyID = "ABCDEFGHIJ"
    static let issuerID = "57246542-96fe-1a63-e053-0824d011072a"
    static let bundleID = "com.example.app"

    /// Verifies a JWS with swift-crypto and returns its header and payload.
    static func open(_ jws: String, with key: P256.Signing.PublicKey) throws -> (
        header: [String: Any], claims: [String: Any]
    ) {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        let bytes = try #require(Base64.decodeURL(parts[2]))
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: bytes)
        try #require(key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
        let header = try #require(Base64.decodeURL(parts[0]))
        let payload = try #require(Base64.decodeURL(parts[1]))
        return (try object(Data(header)), try object(Data(payload)))
    }

    static func object(_ data: Data) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    }
}
