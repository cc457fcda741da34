/// Random numbers that are the same in every run (SplitMix64), so that failures can be reproduced.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Returns `count` random bytes.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// Returns `bytes` after one to four changes of kinds that break parsers: flipped bits, extreme values, bytes
    /// removed or inserted, the end cut off.
    package mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            guard !bytes.isEmpty else { return [UInt8.random(in: 0...255, using: &self)] }
            let index = Int.random(in: 0..<bytes.count, using: &self)
            switch Int.random(in: 0..<7, using: &self) {
            case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1:
                bytes[index] =
                    [0, 1, 0x7F, 0x80, 0x81, 0x84, 0x88, 0xFF, 0x30, 0xA0][Int.random(in: 0..<10, using: &self)]
            case 2: bytes[index] = .random(in: 0...255, using: &self)
            case 3: bytes.remove(at: index)
            case 4: bytes.insert(.random(in: 0...255, using: &self), at: index)
            case 5: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...16, using: &self)))
            default: bytes.removeLast(bytes.count - index)
            }
        }
        return bytes
    }
}
