internal import Basics
internal import Crypto
package import Foundation

/// Makes and hashes API keys of this server.
package enum APIKeyText {
    /// The beginning of every key, by which secret scanners recognise them.
    package static let prefix = "cfk_"

    /// Returns a new key with 256 random bits.
    package static func make() -> String {
        prefix + Base64.encodeURL((0..<32).map { _ in UInt8.random(in: 0...255) })
    }

    /// Returns the SHA-256 that is stored instead of the key. A key with 256 random bits needs neither salt nor rounds.
    package static func hash(of text: String) -> Data { Data(SHA256.hash(data: Data(text.utf8))) }

    /// Returns the hash in hexadecimal, as configuration files contain it.
    package static func hexadecimalHash(of text: String) -> String { hash(of: text).hexadecimal }
}
