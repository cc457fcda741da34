internal import AppStoreModels
package import Foundation

/// Generates the identifiers of one store. The same seed and the same order of commands generate the same identifiers.
package struct Identifiers: Sendable, Codable, RandomNumberGenerator {
    private var state: UInt64
    private var lastTransaction: Int64
    private var lastLineItem: Int64

    package init(seed: UInt64, isSandbox: Bool) {
        state = seed ^ (isSandbox ? 0x53_41_4E_44 : 0x50_52_4F_44)
        lastTransaction = isSandbox ? 2_000_000_100_000_000 : 340_001_000_000_000
        lastLineItem = isSandbox ? 2_000_000_010_000_000 : 340_000_100_000_000
    }

    /// Returns the next number of SplitMix64, which passes BigCrush and has one word of state.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return state.mixed
    }

    /// Returns a transaction identifier, higher than all before it.
    package mutating func transaction() -> String {
        lastTransaction &+= Int64(next() % 997) &+ 1
        return String(lastTransaction)
    }

    /// Returns a `webOrderLineItemId`.
    package mutating func lineItem() -> String {
        lastLineItem &+= Int64(next() % 997) &+ 1
        return String(lastLineItem)
    }

    /// Returns an `appTransactionId`: 18 digits.
    package mutating func appTransaction() -> String {
        String(704_000_000_000_000_000 + next() % 1_000_000_000_000_000)
    }

    /// Returns an order identifier as it appears on App Store receipts.
    package mutating func order() -> String {
        "M" + letters(9)
    }

    /// Returns an API key identifier: ten letters and digits.
    package mutating func keyIdentifier() -> String {
        letters(10)
    }

    private mutating func letters(_ count: Int) -> String {
        var word = next()
        var text = ""
        for _ in 0..<count {
            text.unicodeScalars.append(Self.letters[Int(word & 31)])
            word >>= 5
        }
        return text
    }

    /// 32 letters and digits that are not easily confused with each other.
    private static let letters: [Unicode.Scalar] = Array("ABCDEFGHJKLMNPQRSTVWXYZ023456789".unicodeScalars)

    /// Returns a random UUID (version 4) in lower case.
    package mutating func uuid() -> String { version4().text }

    /// Returns a random UUID (version 4).
    package mutating func version4() -> UUID {
        var high = next()
        var low = next()
        high = (high & 0xFFFF_FFFF_FFFF_0FFF) | 0x4000
        low = (low & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }
}

extension UInt64 {
    /// The result of SplitMix64's finalizer.
    var mixed: UInt64 {
        var word = (self ^ (self >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// The upper 53 bits as a number in 0..<1.
    var fraction: Double { Double(self >> 11) * 0x1p-53 }
}
