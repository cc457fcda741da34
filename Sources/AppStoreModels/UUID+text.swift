package import Foundation

extension UUID {
    /// Parses the form `8-4-4-4-12` in either case. Foundation's parser uses `sscanf` and takes four times as long, and
    /// every transaction with an account token has a UUID.
    package init?(text: String) {
        var text = text
        let bytes = text.withUTF8 { utf8 -> UInt128? in
            guard utf8.count == 36 else { return nil }
            var value: UInt128 = 0
            for (position, letter) in utf8.enumerated() {
                if position == 8 || position == 13 || position == 18 || position == 23 {
                    guard letter == UInt8(ascii: "-") else { return nil }
                } else {
                    guard let digit = Self.value(ofDigit: letter) else { return nil }
                    value = value << 4 | UInt128(digit)
                }
            }
            return value.bigEndian
        }
        guard let bytes else { return nil }
        self.init(uuid: withUnsafeBytes(of: bytes) { $0.loadUnaligned(as: uuid_t.self) })
    }

    /// The UUID in lower case, as the App Store writes it.
    package var text: String {
        withUnsafeBytes(of: uuid) { bytes in
            String(unsafeUninitializedCapacity: 36) { letters in
                var position = 0
                for (index, byte) in bytes.enumerated() {
                    if index == 4 || index == 6 || index == 8 || index == 10 {
                        letters[position] = UInt8(ascii: "-")
                        position += 1
                    }
                    letters[position] = Self.letter(byte >> 4)
                    letters[position + 1] = Self.letter(byte & 15)
                    position += 2
                }
                return position
            }
        }
    }

    /// The sixteen bytes of the UUID.
    package var bytes: Data { withUnsafeBytes(of: uuid) { Data($0) } }

    /// Creates a UUID from sixteen bytes; nil for any other number of bytes.
    package init?(bytes: Data) {
        guard bytes.count == 16 else { return nil }
        self.init(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    }

    private static func letter(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
    }

    private static func value(ofDigit letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): letter - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): letter - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
