internal import AppStoreServer
internal import AppStoreTrust

/// An error that provides its own text for logs and API responses. The text never quotes input.
package protocol LoggedError: Error {
    /// The reason for the failure.
    var logReason: String { get }
}

extension Error {
    /// The reason for the failure, for logs and API responses. Errors of this project describe themselves; for other
    /// errors the text is generic, because their descriptions may quote input.
    package var logReason: String {
        switch self {
        case let error as any LoggedError: error.logReason
        case let error as VerificationError: error.description
        case let error as AppStoreServerError: String(error.description.prefix(500))
        case let error as SigningError: error.description
        case is CancellationError: "the task was cancelled"
        case is DecodingError: "the JSON that was read lacks a member, or has one of the wrong type"
        case is EncodingError: "a value cannot be encoded as JSON"
        default: "an unexpected error of the type \(type(of: self))"
        }
    }
}

extension StorageError: LoggedError {
    package var logReason: String { "\(code.rawValue): \(message)" }
}
