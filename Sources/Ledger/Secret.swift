internal import Basics

/// A secret text. Descriptions and dumps show `<secret>` in its place.
public struct Secret: Sendable {
    /// The text itself. Callers must not print it.
    package let revealed: String

    /// Creates a secret from its text.
    public init(_ text: String) { revealed = text }

    /// Whether `text` equals the secret. For texts of equal length, the time does not depend on their contents.
    public func matches(_ text: String) -> Bool { revealed.isSameSecret(as: text) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `<secret>`.
    public var description: String { "<secret>" }

    /// `<secret>`.
    public var debugDescription: String { description }

    /// No children, so that dumps do not show the text.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
