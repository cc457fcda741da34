internal import Foundation

/// Text that is compared by its bytes in UTF-8: as a key, or as an element of a set.
///
/// `String` compares by canonical equivalence: `é` is `e` and an accent to it, and the Kelvin sign is `K`. For names from
/// outside that is one name too many: what a JWS says is compared code point by code point (RFC 7515 §5.3), and databases
/// and other programs compare bytes.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: Self, right: Self) -> Bool { left.text.isExactly(right.text) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)  // no text in UTF-8 has this byte, so two texts never hash like two others
    }
}

extension ExactText: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension String {
    /// Whether both have the same bytes in UTF-8. See ``ExactText`` for what `==` does instead.
    package func isExactly(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let answer = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { others in
                guard let first = bytes.baseAddress, let second = others.baseAddress else { return bytes.isEmpty }
                return memcmp(first, second, bytes.count) == 0
            }
        }
        // Texts that came from Objective-C may lie in pieces.
        return answer.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }
}

extension Sequence<String> {
    /// Whether an element has the same bytes in UTF-8. Looks at one after the other.
    package func containsExactly(_ text: String) -> Bool { contains { $0.isExactly(text) } }
}
