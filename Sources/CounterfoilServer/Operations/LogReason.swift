internal import AsyncHTTPClient
internal import Foundation
internal import Hummingbird
internal import Ledger
internal import NIOCore

extension APIFailure: LoggedError {
    var logReason: String { "\(type): \(message)" }
}

extension ServerError: LoggedError {
    package var logReason: String { message }
}

extension WebhookTarget.Refusal: LoggedError {
    var logReason: String { "\(code.rawValue): \(description)" }
}

extension IOError: LoggedError {
    package var logReason: String { "input or output failed: \(String(cString: strerror(errnoCode)))" }
}

extension HTTPClientError: LoggedError {
    package var logReason: String { "the request failed: \(shortDescription)" }
}

extension HTTPError: LoggedError {
    package var logReason: String { "status \(status.code): \(status.reasonPhrase)" }
}
