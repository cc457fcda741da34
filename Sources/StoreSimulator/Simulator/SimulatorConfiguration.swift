public import AppStoreModels
public import Foundation

/// What a simulated App Store is made of.
public struct SimulatorConfiguration: Sendable {
    /// The app that it sells the purchases of.
    public var app = SimulatedApp()

    /// What is sold.
    public var catalogue: Catalogue

    /// What all identifiers come from. The same seed, catalogue and commands give the same identifiers and payloads.
    public var seed: UInt64 = 1

    /// How its time passes.
    public var clock = ClockMode.real

    /// How production behaves.
    public var production = StoreSettings.production

    /// How the sandbox behaves.
    public var sandbox = StoreSettings.sandbox

    /// What goes wrong by itself; nil for nothing.
    public var disorder: Disorder?

    /// The port on loopback; 0 for a free one.
    public var port = 0

    /// Where certificates, keys, snapshots and `simulator.json` are kept. Nil is a temporary folder that goes when the
    /// simulator stops.
    public var directory: URL?

    /// Whether the authority for receipts is made at the start, so that its root is among the root certificates. Its RSA keys
    /// take a second or more; otherwise they are made when the first receipt is asked for, unless the folder has them.
    public var makesReceiptAuthority = false

    /// The shared secrets that `verifyReceipt` takes.
    public var sharedSecrets: Set<String> = ["counterfoil"]

    /// A store that sells `catalogue`.
    public init(catalogue: Catalogue = .example) { self.catalogue = catalogue }

    /// The settings of an environment.
    subscript(environment: AppStoreEnvironment) -> StoreSettings {
        get { environment == .sandbox ? sandbox : production }
        set { if environment == .sandbox { sandbox = newValue } else { production = newValue } }
    }
}

/// Why a simulator cannot start, or cannot do what it was asked to.
public struct SimulatorError: CounterfoilError, Hashable {
    /// For programs, in snake case.
    public let code: String
    /// For people: what is wrong and what to do.
    public let message: String

    package init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
