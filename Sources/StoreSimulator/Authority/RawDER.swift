package import SwiftASN1

/// Encodes ASN.1 elements without a serializer, which would enforce rules that receipts do not follow.
package enum RawDER {
    package static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
        // DER requires the shortest form of the length. Strict parsers refuse any other.
        let length = withUnsafeBytes(of: UInt64(content.count).bigEndian) { Array($0.drop { $0 == 0 }) }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }

    /// Returns an element of indefinite length (BER).
    package static func indefinite(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, 0x80] + content + [0, 0] }

    package static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(0x30, Array(parts.joined())) }
    package static func set(_ parts: [[UInt8]]) -> [UInt8] { element(0x31, Array(parts.joined())) }
    package static func octets(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }
    package static func utf8(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }
    package static func ia5(_ text: String) -> [UInt8] { element(0x16, Array(text.utf8)) }

    package static func integer(_ value: Int64) -> [UInt8] {
        var bytes = withUnsafeBytes(of: value.bigEndian) { Array($0) }
        while bytes.count > 1, bytes[0] == 0, bytes[1] < 0x80 { bytes.removeFirst() }
        return element(0x02, bytes)
    }

    package static func unsigned(_ bytes: [UInt8]) -> [UInt8] {
        element(0x02, (bytes.first ?? 0) < 0x80 ? bytes : [0] + bytes)
    }

    package static var null: [UInt8] { [0x05, 0x00] }

    package static func oid(_ identifier: ASN1ObjectIdentifier) throws -> [UInt8] { try encoded(identifier) }

    /// Returns the DER of a value that can serialize itself.
    package static func encoded(_ value: some DERSerializable) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(value)
        return serializer.serializedBytes
    }
}
