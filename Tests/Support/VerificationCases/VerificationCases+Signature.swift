internal import AppStoreTrust
import Basics
internal import Crypto
internal import Foundation
internal import StoreSimulator

extension VerificationCases {
    /// Signatures that are not two integers of 32 bytes (RFC 7518 §3.4), or not the right ones.
    static let signature: [VerificationCase] = numbers.map { name, change in
        VerificationCase("signature: " + name, .badSignature) { authority in
            try EditableJWS(authority).changing {
                let raw = Base64.decodeURL($0.signature) ?? []
                $0.signature = Base64.encodeURL(change(try P256.Signing.ECDSASignature(rawRepresentation: raw)))
            }.text
        }
    }

    private static let numbers: [(String, @Sendable (P256.Signing.ECDSASignature) -> Data)] = [
        ("DER", { $0.derRepresentation }),
        ("r alone", { $0.rawRepresentation.prefix(32) }),
        ("63 bytes", { $0.rawRepresentation.dropLast() }),
        ("65 bytes", { $0.rawRepresentation + [0] }),
        ("a zero before", { [0] + $0.rawRepresentation }),
        ("twice", { $0.rawRepresentation + $0.rawRepresentation }),
        ("100 000 bytes", { $0.rawRepresentation + Data(count: 100_000) }),
        ("one byte", { _ in Data([1]) }),
        ("all zero", { _ in Data(count: 64) }),
        ("all ones", { _ in Data(repeating: 0xFF, count: 64) }),
        ("r is 0", { Data(count: 32) + $0.rawRepresentation.suffix(32) }),
        ("s is 0", { $0.rawRepresentation.prefix(32) + Data(count: 32) }),
        ("r is the order", { order + $0.rawRepresentation.suffix(32) }),
        ("s is the order", { $0.rawRepresentation.prefix(32) + order }),
        ("r and s are the order", { _ in order + order }),
        ("r is 1, s is 1", { _ in Data(count: 31) + [1] + Data(count: 31) + [1] }),
        ("r and s swapped", { $0.rawRepresentation.suffix(32) + $0.rawRepresentation.prefix(32) }),
        (
            "little-endian",
            { Data($0.rawRepresentation.prefix(32).reversed() + $0.rawRepresentation.suffix(32).reversed()) }
        ),
        (
            "the last bit changed",
            {
                var raw = $0.rawRepresentation; raw[63] ^= 1; return raw
            }
        ),
        (
            "the first bit changed",
            {
                var raw = $0.rawRepresentation; raw[0] ^= 0x80; return raw
            }
        ),
    ]

    /// Signatures over other bytes, or by other keys.
    static let signedOther: [VerificationCase] = [
        VerificationCase("signature: a stranger's", .badSignature) {
            try EditableJWS(
                header: Data($0.header().utf8), payload: Data(Members(.transaction).json.utf8), key: .init()
            ).text
        },
        VerificationCase("signature: of another payload", .badSignature) { authority in
            let other = try EditableJWS(authority, payload: Members(.transaction).with("quantity", "2").json)
            return try EditableJWS(authority).changing { $0.signature = other.signature }.text
        },
        VerificationCase("signature: of another header", .badSignature) { authority in
            let other = try EditableJWS(authority, header: authority.header(adding: #""typ":"JWT","#))
            return try EditableJWS(authority).changing { $0.signature = other.signature }.text
        },
        VerificationCase("signature: of the payload alone", .badSignature) { authority in
            try EditableJWS(authority).changing {
                let raw = try authority.signingKey.signature(for: Data($0.payload.utf8)).rawRepresentation
                $0.signature = Base64.encodeURL(raw)
            }.text
        },
        VerificationCase("signature: of the decoded segments", .badSignature) { authority in
            try EditableJWS(authority).changing {
                let text = authority.header() + "." + Members(.transaction).json
                let raw = try authority.signingKey.signature(for: Data(text.utf8)).rawRepresentation
                $0.signature = Base64.encodeURL(raw)
            }.text
        },
        VerificationCase("signature: over SHA-384", .badSignature) { authority in
            try EditableJWS(authority).changing {
                let digest = SHA384.hash(data: Data("\($0.header).\($0.payload)".utf8))
                $0.signature = Base64.encodeURL(try authority.signingKey.signature(for: digest).rawRepresentation)
            }.text
        },
        VerificationCase("payload: one letter changed", .badSignature) { authority in
            let changed = Members(.transaction).with("quantity", "9").json
            return try EditableJWS(authority).changing { $0.payload = Base64.encodeURL(Array(changed.utf8)) }.text
        },
    ]

    /// The order of the group: r and s must be less.
    static let order = Data(
        [UInt8](hexadecimal: "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551") ?? [])

    /// Returns (r, n − s), which is as valid as (r, s).
    static func mirrored(_ raw: [UInt8]) -> [UInt8] {
        var result = raw
        var borrow = 0
        for index in (0..<32).reversed() {
            let digit = Int(order[index]) - Int(raw[32 + index]) - borrow
            borrow = digit < 0 ? 1 : 0
            result[32 + index] = UInt8(truncatingIfNeeded: digit)
        }
        return result
    }
}
