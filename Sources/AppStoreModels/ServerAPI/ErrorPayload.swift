/// The body of an error response. Apple's page: `Error Codes`.
public struct ErrorPayload: Sendable, Hashable, Codable {
    /// The error code. Branch on this value.
    public var errorCode: APIErrorCode
    /// A message for people, which Apple may change. Documented as always present, but optional here because the code
    /// is useful without it.
    public var errorMessage: String?

    /// Creates the value from its parts.
    public init(errorCode: APIErrorCode, errorMessage: String? = nil) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
    }
}
