internal import Crypto
internal import Foundation

/// A text that only those who need it may see: it can be used, and neither descriptions nor dumps show it.
public struct Secret: Sendable {
    /// The text itself. Whatever takes it must not print it.
    package let revealed: String

    /// Keeps a text.
    public init(_ text: String) { revealed = text }

    /// Whether `text` is the same. How long the answer takes says nothing about the secret.
    public func matches(_ text: String) -> Bool {
        // Digests of Crypto are compared in constant time.
        SHA256.hash(data: Data(revealed.utf8)) == SHA256.hash(data: Data(text.utf8))
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `<secret>`.
    public var description: String { "<secret>" }

    /// `<secret>`.
    public var debugDescription: String { description }

    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
