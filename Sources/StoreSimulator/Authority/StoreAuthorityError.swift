/// An error while a simulator's authority is created, read or saved. Never contains a key.
package struct StoreAuthorityError: Error, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// A base URL, time or identifier that a certificate or file cannot contain.
        case invalidConfiguration = "invalid_configuration"
        /// A file exists but cannot be read, or does not contain an authority.
        case unreadableFile = "unreadable_file"
        case unwritableFile = "unwritable_file"
        /// The maximum number of leaves is reached.
        case tooManyLeaves = "too_many_leaves"
        /// A cryptographic library failed.
        case failed
    }

    package let code: Code
    /// A description for people.
    package let reason: String

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package var description: String { "\(code.rawValue): \(reason)" }
}

/// Runs library calls with untyped errors. Replaces their errors, because they may quote their input.
func attempting<Value>(_ what: String, _ body: () throws -> Value) throws(StoreAuthorityError) -> Value {
    do { return try body() } catch {
        if let error = error as? StoreAuthorityError { throw error }
        throw StoreAuthorityError(.failed, "\(what) failed")
    }
}
