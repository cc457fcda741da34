package import AsyncHTTPClient
internal import Foundation
internal import Ledger
package import NIOCore

extension WebhookTarget.Refusal: LoggedError {
    package var logReason: String { "\(code.rawValue): \(description)" }
}

extension IOError: LoggedError {
    package var logReason: String { "input or output failed: \(String(cString: strerror(errnoCode)))" }
}

extension HTTPClientError: LoggedError {
    package var logReason: String { "the request failed: \(shortDescription)" }
}
