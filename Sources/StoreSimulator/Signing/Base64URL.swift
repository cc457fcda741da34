/// base64url without padding (RFC 4648 §5), written into memory that is already there. `Base64.encodeURL` makes a text of
/// its own, which for a JWS would be copied twice more.
enum Base64URL {
    /// How many letters so many bytes come to.
    static func count(_ bytes: Int) -> Int { bytes / 3 * 4 + (bytes % 3 * 4 + 2) / 3 }

    /// Fills `target`, which has to have room for ``count(_:)`` letters.
    static func encode(_ bytes: [UInt8], into target: UnsafeMutableRawBufferPointer) {
        bytes.withUnsafeBytes { encode($0, into: target) }
    }

    /// Fills `target`, which has to have room for ``count(_:)`` letters.
    static func encode(_ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
        precondition(target.count >= count(bytes.count), "no room")
        alphabet.withUnsafeBufferPointer { alphabet in
            var (source, place) = (0, 0)
            func put(_ sextet: UInt32) {
                target[place] = alphabet[Int(sextet & 63)]
                place += 1
            }
            while bytes.count - source >= 3 {
                let group =
                    UInt32(bytes[source]) << 16 | UInt32(bytes[source + 1]) << 8 | UInt32(bytes[source + 2])
                put(group >> 18)
                put(group >> 12)
                put(group >> 6)
                put(group)
                source += 3
            }
            switch bytes.count - source {
            case 1:
                put(UInt32(bytes[source]) >> 2)
                put(UInt32(bytes[source]) << 4)
            case 2:
                let group = UInt32(bytes[source]) << 8 | UInt32(bytes[source + 1])
                put(group >> 10)
                put(group >> 4)
                put(group << 2)
            default: break
            }
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
