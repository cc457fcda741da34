internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust

extension OnlineCheck {
    /// The result of a check: a code for programs, a message and advice.
    package struct Finding: Sendable, Hashable {
        package var code, message: String
        /// Advice on how to correct the problem; empty if there is none.
        package var advice: String

        init(_ code: String, _ message: String, _ advice: String = "") {
            (self.code, self.message, self.advice) = (code, message, advice)
        }

        package static let arrived = Finding("arrived", "the test notification arrived and was verified")

        static let noKey = Finding(
            "no_key", "the app has no key, so the App Store cannot be queried",
            "add `key`: App Store Connect > Users and Access > Integrations > In-App Purchase")

        static let pending = Finding(
            "pending", "the App Store accepted the request, but did not report the delivery in time",
            "run the command again in a minute; look for a TEST notification in /v1/notifications")

        /// The finding for an error of the App Store Server API, from a request with a key.
        init(_ error: AppStoreServerError, keyID: String) {
            switch (error.code, error.apiCode) {
            case (.unauthorized, _):
                self.init(
                    "wrong_key", "the App Store does not accept the key \(keyID) (status 401)",
                    """
                    compare issuer_id, key_id, private_key and bundle_id with App Store Connect: the key must be an In-App \
                    Purchase key of this team and not revoked, and this machine's clock must be right
                    """)
            case (.signing, _):
                self.init("wrong_key", "no token can be signed: \(error.message)", "download the key again")
            case (.refused, .serverNotificationUrlNotFound?):
                self.init(
                    "no_notification_url", "App Store Connect has no URL for notifications of this environment",
                    """
                    set it: App Store Connect > App Information > App Store Server Notifications, Version 2, the server's \
                    public address with the path /apple/notifications
                    """)
            case (.refused, .appNotFound?), (.refused, .appNotFoundRetryable?):
                self.init(
                    "unknown_app", "the App Store knows no app with this bundle identifier for this key",
                    "compare bundle_id with App Store Connect; for production the app must have been released")
            case (.refused, let code?):
                self.init(
                    "refused",
                    "the App Store refuses the request: \(error.apiMessage ?? code.name ?? "\(code.rawValue)")",
                    "look up \(code.rawValue) in Apple's list of error codes")
            case (.refused, nil), (.unexpectedStatus, _), (.undecodableResponse, _), (.responseTooLarge, _):
                self.init(
                    "wrong_base_url",
                    "the server at that URL is not the App Store Server API\(error.status.map { " (status \($0))" } ?? "")",
                    "correct base_urls, or leave it out for Apple's addresses; look for a proxy in between")
            case (.transport, _), (.unreachable, _), (.timeout, _), (.circuitOpen, _):
                self.init(
                    "unreachable", "the App Store Server API cannot be reached: \(error.message)",
                    "check base_urls, name resolution, and that this machine may open connections to that address")
            case (.rateLimited, _):
                self.init("rate_limited", "the App Store limits the rate of requests", "run the command again later")
            default:
                self.init("failed", "the App Store sent an unexpected response: \(error.message)", "run it again later")
            }
        }

        /// The finding for a base URL of another environment, such as that of a proxy or a simulator.
        init(hostOf found: AppStoreEnvironment) {
            self.init(
                "wrong_base_url", "the server at that URL is the App Store's \(found.rawValue)",
                "correct base_urls: a recovery would read the history of the wrong environment")
        }

        /// The finding for a failed delivery attempt that the App Store reports.
        init(_ result: SendAttemptResult) {
            let code = "not_delivered"
            switch result {
            case .unsuccessfulHTTPResponseCode:
                self.init(
                    code, "the server at the notification URL answered with another status than 200",
                    """
                    the path is /apple/notifications; the server's log and /v1/refused say why it was refused; look for a \
                    proxy in between
                    """)
            case .timedOut:
                self.init(
                    code, "the server at the notification URL did not answer in time",
                    "look at /health/ready and the log")
            case .tlsIssue:
                self.init(
                    code, "TLS with the notification URL failed",
                    "its certificate must be valid for that name and be sent with all intermediates")
            case .noResponse, .socketIssue, .prematureClose:
                self.init(
                    code, "nothing answers at the notification URL",
                    "the server must run and be reachable from the internet, at the URL in App Store Connect")
            case .circularRedirect:
                self.init(code, "the notification URL redirects in a loop", "set the final URL")
            default:
                self.init(
                    code, "the notification URL returned an invalid response (\(result.rawValue))",
                    "check for a proxy in between")
            }
        }

        /// The finding for a notification that arrived and failed verification.
        init(verificationFailure error: VerificationError) {
            let advice =
                error.code == .wrongApp
                ? "compare bundle_id and apple_id with App Store Connect"
                : "check trust.anchors: Apple's roots, or those of the simulator that base_urls names"
            self.init(
                "not_believed", "the notification arrived but failed verification: \(error.description)",
                advice)
        }
    }
}
