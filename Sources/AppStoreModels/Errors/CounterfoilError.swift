/// The common interface of all errors of these libraries.
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
    /// The kind of failure, as stable text in snake case.
    var code: Code { get }
    /// A description of the failure, for people. Never contains a key, a token or signed data.
    var message: String { get }
    /// Whether the same call may succeed later without changes.
    var isRetryable: Bool { get }
}

extension CounterfoilError {
    /// Returns false: the default for errors that a retry cannot resolve.
    public var isRetryable: Bool { false }

    /// The code and the message in one line.
    public var description: String { "\(code): \(message)" }
}
