internal import AppStoreModels
package import AppStoreServer
internal import Ledger

extension AppStoreServerError {
    /// Whether a retry is useless, because the App Store rejects the request or does not know its object.
    var isFinal: Bool { code == .refused && apiCode != nil && !isRetryable && (status == 400 || status == 404) }

    /// What the App Store refuses with a final error in response to a request for a history.
    var refusal: HistoryRequest.Refusal {
        switch apiCode {
        case .transactionIdNotFound?, .originalTransactionIdNotFound?, .invalidTransactionId?,
            .invalidOriginalTransactionId?:
            .transaction
        case .appNotFound?, .invalidAppIdentifier?: .app
        default: .other
        }
    }

    /// Whether the error is about the app or its configuration, so the transaction in the request may exist.
    var isAboutApp: Bool { refusal == .app }

    /// Whether the failure may concern only this request, so that other requests can continue. If the App Store fails
    /// for all requests, the client's circuit breaker opens after a few.
    var mayConcernOneRequest: Bool {
        switch code {
        case .refused: apiCode != nil
        case .serverFailure, .timeout, .undecodableResponse, .responseTooLarge, .invalidPagination, .invalidRequest:
            true
        default: false
        }
    }

    /// Whether the App Store refuses all other requests with the key too: it refused the key, or the quota is used up.
    var concernsKey: Bool { code == .unauthorized || code == .rateLimited }

    /// The error code to store: the name or number of the App Store's error, or else this error's own code.
    package var name: String { apiCode.map { $0.name ?? "\($0.rawValue)" } ?? "\(code)" }
}
