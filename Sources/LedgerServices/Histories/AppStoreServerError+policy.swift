internal import AppStoreModels
package import AppStoreServer

extension AppStoreServerError {
    /// Whether the App Store will never answer that: what was asked for is wrong or unknown.
    var isFinal: Bool { code == .refused && apiCode != nil && !isRetryable && (status == 400 || status == 404) }

    /// Whether it may be about nothing but what was asked for: others can be asked for meanwhile. If the App Store has
    /// trouble with everything, the client's circuit opens after a few.
    var mayBeAboutOne: Bool {
        switch code {
        case .refused: apiCode != nil
        case .serverFailure, .timeout, .undecodableAnswer, .answerTooLarge, .endlessPages, .invalidRequest: true
        default: false
        }
    }

    /// The code to remember it by.
    package var name: String { apiCode.map { $0.name ?? "\($0.rawValue)" } ?? "\(code)" }
}
