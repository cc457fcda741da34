/// A text or number from a list that may grow. Values that are not listed today are kept.
///
/// The listed values are static members, so a `switch` needs a `default`.
public protocol OpenEnumeration: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible
where RawValue: Hashable & Sendable & Codable & CustomStringConvertible {
    /// Creates a value from any text or number, including unlisted ones.
    init(rawValue: RawValue)
}

extension OpenEnumeration {
    /// The text or number itself.
    public var description: String { rawValue.description }
}
