package import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Foundation
package import Ledger
internal import LedgerServices

/// Requests a test notification from the App Store and checks its delivery. That verifies the key, the notification URL
/// and the trusted roots.
package struct OnlineCheck: Sendable {
    /// The outcome for one app in one environment.
    package struct Outcome: Sendable, Hashable {
        package var bundleID: String
        package var environment: AppStoreEnvironment
        /// The base URL of the App Store Server API; nil if none is known for the environment.
        package var host: String?
        package var finding: Finding
        /// The time of the App Store's last delivery attempt.
        package var attemptedAt: Milliseconds?

        package var isGood: Bool { finding == .arrived }
    }

    private let configuration: ServerConfiguration
    private let verifier: SignedDataVerifier
    private let timeout: Duration
    private let requestTimeout: Duration
    private let interval: Duration

    /// - Parameters:
    ///   - timeout: How long to wait for the App Store to report the delivery of a notification.
    ///   - requestTimeout: The time limit of one request to the App Store.
    ///   - interval: The time between two requests for the delivery status.
    /// - Throws: ``ServerError`` when the configuration's clock cannot be read.
    package init(
        _ configuration: ServerConfiguration, timeout: Duration = .seconds(60),
        requestTimeout: Duration = .seconds(10), interval: Duration = .seconds(1)
    ) async throws {
        let clock = try await ServerClock(configuration)
        self.configuration = configuration
        self.timeout = timeout
        self.requestTimeout = requestTimeout
        self.interval = interval
        verifier = try configuration.verifier(validationTime: configuration.trust.validationTime, clock)
    }

    /// Checks all apps in all their environments concurrently.
    package func run() async -> [Outcome] {
        let checks = configuration.apps.flatMap { app in
            app.environments.sorted { $0.rawValue < $1.rawValue }.map { (app, $0) }
        }
        return await checks.mapConcurrently { app, environment in await outcome(app, environment) }
    }

    private func outcome(_ app: ServerConfiguration.App, _ environment: AppStoreEnvironment) async -> Outcome {
        var outcome = Outcome(bundleID: app.bundleID, environment: environment, finding: .noKey)
        guard let host = app.hosts[environment] else { return outcome }
        outcome.host = host.url
        guard let key = app.key else { return outcome }
        do throws(AppStoreServerError) {
            let client = try client(app, key, host)
            let token = try await client.requestTestNotification().testNotificationToken
            guard let answer = try await deliveryStatus(of: token, client) else {
                outcome.finding = .pending
                return outcome
            }
            outcome.attemptedAt = answer.sendAttempts.last?.attemptDate.milliseconds
            outcome.finding = await finding(answer, environment)
        } catch {
            outcome.finding = Finding(error, keyID: key.signingKey.keyID)
        }
        return outcome
    }

    private func client(
        _ app: ServerConfiguration.App, _ key: ServerConfiguration.APIKey, _ host: AppStoreHost
    ) throws(AppStoreServerError) -> AppStoreServerClient {
        let tokens: APITokenSource
        do {
            tokens = try APITokenSource(
                key: key.signingKey, issuerID: key.issuerID, bundleID: app.bundleID, now: { Date() })
        } catch { throw AppStoreServerError(.signing, error.message) }
        var options = AppStoreServerClient.Configuration()
        options.timeout = requestTimeout
        options.retry = .never
        return AppStoreServerClient(tokens: tokens, host: host, configuration: options)
    }

    /// Returns the delivery status of a notification; nil if the App Store does not report it in time.
    private func deliveryStatus(
        of token: String, _ client: AppStoreServerClient
    ) async throws(AppStoreServerError) -> CheckTestNotificationResponse? {
        let end = ContinuousClock.now + timeout
        while true {
            do throws(AppStoreServerError) {
                let answer = try await client.testNotification(token)
                if !answer.sendAttempts.isEmpty { return answer }
            } catch {
                guard error.apiCode == .testNotificationNotFound else { throw error }
            }
            guard ContinuousClock.now + interval < end else { return nil }
            do { try await Task.sleep(for: interval) } catch { return nil }
        }
    }

    private func finding(
        _ answer: CheckTestNotificationResponse, _ environment: AppStoreEnvironment
    ) async -> Finding {
        // The last attempt is decisive: the App Store retries only after a failure.
        guard let result = answer.sendAttempts.last?.sendAttemptResult else { return .pending }
        guard result == .success else { return Finding(result) }
        do throws(VerificationError) {
            let notification = try await verifier.notification(answer.signedPayload)
            let found = notification.payload.data?.environment ?? environment
            return found == environment ? .arrived : Finding(hostOf: found)
        } catch {
            return Finding(verificationFailure: error)
        }
    }
}
