package import AppStoreServer
internal import AppStoreTrust
internal import Basics
package import Crypto
internal import Foundation

/// Signs with the key of one leaf certificate. The header text and its hash are computed once, so each JWS only needs
/// its payload encoded, hashed and signed.
///
/// Callers can store a signature without its text: ``assemble(_:signature:)`` produces the same JWS again, without the
/// key.
package struct PayloadSigner: Sendable {
    /// The number of the leaf certificate within its authority, from 1.
    package let generation: Int
    /// The certificate chain in the header: leaf, intermediate, root.
    package let chain: [[UInt8]]
    /// The base64url text of the header, with the dot.
    private let prefix: [UInt8]
    private let key: CryptoConstant<P256.Signing.PrivateKey>
    /// The hash state after `prefix`.
    private let hashedPrefix: CryptoConstant<SHA256>

    /// Creates a signer. Does not check that `key` belongs to the leaf of `chain`.
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

    /// Returns the JWS of a payload.
    package func sign(_ payload: some JSONWritable) throws(SigningError) -> String {
        try sign(json: payload.jsonBytes())
    }

    /// Returns the JWS of bytes, which need not be JSON. If `breaking`, the signature is invalid.
    package func sign(json: [UInt8], breaking: Bool = false) throws(SigningError) -> String {
        try compact(json) { signed throws(SigningError) in
            let signature = try signature(over: signed)
            return breaking ? signature.broken : signature
        }
    }

    /// Returns the JWS with a known signature. It is valid only for the payload and the generation that produced the
    /// signature.
    package func assemble(_ json: [UInt8], signature: PayloadSignature) -> String {
        compact(json) { _ in signature }
    }

    /// Signs the header and the encoded payload.
    private func signature(over encoded: UnsafeRawBufferPointer) throws(SigningError) -> PayloadSignature {
        var hash = hashedPrefix.value
        hash.update(bufferPointer: encoded)
        do {
            return PayloadSignature(try key.value.signature(for: hash.finalize()))
        } catch {
            throw SigningError(.signingFailed, "the cryptographic library refused to sign")
        }
    }

    /// Writes header, payload and signature directly into the storage of the string.
    private func compact<Failure: Error>(
        _ json: [UInt8], _ sign: (_ encoded: UnsafeRawBufferPointer) throws(Failure) -> PayloadSignature
    ) throws(Failure) -> String {
        let payload = prefix.count..<(prefix.count + Base64.countURL(json.count))
        let end = payload.upperBound + 1 + Base64.countURL(PayloadSignature.count)
        // The initializer of String does not support typed throws, so the error is passed out in a variable.
        var failure: Failure?
        let text = String(unsafeUninitializedCapacity: end) { buffer in
            // The buffer has at least the capacity that was requested above, so every index below is valid.
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
    // Keeps `dump`, which failing tests call, from printing the key.
    package var customMirror: Mirror { Mirror(self, children: ["generation": generation]) }
}
