internal import AppStoreTrust
public import Foundation
internal import SwiftASN1

/// One attribute of a receipt or a purchase, not decoded.
public struct ReceiptAttribute: Sendable, Hashable {
    /// The attribute's number, such as 2 for the bundle identifier.
    public let type: Int64

    /// The attribute's version: 1, and 2 for the opaque value.
    public let version: Int64

    /// The octets of the value. Most are ASN.1; some are not, even if they look like it.
    public let value: Data

    /// Creates an attribute with these values, for tests.
    public init(type: Int64, version: Int64 = 1, value: Data) {
        self.type = type
        self.version = version
        self.value = value
    }

    /// Parses a SET of attributes.
    ///
    /// - Parameter remaining: How many more attributes are allowed. Decreases by the number of parsed attributes.
    static func read(
        _ bytes: ArraySlice<UInt8>, _ name: String, remaining: inout Int
    ) throws(VerificationError) -> [ReceiptAttribute] {
        var nodes = try ASN1Node.parse(ber: bytes, name).fields(.set, name)
        var attributes: [ReceiptAttribute] = []
        while let node = nodes.nextIfAny() {
            guard remaining > 0 else { throw VerificationError(.tooLarge, "the receipt has too many attributes") }
            remaining -= 1
            attributes.append(try ReceiptAttribute(node))
        }
        return attributes
    }

    /// The value as ASN.1; nil if it is not ASN.1, as in many attributes.
    var node: ASN1Node? {
        do {
            return try ASN1Node.parse(ber: Array(value)[...], "attribute \(type)")
        } catch {
            return nil
        }
    }

    /// The value as text, which may be empty; nil if it is not text.
    var text: String? { node?.text }

    private init(_ node: ASN1Node) throws(VerificationError) {
        var fields = try node.fields(.sequence, "an attribute")
        type = try fields.next().integer("an attribute's type")
        version = try fields.next().integer("an attribute's version")
        value = Data(try fields.next().octets("an attribute's value"))
        try fields.finish()
    }
}

/// Decodes the attributes of one SET by number, and records which ones it has decoded.
struct AttributeReader {
    private let all: [ReceiptAttribute]
    private let name: String
    private var known: [Int64: ReceiptAttribute] = [:]
    private var decoded: Set<Int64>

    /// - Parameters:
    ///   - unique: The attributes that may occur only once. Duplicates are refused: parsers that use the first and
    ///     parsers that use the last would read two different receipts.
    ///   - repeated: The attributes that the caller decodes itself.
    init(
        _ attributes: [ReceiptAttribute], unique: Set<Int64>, repeated: Set<Int64> = [], _ name: String
    ) throws(VerificationError) {
        (all, self.name, decoded) = (attributes, name, repeated)
        for attribute in attributes where unique.contains(attribute.type) {
            guard known.updateValue(attribute, forKey: attribute.type) == nil else {
                throw .malformed("\(name) has attribute \(attribute.type) twice")
            }
        }
    }

    /// The unknown attributes, and those with an unexpected value, in file order.
    var others: [ReceiptAttribute] { all.filter { !decoded.contains($0.type) } }

    /// Returns a text; nil if it is absent, empty or not text.
    mutating func text(_ type: Int64) -> String? {
        guard let text = known[type]?.text else { return nil }
        decoded.insert(type)
        return text.isEmpty ? nil : text
    }

    mutating func requiredText(_ type: Int64) throws(VerificationError) -> String {
        guard let text = text(type) else { throw .malformed("\(name) lacks attribute \(type)") }
        return text
    }

    /// Returns a date; nil if it is absent, empty or not a date.
    mutating func date(_ type: Int64) -> Date? {
        guard let text = known[type]?.text else { return nil }
        let date = ReceiptDate.parse(text)
        if date != nil || text.isEmpty { decoded.insert(type) }
        return date
    }

    /// Returns a date whose absence would extend access: nil if absent or empty. Throws if it is not a date.
    mutating func dateOrThrow(_ type: Int64) throws(VerificationError) -> Date? {
        let date = date(type)
        guard known[type] == nil || decoded.contains(type) else {
            throw .malformed("\(name) has an unreadable date in attribute \(type)")
        }
        return date
    }

    mutating func requiredDate(_ type: Int64) throws(VerificationError) -> Date {
        guard let date = date(type) else { throw .malformed("\(name) lacks a date in attribute \(type)") }
        return date
    }

    /// Returns an INTEGER; nil if it is absent or of another type. Throws if it is negative or exceeds 64 bits.
    mutating func integer(_ type: Int64) throws(VerificationError) -> Int64? {
        guard let node = known[type]?.node, node.identifier == .integer else { return nil }
        let value = try node.integer("attribute \(type)")
        decoded.insert(type)
        return value
    }

    /// Returns the raw octets of a value that is not ASN.1, or that is needed exactly as encoded.
    mutating func requiredOctets(_ type: Int64) throws(VerificationError) -> Data {
        guard let attribute = known[type], !attribute.value.isEmpty else {
            throw .malformed("\(name) lacks attribute \(type)")
        }
        decoded.insert(type)
        return attribute.value
    }
}
