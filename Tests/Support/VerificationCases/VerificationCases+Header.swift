internal import AppStoreTrust
import Basics
internal import Crypto
internal import Foundation
internal import StoreSimulator

extension VerificationCases {
    /// Headers with members that RFC 7515 §4 forbids or that we do not support. Their signatures are valid.
    static let header: [VerificationCase] = members.map { name, code, members in
        VerificationCase("header: " + name, code) { try EditableJWS($0, header: $0.header(adding: members)).text }
    }

    private static let members: [(String, VerificationError.Code, String)] = [
        ("crit", .unsupportedHeader, #""crit":["exp"],"exp":1,"#),
        ("crit, empty", .unsupportedHeader, #""crit":[],"#),
        ("crit, null", .unsupportedHeader, #""crit":null,"#),
        ("b64 false", .unsupportedHeader, #""b64":false,"#),
        ("b64 false and crit", .unsupportedHeader, #""b64":false,"crit":["b64"],"#),
        ("b64 true", .unsupportedHeader, #""b64":true,"#),
        ("alg twice, none first", .badJSON, #""alg":"none","#),
        ("alg twice, the same", .badJSON, #""alg":"ES256","#),
        ("x5c twice, null first", .badJSON, #""x5c":null,"#),
        ("another member twice", .badJSON, #""typ":"JWT","typ":"JWT","#),
        ("alg twice, one escaped", .badJSON, #""\u0061lg":"none","#),
        ("crit, escaped", .badJSON, #""cr\u0069t":["exp"],"#),
        ("x5c twice, one escaped", .badJSON, #""x5\u0063":[],"#),
        ("a member without a name", .badJSON, #"1,"#),
        ("10 000 arrays in each other", .badJSON, "\"x\":\(nested(10_000)),"),
        ("10 000 objects in each other", .badJSON, "\"x\":\(nestedObjects(10_000)),"),
        ("32 arrays in each other", .badJSON, "\"x\":\(nested(32)),"),
        ("a member twice, further in", .badJSON, #""x":{"alg":"none","alg":"none"},"#),
        ("a bad escape", .badJSON, #""x":"\q","#),
        ("an unclosed string", .badJSON, #""x":"#),
        ("a comment", .badJSON, "/* */"),
        ("a control character", .badJSON, "\"x\":\"\u{1}\","),
        ("a NUL character", .badJSON, "\"x\":\"\0\","),
        ("a comma too many", .badJSON, ","),
    ]

    /// Headers that are not a valid header object.
    static let headerJSON: [VerificationCase] = texts.map { name, code, json in
        VerificationCase("header: " + name, code) { try EditableJWS($0, header: json($0)).text }
    }

    private static let texts: [(String, VerificationError.Code, Maker)] = [
        ("nothing but white space", .badJSON, { _ in " " }),
        ("null", .badJSON, { _ in "null" }), ("a number", .badJSON, { _ in "1" }),
        ("a string", .badJSON, { _ in #""ES256""# }), ("an array", .badJSON, { "[\($0.header())]" }),
        ("an empty object", .badJSON, { _ in "{}" }),
        ("a byte order mark", .badJSON, { "\u{FEFF}" + $0.header() }),
        ("two objects", .badJSON, { $0.header() + $0.header() }),
        ("an object and garbage", .badJSON, { $0.header() + "x" }),
        ("cut off", .badJSON, { String($0.header().dropLast()) }),
        ("cut off within a name", .badJSON, { _ in #"{"al"# }),
        ("cut off after a backslash", .badJSON, { _ in #"{"al\"# }),
        ("without x5c", .chainLength, { _ in #"{"alg":"ES256"}"# }),
        ("x5c null", .chainLength, { _ in #"{"alg":"ES256","x5c":null}"# }),
        ("x5c a string", .badJSON, { _ in #"{"alg":"ES256","x5c":"AAAA"}"# }),
        ("x5c an object", .badJSON, { _ in #"{"alg":"ES256","x5c":{"0":"AAAA"}}"# }),
        ("x5c of numbers", .badJSON, { _ in #"{"alg":"ES256","x5c":[1,2,3]}"# }),
        ("x5c with a null", .badJSON, { _ in #"{"alg":"ES256","x5c":["AAAA",null,"AAAA"]}"# }),
        ("x5c as X5C", .chainLength, { $0.header().replacing("x5c", with: "X5C") }),
        ("jku instead of x5c", .chainLength, { _ in #"{"alg":"ES256","jku":"https://example.com/keys"}"# }),
        ("x5u instead of x5c", .chainLength, { _ in #"{"alg":"ES256","x5u":"https://example.com/chain"}"# }),
        (
            "80 000 certificates", .chainLength,
            { _ in
                #"{"alg":"ES256","x5c":["# + String(repeating: #""","#, count: 60_000) + #"""]}"#
            }
        ),
    ]

    /// Headers in other encodings, and headers that carry a key.
    static let headerBytes: [VerificationCase] = [
        VerificationCase("header: UTF-16", .badJSON) { try encoded($0, .utf16) },
        VerificationCase("header: UTF-16 without a mark", .badJSON) { try encoded($0, .utf16LittleEndian) },
        VerificationCase("header: UTF-32", .badJSON) { try encoded($0, .utf32BigEndian) },
        VerificationCase("header: bytes that are no UTF-8", .badJSON) {
            // In a member that decoders skip.
            var bytes = Data($0.header(adding: #""x":"@@","#).utf8)
            bytes.replaceSubrange(6..<8, with: [0xFF, 0xFE])
            return try EditableJWS(header: bytes, payload: Data(Members(.transaction).json.utf8), key: $0.signingKey)
                .text
        },
        VerificationCase("header: a stranger's key as jwk", .badSignature) {
            try signedByStranger($0) { x, y in #""jwk":{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"},"# }
        },
        VerificationCase("header: a stranger's key at jku", .badSignature) {
            try signedByStranger($0) { _, _ in #""jku":"https://example.com/keys","kid":"1","# }
        },
    ]

    /// Headers whose `alg` is not exactly ES256.
    static let algorithm: [VerificationCase] = algorithms.map { name in
        VerificationCase("alg is \"\(name)\"", .unsupportedAlgorithm) {
            try EditableJWS($0, header: $0.header().replacing("ES256", with: name)).text
        }
    }

    private static let algorithms: [String] = [
        "none", "None", "HS256", "RS256", "PS256", "ES384", "ES512", "ES256K", "EdDSA", "es256", "ES256 ", " ES256",
        "ES256\\u0000", "", "ЕS256",
    ]

    static let algorithmTypes: [VerificationCase] = algorithmValues.map { json in
        VerificationCase("alg is \(json)", .badJSON) {
            try EditableJWS($0, header: $0.header().replacing(#""ES256""#, with: json)).text
        }
    }

    private static let algorithmValues: [String] = ["null", "1", "true", #"["ES256"]"#, #"{"ES256":"ES256"}"#]

    static let confusion: [VerificationCase] = [
        VerificationCase("no alg", .badJSON) {
            try EditableJWS($0, header: $0.header().replacing(#""alg":"ES256","#, with: "")).text
        },
        VerificationCase("alg as ALG", .badJSON) {
            try EditableJWS($0, header: $0.header().replacing("alg", with: "ALG")).text
        },
        VerificationCase("alg none and no signature", .malformedCompactForm) {
            try EditableJWS($0, header: $0.header().replacing("ES256", with: "none")).changing { $0.signature = "" }
                .text
        },
        VerificationCase("HS256 with the public key as the secret", .unsupportedAlgorithm) { authority in
            let secret = SymmetricKey(data: Data(authority.signingKey.publicKey.pemRepresentation.utf8))
            return try EditableJWS(authority, header: authority.header().replacing("ES256", with: "HS256")).changing {
                let code = HMAC<SHA256>.authenticationCode(
                    for: Data("\($0.header).\($0.payload)".utf8), using: secret)
                $0.signature = Base64.encodeURL(Array(code))
            }.text
        },
    ]

    static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    static func nestedObjects(_ depth: Int) -> String {
        String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    }

    private static func encoded(_ authority: Authority, _ encoding: String.Encoding) throws -> String {
        guard let bytes = authority.header().data(using: encoding) else { throw Unfit(description: "not encodable") }
        return try EditableJWS(header: bytes, payload: Data(Members(.transaction).json.utf8), key: authority.signingKey)
            .text
    }

    private static func signedByStranger(
        _ authority: Authority, _ members: (_ x: String, _ y: String) -> String
    ) throws -> String {
        let stranger = P256.Signing.PrivateKey()
        let point = stranger.publicKey.rawRepresentation
        let members = members(Base64.encodeURL(point.prefix(32)), Base64.encodeURL(point.suffix(32)))
        return try EditableJWS(
            header: Data(authority.header(adding: members).utf8), payload: Data(Members(.transaction).json.utf8),
            key: stranger
        ).text
    }
}
