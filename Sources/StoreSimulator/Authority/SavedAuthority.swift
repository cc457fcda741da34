internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

/// The file format of a simulator's authority: certificates in DER, keys in PEM. It is one file that is replaced as a
/// whole, so that certificates and keys always match.
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
                throw SimulatorError(.corrupted, "a key of the authority's file is not its certificate's")
            }
            return try Issued(certificate: certificate, key: key)
        }
    }

    struct Generation: Codable {
        let number: Int
        let intermediate: Pair
        let leaf: Pair
    }

    /// The name and version of the format.
    var format = "counterfoil-authority-1"
    let root: Pair
    let generations: [Generation]

    init(root: Issued, generations: [SigningGeneration]) throws(SimulatorError) {
        (self.root, self.generations) = try attempting("writing the authority") {
            let generations = try generations.map {
                Generation(number: $0.number, intermediate: try Pair($0.intermediate), leaf: try Pair($0.leaf))
            }
            return (try Pair(root), generations)
        }
    }

    /// Returns the root and the generations, which are numbered from 1.
    func parts() throws(SimulatorError) -> (root: Issued, generations: [SigningGeneration]) {
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
            // Discard the original error: it may quote the file, which contains keys.
            throw SimulatorError(.corrupted, "the file of the authority is damaged")
        }
    }
}

extension SecretFile {
    /// Decodes a value from a file. Returns nil if the file does not exist.
    static func decode<Value: Decodable>(_ type: Value.Type, from file: URL) throws(SimulatorError) -> Value? {
        guard let data = try read(file) else { return nil }
        do { return try JSONDecoder().decode(type, from: data) } catch {
            throw SimulatorError(.corrupted, "\(file.lastPathComponent) is damaged")
        }
    }

    static func encode(_ value: some Encodable, to file: URL) throws(SimulatorError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        try write(attempting("writing \(file.lastPathComponent)") { try encoder.encode(value) }, to: file)
    }
}
