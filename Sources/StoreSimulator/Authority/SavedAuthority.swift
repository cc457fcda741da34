internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

/// A simulator's authority as its file holds it: certificates in DER, keys in PEM. One file, replaced as a whole, so that
/// certificates and keys always fit together.
struct SavedAuthority: Codable {
    struct Pair: Codable {
        let certificate: Data
        let key: String

        init(_ issued: Issued) throws {
            certificate = Data(issued.der)
            key = try issued.key.serializeAsPEM().pemString
        }

        func issued() throws -> Issued {
            let certificate = try Certificate(derEncoded: Array(certificate))
            let key = try Certificate.PrivateKey(pemEncoded: key)
            guard certificate.publicKey == key.publicKey else {
                throw StoreAuthorityError(.unreadableFile, "a key of the authority's file is not its certificate's")
            }
            return try Issued(certificate: certificate, key: key)
        }
    }

    struct Generation: Codable {
        let number: Int
        let intermediate: Pair
        let leaf: Pair
    }

    /// Says what it is and which form it has.
    var format = "counterfoil-authority-1"
    let root: Pair
    let generations: [Generation]

    init(root: Issued, generations: [SigningGeneration]) throws(StoreAuthorityError) {
        (self.root, self.generations) = try attempting("writing the authority") {
            let generations = try generations.map {
                Generation(number: $0.number, intermediate: try Pair($0.intermediate), leaf: try Pair($0.leaf))
            }
            return (try Pair(root), generations)
        }
    }

    /// The root and the generations, which are numbered from 1.
    func parts() throws(StoreAuthorityError) -> (root: Issued, generations: [SigningGeneration]) {
        do {
            guard format == "counterfoil-authority-1", generations.map(\.number) == Array(1..<(generations.count + 1))
            else { throw CocoaError(.coderReadCorrupt) }
            let root = try root.issued()
            let generations = try generations.map { saved in
                SigningGeneration(
                    number: saved.number, root: root, intermediate: try saved.intermediate.issued(),
                    leaf: try saved.leaf.issued(), key: try P256.Signing.PrivateKey(pemRepresentation: saved.leaf.key))
            }
            return (root, generations)
        } catch {
            // Whatever the reader found, it may quote the file.
            throw StoreAuthorityError(.unreadableFile, "the file of the authority is damaged")
        }
    }
}

extension SecretFile {
    /// Reads a value; nil where there is no file.
    static func decode<Value: Decodable>(_ type: Value.Type, from file: URL) throws(StoreAuthorityError) -> Value? {
        guard let data = try read(file) else { return nil }
        do { return try JSONDecoder().decode(type, from: data) } catch {
            throw StoreAuthorityError(.unreadableFile, "\(file.lastPathComponent) is damaged")
        }
    }

    static func encode(_ value: some Encodable, to file: URL) throws(StoreAuthorityError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try write(attempting("writing \(file.lastPathComponent)") { try encoder.encode(value) }, to: file)
    }
}
