package import AppStoreServer
internal import AppStoreTrust
internal import Basics
package import Crypto
internal import Foundation

/// Signs with one leaf, as fast as P-256 allows: the header's text and the hash over it are made once, so that only the
/// payload is written, encoded and hashed for each JWS.
///
/// A signature can be kept without its text. ``seal(_:)`` gives 64 bytes, ``assemble(_:signature:)`` puts the very same
/// JWS together again, without the key.
package struct PayloadSigner: Sendable {
    /// Which leaf of its authority this is, from 1.
    package let generation: Int
    /// The chain that the header carries: leaf, intermediate, root.
    package let chain: [[UInt8]]
    /// The base64url text of the header, and the dot.
    private let prefix: [UInt8]
    private let key: CryptoConstant<P256.Signing.PrivateKey>
    /// The hash after `prefix`.
    private let hashedPrefix: CryptoConstant<SHA256>

    /// Takes the chain as it is, and the key of its leaf.
    package init(generation: Int, chain: [[UInt8]], key: P256.Signing.PrivateKey) {
        self.generation = generation
        self.chain = chain
        let header = Array(Authority.header(chain: chain).utf8)
        prefix = Array(Base64.encodeURL(header).utf8) + [UInt8(ascii: ".")]
        self.key = CryptoConstant(key)
        var hash = SHA256()
        hash.update(data: prefix)
        hashedPrefix = CryptoConstant(hash)
    }

    /// The JWS of a payload.
    package func sign(_ payload: some JSONWritable) throws(SigningError) -> String {
        try sign(json: payload.jsonBytes())
    }

    /// The JWS of bytes that are, or are not, JSON.
    package func sign(json: [UInt8]) throws(SigningError) -> String {
        try compact(json) { signed throws(SigningError) in try signature(over: signed) }
    }

    /// The signature alone: r and s, 32 bytes each.
    package func seal(_ json: [UInt8]) throws(SigningError) -> PayloadSignature {
        var encoded = [UInt8](repeating: 0, count: Base64.countURL(json.count))
        encoded.withUnsafeMutableBytes { Base64.encodeURL(json, into: $0) }
        var hash = hashedPrefix.value
        hash.update(data: encoded)
        return try signature(hash.finalize())
    }

    /// The JWS whose signature is known. Right only for the payload that was sealed, and by this generation.
    package func assemble(_ json: [UInt8], signature: PayloadSignature) -> String {
        compact(json) { _ in signature }
    }

    /// Signs what comes after the dot of the header.
    private func signature(over encoded: UnsafeRawBufferPointer) throws(SigningError) -> PayloadSignature {
        var hash = hashedPrefix.value
        hash.update(bufferPointer: encoded)
        return try signature(hash.finalize())
    }

    private func signature(_ digest: SHA256.Digest) throws(SigningError) -> PayloadSignature {
        do {
            return PayloadSignature(try key.value.signature(for: digest))
        } catch {
            throw SigningError(.signingFailed, "the cryptographic library refused to sign")
        }
    }

    /// Writes header, payload and signature straight into the text.
    private func compact<Failure: Error>(
        _ json: [UInt8], _ sign: (_ encoded: UnsafeRawBufferPointer) throws(Failure) -> PayloadSignature
    ) throws(Failure) -> String {
        let payload = prefix.count..<(prefix.count + Base64.countURL(json.count))
        let end = payload.upperBound + 1 + Base64.countURL(PayloadSignature.count)
        // The initializer of String does not know typed errors, so the error takes another way out.
        var failure: Failure?
        let text = String(unsafeUninitializedCapacity: end) { buffer in
            // Memory for every index below was asked for above; more may have come.
            let target = UnsafeMutableRawBufferPointer(buffer)
            target.copyBytes(from: prefix)
            let encoded = UnsafeMutableRawBufferPointer(rebasing: target[payload])
            Base64.encodeURL(json, into: encoded)
            do throws(Failure) {
                let signature = try sign(UnsafeRawBufferPointer(encoded))
                target[payload.upperBound] = UInt8(ascii: ".")
                signature.withBytes {
                    Base64.encodeURL(
                        $0, into: UnsafeMutableRawBufferPointer(rebasing: target[(payload.upperBound + 1)..<end]))
                }
            } catch {
                failure = error
                return 0
            }
            return end
        }
        if let failure { throw failure }
        return text
    }
}

extension PayloadSigner: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "signer of generation \(generation)" }
    package var debugDescription: String { description }
    // A dump, as a failing test makes one, must not walk into the key.
    package var customMirror: Mirror { Mirror(self, children: ["generation": generation]) }
}
