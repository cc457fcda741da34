package import AppStoreServer
internal import Synchronization

/// What is wrong with a JWS, on purpose.
package enum SigningFault: String, Sendable, Hashable, Codable, CaseIterable {
    /// One bit of the signature is another.
    case brokenSignature
    /// Rightly signed under a root that nobody trusts.
    case wrongChain
}

extension StoreAuthority {
    /// Signs with the current leaf, or wrongly if told so.
    package func sign(_ payload: some JSONWritable, fault: SigningFault? = nil) throws(SigningError) -> String {
        switch fault {
        case nil: return try signer.sign(payload)
        case .brokenSignature: return try signer.signBroken(payload)
        case .wrongChain:
            let stranger: PayloadSigner
            do { stranger = try wrongChainSigner() } catch { throw SigningError(.signingFailed, error.reason) }
            return try stranger.sign(payload)
        }
    }

    /// Signs with the current leaf and keeps no text: the signature and the leaf's number are enough for
    /// ``assemble(generation:_:signature:)``.
    package func seal(_ json: [UInt8]) throws(SigningError) -> (generation: Int, signature: PayloadSignature) {
        let signer = signer
        return (signer.generation, try signer.seal(json))
    }

    /// The JWS that was sealed, the same to the last letter; nil if there is no such generation.
    package func assemble(generation: Int, _ json: [UInt8], signature: PayloadSignature) -> String? {
        signer(generation: generation)?.assemble(json, signature: signature)
    }
}
