/// The number that an App Store API gives for what went wrong. Apple's page: `Error Codes`.
///
/// Decide by the number: the message next to it may change any day. A number unknown here survives; judge it by
/// ``httpStatus``. Different APIs use some numbers with different names, such as 4000028; there is one member for each
/// number, with the name of the App Store Server API.
public struct APIErrorCode: RawRepresentable, Hashable, Sendable, Codable {
    /// The number on the wire, seven digits.
    public let rawValue: Int64

    /// Takes any number, known here or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The HTTP status that belongs to the number: its first three digits. `nil` if it is not a number of seven digits
    /// that begins with a status, so not one of Apple's.
    public var httpStatus: Int? {
        (1_000_000..<6_000_000).contains(rawValue) ? Int(rawValue / 10_000) : nil
    }
}
