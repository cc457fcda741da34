internal import AppStoreModels
internal import AppStoreServer
internal import Basics
internal import ConfigurationReading
internal import Foundation
internal import Ledger
internal import LedgerServices

extension LoadedConfiguration {
    /// Returns a copy with a warning for each webhook and base URL whose host has no address. It is no problem, because
    /// the name may exist only where the server will run.
    ///
    /// - Parameters:
    ///   - limit: The time limit of the lookups, which run at the same time.
    ///   - lookUp: Returns the addresses of a host. It may block.
    /// - Throws: `CancellationError` if the task is cancelled.
    package func addingHostWarnings(
        within limit: Duration = .seconds(5), lookUp: @escaping @Sendable (String) -> [String]
    ) async throws -> LoadedConfiguration {
        let hosts = namedHosts
        let unknown = try await withThrowingTaskGroup(of: String?.self) { group in
            for host in Set(hosts.map(\.host)) {
                group.addTask {
                    let found = try await TimeLimit.run(limit) { await WebhookTarget.onThread { lookUp(host) } }
                    let addresses = (found ?? nil) ?? []
                    return addresses.isEmpty ? host : nil
                }
            }
            var missing: Set<String> = []
            for try await host in group { if let host { missing.insert(host) } }
            return missing
        }
        var loaded = self
        for (path, host) in hosts where unknown.contains(host) {
            loaded.warnings.append(issue("this machine finds no address of \(quoted(host))", of: path))
        }
        return loaded
    }

    /// The hosts that the file names, with the paths of their settings. Apple's are not among them.
    private var namedHosts: [(path: String, host: String)] {
        var urls = configuration.webhooks.enumerated().map { (path: "webhooks[\($0)].url", url: $1.url) }
        for (index, app) in configuration.apps.enumerated() {
            for (name, environment) in [("production", AppStoreEnvironment.production), ("sandbox", .sandbox)] {
                guard let host = app.hosts[environment] else { continue }
                urls.append((path: "apps[\(index)].base_urls.\(name)", url: host.url))
            }
        }
        return urls.compactMap { path, url in
            // An IPv6 address has brackets.
            guard configuration.origins.line(of: path) != nil, let host = URLComponents(string: url)?.host,
                !host.hasPrefix("[")
            else { return nil }
            return (path: path, host: host)
        }
    }
}
