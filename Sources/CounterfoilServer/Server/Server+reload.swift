internal import AppStoreServer
internal import Basics
internal import Ledger
internal import LedgerServices
internal import Logging

extension Server {
    /// Applies a new configuration, as far as that is possible while the server runs: API keys, the secrets of customer
    /// tokens and old clients, webhooks, the keys of the apps, and the TLS certificate.
    ///
    /// If reading or applying fails, the previous configuration stays in effect and the log has the reason. The log
    /// also names changed settings that take effect only after a restart. Do not call this again before it returns.
    ///
    /// - Parameter read: Reads the new configuration.
    public func reload(_ read: @Sendable () throws -> ServerConfiguration) async {
        do {
            let new = try read()
            let (applied, pending) = core.configuration.applying(new)
            // Do everything that can fail before applying anything. Files that only the previous configuration names
            // may be deleted.
            let fresh = try new.listen.tls.map { try TLSIdentity($0) }
            try await core.webhooks.configure(applied.webhooks)
            core.apply(applied)
            if let fresh { identity?.replace(with: fresh) }
            core.logger.notice(
                "the configuration was read again",
                metadata: ["keys": "\(applied.keys.count)", "webhooks": "\(applied.webhooks.count)"])
            guard !pending.isEmpty else { return }
            core.logger.warning(
                "some changed settings take effect only after a restart",
                metadata: ["settings": "\(pending.joined(separator: ", "))"])
        } catch {
            core.logger.error(
                "the configuration was not applied; the previous one stays in effect",
                metadata: ["reason": "\(Self.reason(error))"])
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
    /// Replaces the configuration for all later requests.
    fileprivate func apply(_ configuration: ServerConfiguration) {
        settings.replace(with: configuration)
        apps.replace(with: configuration.apps)
        access.replace(with: AccessTable(configuration, replacing: access.current))
        for (scope, client) in clients {
            guard let name = scopes[id: scope]?.bundleID, let key = configuration.app(name)?.key else { continue }
            client.tokens.replaceKeys(key.all)
        }
    }
}
