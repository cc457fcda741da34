internal import AppStoreTrust
internal import Basics
package import Crypto
internal import Foundation
internal import Synchronization

/// An In-App Purchase key as App Store Connect issues it. It authorizes requests to the simulator's API.
package struct StoreAPIKey: Sendable {
    package let keyID: String
    package let issuerID: String
    fileprivate let key: CryptoConstant<P256.Signing.PrivateKey>

    /// The key that verifies tokens.
    package var publicKey: P256.Signing.PublicKey { key.value.publicKey }

    /// The contents of the `.p8` file.
    package var pem: String { key.value.pemRepresentation }

    /// The file name that App Store Connect uses.
    package var fileName: String { "SubscriptionKey_\(keyID).p8" }
}

extension StoreAPIKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "in-app purchase key \(keyID)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["keyID": keyID, "issuerID": issuerID]) }
}

extension StoreAuthority {
    /// Returns the API key with this key ID from memory or from the directory. If there is none, creates one.
    package func apiKey(keyID: String, issuerID: String) throws(SimulatorError) -> StoreAPIKey {
        // The key ID becomes part of a file name.
        guard (1...64).contains(keyID.utf8.count), keyID.utf8.allSatisfy(\.isASCIIAlphanumeric) else {
            throw SimulatorError(.invalidArgument, "a key identifier has 1 to 64 letters and digits")
        }
        return try apiKeys.withLock { keys throws(SimulatorError) in
            if let known = keys[keyID] { return StoreAPIKey(keyID: keyID, issuerID: issuerID, key: known) }
            guard keys.count < 100 else {
                throw SimulatorError(.limitReached, "a simulator has at most 100 API keys")
            }
            let key = StoreAPIKey(keyID: keyID, issuerID: issuerID, key: CryptoConstant(P256.Signing.PrivateKey()))
            let file = directory?.appending(path: key.fileName)
            if let file, let saved = try SecretFile.read(file) {
                guard let read = try? P256.Signing.PrivateKey(pemRepresentation: String(decoding: saved, as: UTF8.self))
                else { throw SimulatorError(.corrupted, "\(key.fileName) is not a P-256 key") }
                let known = CryptoConstant(read)
                keys[keyID] = known
                return StoreAPIKey(keyID: keyID, issuerID: issuerID, key: known)
            }
            if let file { try SecretFile.write(Data(key.pem.utf8), to: file) }
            keys[keyID] = key.key
            return key
        }
    }
}
