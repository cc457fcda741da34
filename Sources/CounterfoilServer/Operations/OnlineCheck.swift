internal import LedgerServices
package import Ledger
package import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Foundation

/// Asks the App Store for a test notification and whether it arrived: with that, key, URL and roots are right.
package struct OnlineCheck: Sendable {
    /// What was found out about one app in one environment.
    package struct Outcome: Sendable, Hashable {
        package var bundleID: String
        package var environment: AppStoreEnvironment
        /// Where the App Store Server API was asked; nil when it could not be.
        package var host: String?
        package var finding: Finding
        /// When the App Store last tried to deliver the notification.
        package var attemptedAt: Milliseconds?

        package var isGood: Bool { finding == .arrived }
    }

    private let configuration: ServerConfiguration
    private let verifier: SignedDataVerifier
    private let patience: Duration
    private let pause: Duration

    /// - Parameters:
    ///   - patience: How long to wait for the App Store to say what became of a notification.
    ///   - pause: How long between two questions.
    /// - Throws: ``ServerError`` when the configuration's clock cannot be read.
    package init(
        _ configuration: ServerConfiguration, patience: Duration = .seconds(60), pause: Duration = .seconds(1)
    ) async throws {
        let clock = try await ServerClock(configuration.clock)
        self.configuration = configuration
        self.patience = patience
        self.pause = pause
        verifier = try ServerCore.verifier(configuration, validAt: configuration.trust.validAt, clock)
    }

    /// Asks about all apps in all their environments, at the same time.
    package func run() async -> [Outcome] {
        let questions = configuration.apps.flatMap { app in
            app.environments.sorted { $0.rawValue < $1.rawValue }.map { (app, $0) }
        }
        return await withTaskGroup(of: (Int, Outcome).self) { group in
            for (index, (app, environment)) in questions.enumerated() {
                group.addTask { (index, await outcome(app, environment)) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func outcome(_ app: ServerConfiguration.App, _ environment: AppStoreEnvironment) async -> Outcome {
        var outcome = Outcome(bundleID: app.bundleID, environment: environment, finding: .noKey)
        guard let host = app.hosts[environment] else { return outcome }
        outcome.host = host.url
        guard let key = app.key else { return outcome }
        do throws(AppStoreServerError) {
            let client = try client(app, key, host)
            let token = try await client.requestTestNotification().testNotificationToken
            guard let answer = try await fate(of: token, client) else {
                outcome.finding = .pending
                return outcome
            }
            outcome.attemptedAt = answer.sendAttempts.last?.attemptDate.milliseconds
            outcome.finding = await finding(answer)
        } catch {
            outcome.finding = Finding(error)
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
        options.timeout = .seconds(10)
        options.retry = .never
        return AppStoreServerClient(tokens: tokens, host: host, configuration: options)
    }

    /// What became of a notification; nil when the App Store does not know in time.
    private func fate(
        of token: String, _ client: AppStoreServerClient
    ) async throws(AppStoreServerError) -> CheckTestNotificationResponse? {
        let end = ContinuousClock.now + patience
        while true {
            do throws(AppStoreServerError) {
                let answer = try await client.testNotification(token)
                if !answer.sendAttempts.isEmpty { return answer }
            } catch {
                guard error.apiCode == .testNotificationNotFound else { throw error }
            }
            guard ContinuousClock.now + pause < end else { return nil }
            do { try await Task.sleep(for: pause) } catch { return nil }
        }
    }

    private func finding(_ answer: CheckTestNotificationResponse) async -> Finding {
        // The last says how it ended: it is sent again only where it did not arrive.
        guard let result = answer.sendAttempts.last?.sendAttemptResult else { return .pending }
        guard result == .success else { return Finding(result) }
        do throws(VerificationError) { _ = try await verifier.notification(answer.signedPayload) } catch {
            return Finding(unbelievable: error)
        }
        return .arrived
    }
}
