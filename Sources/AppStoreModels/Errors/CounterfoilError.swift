/// What every error of these libraries tells, for code that handles all of them alike.
///
/// ```swift
/// catch let error as any CounterfoilError {
///     log("\(error.code)", error.message)
///     if error.isRetryable { retryLater() }
/// }
/// ```
public protocol CounterfoilError: Error, CustomStringConvertible {
    /// The type of ``code``.
    associatedtype Code: Hashable, Sendable, CustomStringConvertible
    /// What went wrong, for programs: as text in snake case, stable between releases.
    var code: Code { get }
    /// The same for a person. Never a key, a token or what was signed.
    var message: String { get }
    /// Whether the same call may succeed later, with nothing changed.
    var isRetryable: Bool { get }
}

extension CounterfoilError {
    /// False: nothing is different next time.
    public var isRetryable: Bool { false }
}
