internal import AppStoreTrust
public import Foundation
internal import SwiftASN1

/// One attribute of a receipt or of a purchase, undecoded.
public struct ReceiptAttribute: Sendable, Hashable {
    /// The attribute's number, such as 2 for the bundle identifier.
    public let type: Int64

    /// The attribute's version: 1, and 2 for the opaque value.
    public let version: Int64

    /// The octets of the value. Most are ASN.1 themselves; some are not, even where they look it.
    public let value: Data

    /// An attribute with these values, as a test needs one; readers of receipts make the others.
    public init(type: Int64, version: Int64 = 1, value: Data) {
        self.type = type
        self.version = version
        self.value = value
    }

    /// Reads a SET of attributes.
    ///
    /// - Parameter remaining: How many more attributes may be read.
    static func read(
        _ bytes: ArraySlice<UInt8>, _ what: String, remaining: inout Int
    ) throws(VerificationError) -> [ReceiptAttribute] {
        var nodes = try ASN1Node.parse(ber: bytes, what).fields(.set, what)
        var attributes: [ReceiptAttribute] = []
        while let node = nodes.nextIfAny() {
            guard remaining > 0 else { throw VerificationError(.tooLarge, "the receipt has too many attributes") }
            remaining -= 1
            attributes.append(try ReceiptAttribute(node))
        }
        return attributes
    }

    /// The value as ASN.1; nil when it is none, as the values of many attributes are not.
    var node: ASN1Node? {
        do {
            return try ASN1Node.parse(ber: Array(value)[...], "attribute \(type)")
        } catch {
            return nil
        }
    }

    /// The value as text, empty text included; nil when it is none.
    var text: String? { node?.text }

    private init(_ node: ASN1Node) throws(VerificationError) {
        var fields = try node.fields(.sequence, "an attribute")
        type = try fields.next().integer("an attribute's type")
        version = try fields.next().integer("an attribute's version")
        value = Data(try fields.next().octets("an attribute's value"))
        try fields.finish()
    }
}

/// Decodes the attributes of one SET by number, and remembers which it could decode.
struct AttributeReader {
    private let all: [ReceiptAttribute]
    private let what: String
    private var known: [Int64: ReceiptAttribute] = [:]
    private var decoded: Set<Int64>

    /// - Parameters:
    ///   - single: The attributes that may occur once. The same one twice is refused: readers that let the first win and
    ///     readers that let the last win would see two different receipts.
    ///   - repeated: The attributes that the caller decodes itself.
    init(
        _ attributes: [ReceiptAttribute], single: Set<Int64>, repeated: Set<Int64> = [], _ what: String
    ) throws(VerificationError) {
        (all, self.what, decoded) = (attributes, what, repeated)
        for attribute in attributes where single.contains(attribute.type) {
            guard known.updateValue(attribute, forKey: attribute.type) == nil else {
                throw .malformed("\(what) has attribute \(attribute.type) twice")
            }
        }
    }

    /// What has no meaning here, or not the form it has to have, in file order.
    var others: [ReceiptAttribute] { all.filter { !decoded.contains($0.type) } }

    /// A text; nil when it is absent, empty or no text.
    mutating func text(_ type: Int64) -> String? {
        guard let text = known[type]?.text else { return nil }
        decoded.insert(type)
        return text.isEmpty ? nil : text
    }

    mutating func requiredText(_ type: Int64) throws(VerificationError) -> String {
        guard let text = text(type) else { throw .malformed("\(what) lacks attribute \(type)") }
        return text
    }

    /// A date; nil when it is absent, empty or no date.
    mutating func date(_ type: Int64) -> Date? {
        guard let text = known[type]?.text else { return nil }
        let date = ReceiptDate.parse(text)
        if date != nil || text.isEmpty { decoded.insert(type) }
        return date
    }

    /// A date whose absence would grant more than its presence: nil when absent or empty, refused when it is no date.
    mutating func limitingDate(_ type: Int64) throws(VerificationError) -> Date? {
        let date = date(type)
        guard known[type] == nil || decoded.contains(type) else {
            throw .malformed("\(what) has an unreadable date in attribute \(type)")
        }
        return date
    }

    mutating func requiredDate(_ type: Int64) throws(VerificationError) -> Date {
        guard let date = date(type) else { throw .malformed("\(what) lacks a date in attribute \(type)") }
        return date
    }

    /// An INTEGER; nil when it is absent or something else. One that is negative or exceeds 64 bits is refused.
    mutating func integer(_ type: Int64) throws(VerificationError) -> Int64? {
        guard let node = known[type]?.node, node.identifier == .integer else { return nil }
        let value = try node.integer("attribute \(type)")
        decoded.insert(type)
        return value
    }

    /// The octets of the value, which the attribute defines to be no ASN.1, or that are needed as they are.
    mutating func requiredOctets(_ type: Int64) throws(VerificationError) -> Data {
        guard let attribute = known[type], !attribute.value.isEmpty else {
            throw .malformed("\(what) lacks attribute \(type)")
        }
        decoded.insert(type)
        return attribute.value
    }
}
