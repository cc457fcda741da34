internal import AppStoreModels
public import AppStoreServer
public import Ledger
public import LedgerServices

/// The settings of the server. ``LoadedConfiguration`` reads them from a file. The defaults are those of the file.
public struct ServerConfiguration: Sendable {
    /// The addresses on which the server listens, and the networks that it accepts requests from.
    public var listen = Listen()

    /// The apps. Each bundle identifier occurs once.
    public var apps: [App]

    /// The trusted root certificates, and how certificates are validated.
    public var trust = Trust()

    /// The ledger's database.
    public var storage = Storage()

    /// The keys for the server's API.
    public var keys: [Key] = []

    /// The webhook endpoints that receive events.
    public var webhooks: [Webhook] = []

    /// Recovery of missed notifications.
    public var recovery = Recovery()

    /// The limits for clients.
    public var limits = Limits()

    /// The level and format of the log, for a ``ServerLogHandler``. No other logger uses them.
    public var log = Log()

    /// The web console.
    public var console = Console()

    /// The clock of the server.
    public var clock = Clock.system

    /// The origin of each setting: a line of the file, an environment variable, an option or the default.
    package var origins = SettingOrigins()

    /// Creates a configuration for these apps, with default values for all other settings.
    public init(apps: [App]) { self.apps = apps }

    /// Returns the app with this bundle identifier.
    public func app(_ bundleID: String) -> App? { apps.first { $0.bundleID.isExactly(bundleID) } }

    /// The apps and environments, sorted.
    package var environments: [(bundleID: String, environment: String)] {
        apps.flatMap { app in
            app.environments.map { (bundleID: app.bundleID, environment: $0.rawValue) }
        }.sorted { ($0.bundleID, $0.environment) < ($1.bundleID, $1.environment) }
    }

    /// The apps and environments whose signed data is accepted.
    public var acceptedApps: AcceptedApps {
        .only(
            apps.map {
                AppStoreServer.App(bundleID: $0.bundleID, appAppleID: $0.appAppleID, environments: $0.environments)
            })
    }
}

extension ServerConfiguration {
    /// The clock of the server.
    @nonexhaustive
    public enum Clock: Sendable, Hashable {
        /// The system clock.
        case system
        /// The clock of a simulator, given the URL of its control API. For rehearsals only.
        case simulator(String)
    }
}
