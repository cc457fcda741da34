import Foundation

/// Stands for the app's own backend: signs customer tokens (HS256).
package enum CustomerToken {
    package static let secret = "the secret of an app that nobody else may know"

    /// Returns a token that is valid for a day.
    ///
    /// - Parameter account: The account token of the customer's purchases, if it differs from the customer's
    ///   identifier.
    package static func make(for customer: String, at now: Date, account: UUID? = nil) -> String {
        let issuedAt = Int64(now.timeIntervalSince1970)
        let named = account.map { #","app_account_token":"\#($0.uuidString)""# } ?? ""
        let claims = #"{"sub":"\#(customer)","iat":\#(issuedAt),"exp":\#(issuedAt + 86_400)\#(named)}"#
        let text = encode(Array(#"{"alg":"HS256"}"#.utf8)) + "." + encode(Array(claims.utf8))
        return text + "." + encode(authenticationCode(for: Array(text.utf8), key: Array(secret.utf8)))
    }

    /// Returns the SHA-256 of a text in hexadecimal, for tests.
    package static func hash(_ text: String) -> String {
        SHA256.hash(Array(text.utf8)).map { String(format: "%02x", $0) }.joined()
    }

    private static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// HMAC-SHA-256 (RFC 2104) for keys of up to one block. The package has no dependencies, and tests need no speed.
    static func authenticationCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        let key = key + [UInt8](repeating: 0, count: 64 - key.count)
        return SHA256.hash(key.map { $0 ^ 0x5C } + SHA256.hash(key.map { $0 ^ 0x36 } + message))
    }
}

/// SHA-256 (FIPS 180-4).
enum SHA256 {
    /// The first 64 primes. The constants are the first 32 bits of the fractional parts of their roots.
    private static let primes: [Int] = {
        var found: [Int] = []
        var number = 2
        while found.count < 64 {
            if !found.contains(where: { number % $0 == 0 }) { found.append(number) }
            number += 1
        }
        return found
    }()
    private static func fraction(_ root: Double) -> UInt32 { UInt32((root - root.rounded(.down)) * 4_294_967_296) }
    private static let constants = primes.map { fraction(cbrt(Double($0))) }
    private static let start = primes.prefix(8).map { fraction(Double($0).squareRoot()) }

    static func hash(_ message: [UInt8]) -> [UInt8] {
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        padded += withUnsafeBytes(of: UInt64(message.count * 8).bigEndian) { Array($0) }
        var state = start
        for block in stride(from: 0, to: padded.count, by: 64) { mix(Array(padded[block..<block + 64]), into: &state) }
        return state.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
    }

    private static func mix(_ block: [UInt8], into state: inout [UInt32]) {
        func rotateRight(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
        var words = stride(from: 0, to: 64, by: 4).map { index in
            block[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (early, late) = (words[index - 15], words[index - 2])
            let first = rotateRight(early, 7) ^ rotateRight(early, 18) ^ early >> 3
            let second = rotateRight(late, 17) ^ rotateRight(late, 19) ^ late >> 10
            words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
        }
        var work = state
        for index in 0..<64 {
            let (high, low) = (work[4], work[0])
            let choice = (high & work[5]) ^ (~high & work[6])
            let majority = (low & work[1]) ^ (low & work[2]) ^ (work[1] & work[2])
            let first =
                work[7] &+ (rotateRight(high, 6) ^ rotateRight(high, 11) ^ rotateRight(high, 25)) &+ choice
                &+ constants[index]
                &+ words[index]
            let second = (rotateRight(low, 2) ^ rotateRight(low, 13) ^ rotateRight(low, 22)) &+ majority
            work = [first &+ second] + work.prefix(7)
            work[4] = work[4] &+ first
        }
        for index in 0..<8 { state[index] = state[index] &+ work[index] }
    }
}
