internal import Basics
internal import LedgerServices
internal import AppStoreServer
internal import Ledger
internal import Logging

extension Server {
    /// Goes by another configuration from now on, as far as that is possible while the server runs: the keys of its own API, the
    /// secrets of customer tokens and old clients, the webhooks, the keys of the apps, the TLS certificate.
    ///
    /// Whatever is wrong with it, all stays as it was, and the log says why. What counts from the next start only is named
    /// there too. Not to be called again before it returns.
    ///
    /// - Parameter read: Reads the configuration.
    public func reload(_ read: @Sendable () throws -> ServerConfiguration) async {
        do {
            let (taken, waiting) = core.configuration.taking(try read())
            // Everything that can fail comes first.
            let fresh = try taken.listen.tls.map { try TLSIdentity($0) }
            try await core.webhooks.configure(taken.webhooks)
            core.take(taken)
            if let fresh { identity?.replace(with: fresh) }
            core.logger.notice(
                "the configuration was read again",
                metadata: ["keys": "\(taken.keys.count)", "webhooks": "\(taken.webhooks.count)"])
            guard !waiting.isEmpty else { return }
            core.logger.warning(
                "some settings were changed that count from the next start",
                metadata: ["settings": "\(waiting.joined(separator: ", "))"])
        } catch {
            core.logger.error(
                "the configuration was not taken, all stays as it was", metadata: ["reason": "\(Self.reason(error))"])
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case let error as ConfigurationError: error.problems.prefix(10).map(\.description).joined(separator: "; ")
        case let error as ServerError: error.message
        default: error.logReason
        }
    }
}

extension ServerCore {
    /// Has everybody who asks from now on find another configuration.
    fileprivate func take(_ configuration: ServerConfiguration) {
        settings.replace(with: configuration)
        apps.replace(with: configuration.apps)
        access.replace(with: AccessTable(configuration, replacing: access.current))
        for (scope, client) in clients {
            guard let name = scopes[id: scope]?.bundleID, let key = configuration.app(name)?.key else { continue }
            client.tokens.replaceKeys(key.all)
        }
    }
}
