internal import AppStoreTrust
internal import SwiftASN1

extension ASN1Node {
    /// Parses one BER element that fills `bytes`. Throws for trailing bytes, missing ends and more than 50 levels.
    static func parse(ber bytes: ArraySlice<UInt8>, _ name: String) throws(VerificationError) -> ASN1Node {
        try ElementBudget.check(bytes, name)
        do {
            return try BER.parse(bytes)
        } catch {
            throw .malformed("\(name) is not BER\(error.code)")
        }
    }

    /// Returns the fields of a constructed element. Throws if it has another tag.
    func fields(_ identifier: ASN1Identifier, _ name: String) throws(VerificationError) -> ASN1Fields {
        guard self.identifier == identifier, case .constructed(let nodes) = content else {
            throw .malformed("\(name) has an unexpected ASN.1 type")
        }
        return ASN1Fields(nodes, name)
    }

    /// Returns the only field of an explicitly tagged element.
    func explicit(_ name: String) throws(VerificationError) -> ASN1Node {
        var fields = try fields(identifier, name)
        let node = try fields.next()
        try fields.finish()
        return node
    }

    /// Returns the octets of an OCTET STRING. The constructed form is the concatenation of its chunks (X.690 §8.7.3).
    func octets(_ name: String) throws(VerificationError) -> [UInt8] {
        var bytes: [UInt8] = []
        try appendOctets(to: &bytes, name)
        return bytes
    }

    private func appendOctets(to bytes: inout [UInt8], _ name: String) throws(VerificationError) {
        guard identifier == .octetString else { throw .malformed("\(name) is not an OCTET STRING") }
        switch content {
        case .primitive(let octets): bytes += octets
        case .constructed(let chunks):
            for chunk in chunks { try chunk.appendOctets(to: &bytes, name) }
        }
    }

    /// Returns a non-negative INTEGER that fits in Int64. Leading zeros are accepted, as in other BER parsers.
    func integer(_ name: String) throws(VerificationError) -> Int64 {
        guard identifier == .integer, case .primitive(let octets) = content, let first = octets.first else {
            throw .malformed("\(name) is not an INTEGER")
        }
        let digits = octets.drop { $0 == 0 }
        guard first < 0x80, digits.count <= 8,
            let value = Int64(exactly: digits.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        else { throw .malformed("\(name) is negative or too large") }
        return value
    }

    /// The text of a primitive UTF8String or IA5String; nil for anything else. Receipts use both for the same fields.
    var text: String? {
        guard identifier == .utf8String || identifier == .ia5String, case .primitive(let octets) = content else {
            return nil
        }
        return String(validating: octets, as: UTF8.self)
    }

    func objectIdentifier(_ name: String) throws(VerificationError) -> ASN1ObjectIdentifier {
        do {
            return try ASN1ObjectIdentifier(derEncoded: self)
        } catch {
            throw .malformed("\(name) is not an OBJECT IDENTIFIER\(error.code)")
        }
    }

    /// Returns the algorithm of an AlgorithmIdentifier. Throws unless its parameters are absent or NULL, as for RSA and
    /// its digests.
    func algorithm(_ name: String) throws(VerificationError) -> ASN1ObjectIdentifier {
        var fields = try fields(.sequence, name)
        let algorithm = try fields.next().objectIdentifier(name)
        if let parameters = fields.nextIfAny() {
            guard parameters.identifier == .null else {
                throw VerificationError(.unsupportedAlgorithm, "\(name) has parameters")
            }
        }
        try fields.finish()
        return algorithm
    }
}

/// Iterates over the fields of a constructed element.
struct ASN1Fields {
    private var iterator: ASN1NodeCollection.Iterator
    private let name: String

    init(_ nodes: ASN1NodeCollection, _ name: String) {
        iterator = nodes.makeIterator()
        self.name = name
    }

    mutating func nextIfAny() -> ASN1Node? { iterator.next() }

    mutating func next() throws(VerificationError) -> ASN1Node {
        guard let node = iterator.next() else { throw .malformed("\(name) has a missing field") }
        return node
    }

    /// Returns the next field if it has the context-specific tag `number`. Otherwise the field remains the next one.
    mutating func next(tagged number: UInt) -> ASN1Node? {
        var ahead = iterator
        guard let node = ahead.next(), node.identifier == .context(number) else { return nil }
        iterator = ahead
        return node
    }

    mutating func finish() throws(VerificationError) {
        guard iterator.next() == nil else { throw .malformed("\(name) has an unexpected field") }
    }
}

extension ASN1Identifier {
    static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}

extension Error {
    /// The code of a swift-asn1 error. The rest of its text may quote the input.
    fileprivate var code: String { (self as? ASN1Error).map { " (\($0.code))" } ?? "" }
}
