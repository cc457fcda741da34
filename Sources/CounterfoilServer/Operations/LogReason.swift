internal import Hummingbird
internal import Ledger

extension APIFailure: LoggedError {
    var logReason: String { "\(code): \(message)" }
}

extension ServerError: LoggedError {
    package var logReason: String { message }
}

extension HTTPError: LoggedError {
    package var logReason: String { "status \(status.code): \(status.reasonPhrase)" }
}
