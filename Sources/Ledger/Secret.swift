internal import Crypto
internal import Foundation

/// A secret text. Descriptions and dumps show `<secret>` in its place.
public struct Secret: Sendable {
    /// The text itself. Callers must not print it.
    package let revealed: String

    /// Creates a secret from its text.
    public init(_ text: String) { revealed = text }

    /// Whether `text` equals the secret. The comparison takes constant time.
    public func matches(_ text: String) -> Bool {
        // Crypto compares digests in constant time.
        SHA256.hash(data: Data(revealed.utf8)) == SHA256.hash(data: Data(text.utf8))
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `<secret>`.
    public var description: String { "<secret>" }

    /// `<secret>`.
    public var debugDescription: String { description }

    /// No children, so that dumps do not show the text.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
