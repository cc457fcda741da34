internal import AppStoreTrust
internal import SwiftASN1

extension ASN1Node {
    /// Parses one BER element that fills `bytes`. Trailing bytes, open ends and more than 50 levels are refused.
    static func parse(ber bytes: ArraySlice<UInt8>, _ what: String) throws(VerificationError) -> ASN1Node {
        try ElementBudget.check(bytes, what)
        do {
            return try BER.parse(bytes)
        } catch {
            throw .malformed("\(what) is not BER\(error.code)")
        }
    }

    /// The fields of a constructed element with this tag.
    func fields(_ identifier: ASN1Identifier, _ what: String) throws(VerificationError) -> ASN1Fields {
        guard self.identifier == identifier, case .constructed(let nodes) = content else {
            throw .malformed("\(what) is not what it has to be")
        }
        return ASN1Fields(nodes, what)
    }

    /// The one field of an explicitly tagged element.
    func explicit(_ what: String) throws(VerificationError) -> ASN1Node {
        var fields = try fields(identifier, what)
        let node = try fields.next()
        try fields.finish()
        return node
    }

    /// The octets of an OCTET STRING. The constructed form is the concatenation of its chunks (X.690 §8.7.3).
    func octets(_ what: String) throws(VerificationError) -> [UInt8] {
        var bytes: [UInt8] = []
        try appendOctets(to: &bytes, what)
        return bytes
    }

    private func appendOctets(to bytes: inout [UInt8], _ what: String) throws(VerificationError) {
        guard identifier == .octetString else { throw .malformed("\(what) is not an OCTET STRING") }
        switch content {
        case .primitive(let octets): bytes += octets
        case .constructed(let chunks):
            for chunk in chunks { try chunk.appendOctets(to: &bytes, what) }
        }
    }

    /// A non-negative INTEGER of at most 64 bits with sign. Leading zeros are tolerated, as BER readers do.
    func integer(_ what: String) throws(VerificationError) -> Int64 {
        guard identifier == .integer, case .primitive(let octets) = content, let first = octets.first else {
            throw .malformed("\(what) is not an INTEGER")
        }
        let digits = octets.drop { $0 == 0 }
        guard first < 0x80, digits.count <= 8 else { throw .malformed("\(what) is negative or too large") }
        guard let value = Int64(exactly: digits.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) else {
            throw .malformed("\(what) is too large")
        }
        return value
    }

    /// The text of a primitive UTF8String or IA5String; nil for anything else. Writers mix the two.
    var text: String? {
        guard identifier == .utf8String || identifier == .ia5String, case .primitive(let octets) = content else {
            return nil
        }
        return String(validating: octets, as: UTF8.self)
    }

    func objectIdentifier(_ what: String) throws(VerificationError) -> ASN1ObjectIdentifier {
        do {
            return try ASN1ObjectIdentifier(derEncoded: self)
        } catch {
            throw .malformed("\(what) is not an OBJECT IDENTIFIER\(error.code)")
        }
    }

    /// The algorithm of an AlgorithmIdentifier whose parameters are absent or NULL: all that RSA and its digests have.
    func algorithm(_ what: String) throws(VerificationError) -> ASN1ObjectIdentifier {
        var fields = try fields(.sequence, what)
        let algorithm = try fields.next().objectIdentifier(what)
        if let parameters = fields.nextIfAny() {
            guard parameters.identifier == .null else {
                throw VerificationError(.unsupportedAlgorithm, "\(what) has parameters")
            }
        }
        try fields.finish()
        return algorithm
    }
}

/// The fields of a constructed element, one after another.
struct ASN1Fields {
    private var iterator: ASN1NodeCollection.Iterator
    private let what: String

    init(_ nodes: ASN1NodeCollection, _ what: String) {
        iterator = nodes.makeIterator()
        self.what = what
    }

    mutating func nextIfAny() -> ASN1Node? { iterator.next() }

    mutating func next() throws(VerificationError) -> ASN1Node {
        guard let node = iterator.next() else { throw .malformed("\(what) lacks a field") }
        return node
    }

    /// The next field if it has the context-specific tag `number`; otherwise it stays for the next call.
    mutating func next(tagged number: UInt) -> ASN1Node? {
        var ahead = iterator
        guard let node = ahead.next(), node.identifier == .context(number) else { return nil }
        iterator = ahead
        return node
    }

    mutating func finish() throws(VerificationError) {
        guard iterator.next() == nil else { throw .malformed("\(what) has a field too many") }
    }
}

extension ASN1Identifier {
    static func context(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}

extension Error {
    /// What swift-asn1 objected to. Its code alone: the rest of its text may repeat the input.
    fileprivate var code: String { (self as? ASN1Error).map { " (\($0.code))" } ?? "" }
}
