internal import AppStoreModels
internal import AppStoreTrust
internal import Basics

/// The protected header of a JWS from the App Store (RFC 7515 §4).
struct ProtectedHeader {
    /// The certificate chain, DER encoded, leaf first.
    let certificates: [[UInt8]]

    /// Whether the key identifier is the one that Xcode uses. Only used for a better error message.
    let claimsXcode: Bool

    /// The maximum size of a certificate: seven times the size of the App Store's.
    static let maximumCertificateBytes = 8192

    private struct Members: Decodable {
        let alg: String
        let x5c: [String]?
        let kid: String?
        let isPlain: Bool

        private enum Name: String, CodingKey { case alg, x5c, kid, crit, b64 }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Name.self)
            alg = try members.decode(String.self, forKey: .alg)
            x5c = try members.decodeIfPresent([String].self, forKey: .x5c)
            kid = try members.decodeIfPresent(String.self, forKey: .kid)
            isPlain = !members.contains(.crit) && !members.contains(.b64)
        }
    }

    /// Parses the header and enforces RFC 7515.
    init(json: [UInt8]) throws(VerificationError) {
        let members: Members
        do {
            members = try StrictJSONDecoder.decode(Members.self, from: json)
        } catch {
            throw VerificationError(.badJSON, "the header is not the JSON expected: \(DecodingProblem(error))")
        }
        // RFC 7515 §4.1.11: a JWS with extensions that are not understood is invalid. This library understands none.
        guard members.isPlain else {
            throw VerificationError(.unsupportedHeader, "the header has a member crit or b64")
        }
        guard members.alg.isExactly("ES256") else {
            throw VerificationError(.unsupportedAlgorithm, "alg is not ES256")
        }
        guard let x5c = members.x5c else {
            throw VerificationError(.chainLength, "the header has no x5c")
        }
        guard x5c.count <= 3 else {
            throw VerificationError(.chainLength, "the chain has \(x5c.count) certificates, not 3")
        }
        var certificates: [[UInt8]] = []
        for (index, text) in x5c.enumerated() {
            // RFC 7515 §4.1.6: standard base64 with padding, not base64url.
            guard let der = Base64.decode(text), !der.isEmpty else {
                throw VerificationError(.certificateMalformed, "certificate \(index + 1) is not base64")
            }
            // A certificate with a name of thousands of parts takes long to parse, and nothing is verified yet.
            guard der.count <= Self.maximumCertificateBytes else {
                throw VerificationError(
                    .tooLarge, "certificate \(index + 1) is larger than \(Self.maximumCertificateBytes) bytes")
            }
            certificates.append(der)
        }
        self.certificates = certificates
        claimsXcode = members.kid?.isExactly("Apple_Xcode_Key") == true
    }
}

/// A description of a decoding error, without the value that caused it.
struct DecodingProblem: CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        switch error {
        case let problem as JSONProblem:
            description = problem.description
        case is UnknownPayloadKind:
            description = "the App Store signs no payload of this kind"
        case DecodingError.keyNotFound(let key, let context):
            description = "\(Self.path(context.codingPath + [key])) is missing"
        case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
            let expected = DecodingError.words(for: type) ?? "of the expected type"
            description = "\(Self.path(context.codingPath)) is not \(expected)"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            description = "\(Self.path(context.codingPath)) has an impossible value"
        default:
            description = "the syntax is wrong"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "it" : keys.map(\.stringValue).joined(separator: ".")
    }
}
