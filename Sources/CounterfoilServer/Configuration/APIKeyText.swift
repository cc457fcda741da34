internal import Basics
internal import Crypto
package import Foundation

/// The texts of keys for our own API: random, and with a prefix by which scanners for leaked secrets know them.
package enum APIKeyText {
    /// A new one, with 256 random bits.
    package static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return "cfk_" + Base64.encodeURL((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }

    /// What is kept of one: with that many random bits a hash needs neither salt nor rounds.
    package static func hash(of text: String) -> Data { Data(SHA256.hash(data: Data(text.utf8))) }

    /// The hash as configuration files have it.
    package static func hexadecimalHash(of text: String) -> String { hash(of: text).hexadecimal }
}
