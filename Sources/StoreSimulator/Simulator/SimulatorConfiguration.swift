public import Foundation

/// The configuration of a simulated App Store.
public struct SimulatorConfiguration: Sendable {
    /// The app whose products are sold.
    public var app = SimulatedApp()

    /// The products, offers and storefronts.
    public var catalogue: Catalogue

    /// The seed of all identifiers. The same seed, catalogue and commands produce the same identifiers and payloads.
    public var seed: UInt64 = 1

    /// How simulated time passes.
    public var clock = ClockMode.real

    /// The settings of the production environment.
    public var production = StoreSettings.production

    /// The settings of the sandbox.
    public var sandbox = StoreSettings.sandbox

    /// Random faults of notifications and API responses; nil for none.
    public var randomFaults: RandomFaultLevel?

    /// The TCP port on loopback; 0 for any free port.
    public var port = 0

    /// The folder of certificates, keys, snapshots and `simulator.json`. Nil means a temporary folder, which is deleted
    /// when the simulator stops.
    public var directory: URL?

    /// Whether the certificate authority for receipts is created at the start, so that its root is among the root
    /// certificates. Generating its RSA keys takes a second or more. If false, they are generated for the first
    /// receipt, unless the folder contains them.
    public var createsReceiptAuthorityAtStart = false

    /// The shared secrets that `verifyReceipt` accepts.
    public var sharedSecrets: Set<String> = ["counterfoil"]

    /// Creates the configuration of a store that sells the products of `catalogue`.
    public init(catalogue: Catalogue = .example) { self.catalogue = catalogue }
}
