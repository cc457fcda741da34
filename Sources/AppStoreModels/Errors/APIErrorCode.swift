/// The error code of an App Store API. Apple's page: `Error Codes`.
///
/// Branch on the number: Apple may change the message beside it. Unlisted numbers are kept; use their ``httpStatus``.
/// Some numbers, such as 4000028, have different names in different APIs. There is one member for each number, with the
/// name of the App Store Server API.
public struct APIErrorCode: OpenEnumeration {
    /// The number in JSON, seven digits.
    public let rawValue: Int64

    /// Creates a value from any number, including unlisted ones.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The HTTP status of the code: its first three digits. `nil` if the number does not have seven digits or does not
    /// begin with a status, so that it cannot be Apple's.
    public var httpStatus: Int? {
        (1_000_000..<6_000_000).contains(rawValue) ? Int(rawValue / 10_000) : nil
    }
}
