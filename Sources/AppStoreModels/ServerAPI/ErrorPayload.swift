/// The body of an answer that is no success. Apple's page: `Error Codes`.
public struct ErrorPayload: Sendable, Hashable, Codable {
    /// What went wrong. Decide by this.
    public var errorCode: APIErrorCode
    /// A text for people, which may change any day. Documented as always there; the code is of use without it.
    public var errorMessage: String?

    /// Creates the value from its parts.
    public init(errorCode: APIErrorCode, errorMessage: String? = nil) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
    }
}
