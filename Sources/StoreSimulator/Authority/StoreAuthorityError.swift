/// Why a simulator's authority could not be made, read or kept. Never holds a key.
package struct StoreAuthorityError: Error, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// A base URL, an instant or an identifier that no certificate or file can carry.
        case invalidConfiguration = "invalid_configuration"
        /// A file is there and cannot be read, or is no authority.
        case unreadableFile = "unreadable_file"
        case unwritableFile = "unwritable_file"
        /// More leaves than one simulator may have.
        case tooManyLeaves = "too_many_leaves"
        /// The cryptographic libraries refused.
        case failed
    }

    package let code: Code
    /// The same for a person.
    package let reason: String

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package var description: String { "\(code.rawValue): \(reason)" }
}

/// Runs what the libraries declare as throwing anything. Their errors may quote what they were given, so none goes on.
func attempting<Value>(_ what: String, _ body: () throws -> Value) throws(StoreAuthorityError) -> Value {
    do { return try body() } catch {
        if let error = error as? StoreAuthorityError { throw error }
        throw StoreAuthorityError(.failed, "\(what) failed")
    }
}
