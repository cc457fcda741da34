public import LedgerServices
public import Ledger
internal import AppStoreModels
public import AppStoreServer

/// Everything that the server has to be told. ``LoadedConfiguration`` reads it from a file; every member has the default
/// that the file's has.
public struct ServerConfiguration: Sendable {
    /// Where requests are accepted, and from whom.
    public var listen = Listen()

    /// The apps, each at most once.
    public var apps: [App]

    /// Which roots and which dates count.
    public var trust = Trust()

    /// Where everything is kept.
    public var storage = Storage()

    /// Who may use our own API.
    public var keys: [Key] = []

    /// Whom we tell what happened.
    public var webhooks: [Webhook] = []

    /// How gaps are closed.
    public var recovery = Recovery()

    /// How much a client may ask for.
    public var limits = Limits()

    /// What is written about the server's work.
    public var log = Log()

    /// The pages of the server.
    public var console = Console()

    /// Which clock is believed.
    public var clock = Clock.system

    /// Where each setting was said, for those who look at it.
    package var origins = SettingOrigins()

    /// A server for these apps, with the default of everything else.
    public init(apps: [App]) { self.apps = apps }

    /// The app with this bundle identifier.
    public func app(_ bundleID: String) -> App? { apps.first { $0.bundleID.isExactly(bundleID) } }

    /// Whose signed data is accepted.
    public var acceptedApps: AcceptedApps {
        .only(
            apps.map {
                AppStoreServer.App(bundleID: $0.bundleID, appAppleID: $0.appAppleID, environments: $0.environments)
            })
    }
}

extension ServerConfiguration {
    /// Which clock the server goes by.
    @nonexhaustive
    public enum Clock: Sendable, Hashable {
        /// That of the machine.
        case system
        /// That of a simulator, by the URL of its control API. For rehearsals only.
        case simulator(String)
    }
}
