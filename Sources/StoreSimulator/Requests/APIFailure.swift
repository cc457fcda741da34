package import AppStoreModels

/// Why a request to the App Store's API fails: the code that Apple documents and a sentence of ours.
package struct APIFailure: Error, Hashable, Sendable {
    /// The HTTP status.
    package let status: Int
    /// The documented code; nil where Apple answers without a body that says more.
    package let code: APIErrorCode?
    package let message: String
    /// When the caller may ask again, in milliseconds since 1970: the header `Retry-After`.
    package var retryAfter: Int64?

    /// A documented failure. The status is in the code.
    package init(_ code: APIErrorCode, _ message: String, retryAfter: Int64? = nil) {
        status = code.httpStatus ?? 500
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
    }

    /// A failure without a code.
    package init(status: Int, _ message: String) {
        self.status = status
        code = nil
        self.message = message
    }
}
