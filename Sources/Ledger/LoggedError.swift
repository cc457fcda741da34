internal import AppStoreServer
internal import AppStoreTrust

/// An error that says for itself what logs and people may read of it. It quotes nothing that was read.
package protocol LoggedError: Error {
    /// Why something failed.
    var logReason: String { get }
}

extension Error {
    /// Why something failed, for the log and for people: what errors of ours say, and of others what they are called. What
    /// others say of themselves may quote what they read.
    package var logReason: String {
        switch self {
        case let error as any LoggedError: error.logReason
        case let error as VerificationError: error.description
        case let error as AppStoreServerError: String(error.description.prefix(500))
        case let error as SigningError: error.description
        case is CancellationError: "it was given up"
        case is DecodingError: "what was read lacks a member, or has one of the wrong type"
        case is EncodingError: "something cannot be written as JSON"
        default: "an unexpected error of the type \(type(of: self))"
        }
    }
}

extension StorageError: LoggedError {
    package var logReason: String { "\(code.rawValue): \(message)" }
}
