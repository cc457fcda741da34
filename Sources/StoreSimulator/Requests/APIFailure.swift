package import AppStoreModels

/// An error response of the App Store's APIs: the code that Apple documents and a message of the simulator.
package struct APIFailure: Error, Hashable, Sendable {
    /// The HTTP status.
    package let status: Int
    /// The documented code; nil if Apple's response has no body with a code.
    package let code: APIErrorCode?
    package let message: String
    /// The earliest time of the next request, in milliseconds since 1970: the `Retry-After` header.
    package var retryAfter: Int64?

    /// Creates a failure with a documented code. The code determines the status.
    package init(_ code: APIErrorCode, _ message: String, retryAfter: Int64? = nil) {
        status = code.httpStatus ?? 500
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    /// Creates a failure without a code.
    package init(status: Int, _ message: String) {
        self.status = status
        code = nil
        self.message = message
    }
}
