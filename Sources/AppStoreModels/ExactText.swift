internal import Foundation

/// Text that is compared by its UTF-8 bytes, for keys and elements of sets.
///
/// `String` compares by canonical equivalence: `é` equals `e` with a combining accent, and the Kelvin sign equals `K`.
/// External names must not be equal to other names: the values in a JWS are compared code point by code point (RFC 7515
/// §5.3), and databases and other programs compare bytes.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: Self, right: Self) -> Bool { left.text.isExactly(right.text) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)  // UTF-8 never contains this byte, so it separates consecutive texts
    }
}

extension ExactText: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        left.text.precedesExactly(right.text)
    }
}

extension String {
    /// Whether both strings have the same UTF-8 bytes. See ``ExactText`` for the difference to `==`.
    package func isExactly(_ other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let answer = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { others in
                guard let first = bytes.baseAddress, let second = others.baseAddress else { return bytes.isEmpty }
                return memcmp(first, second, bytes.count) == 0
            }
        }
        // Strings bridged from Objective-C may not be contiguous.
        return answer.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }

    /// Whether the UTF-8 bytes precede those of the other string. See ``ExactText`` for the difference to `<`.
    package func precedesExactly(_ other: String) -> Bool {
        let answer = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { others in
                guard let first = bytes.baseAddress, let second = others.baseAddress else {
                    return bytes.count < others.count
                }
                let order = memcmp(first, second, Swift.min(bytes.count, others.count))
                return order == 0 ? bytes.count < others.count : order < 0
            }
        }
        return answer.flatMap(\.self) ?? utf8.lexicographicallyPrecedes(other.utf8)
    }
}

extension Sequence<String> {
    /// Whether an element has the same UTF-8 bytes. A linear search.
    package func containsExactly(_ text: String) -> Bool { contains { $0.isExactly(text) } }
}
