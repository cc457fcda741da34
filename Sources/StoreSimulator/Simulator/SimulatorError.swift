public import AppStoreModels

/// The reason why a simulator cannot start or cannot carry out a call.
public struct SimulatorError: CounterfoilError, Hashable {
    /// The machine-readable kind of failure.
    public struct Code: OpenEnumeration {
        /// The code in snake case.
        public let rawValue: String
        /// Creates a code from any text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// An argument of the call is out of range, such as an instant in the past.
        public static let invalidArgument = Self(rawValue: "invalid_argument")
        /// The catalogue is invalid. The message lists every problem.
        public static let invalidCatalogue = Self(rawValue: "invalid_catalogue")
        /// Target, effect and limits of a fault do not fit.
        public static let invalidFault = Self(rawValue: "invalid_fault")
        /// There is no fault with this number.
        public static let unknownFault = Self(rawValue: "unknown_fault")
        /// The simulator has as many faults, keys or signing certificates as it can have.
        public static let limitReached = Self(rawValue: "limit_reached")
        /// There is no notification with this number.
        public static let unknownNotification = Self(rawValue: "unknown_notification")
        /// There is no snapshot of this name.
        public static let unknownSnapshot = Self(rawValue: "unknown_snapshot")
        /// The snapshot is of another app.
        public static let otherApp = Self(rawValue: "other_app")
        /// Another version of the simulator wrote the snapshot, in a format that this version cannot read.
        public static let unsupportedSnapshot = Self(rawValue: "unsupported_snapshot")
        /// A file of the simulator is damaged or cannot be read.
        public static let corrupted = Self(rawValue: "corrupted")
        /// A scenario needs a frozen clock.
        public static let clockNotFrozen = Self(rawValue: "clock_not_frozen")
        /// The port is not available.
        public static let cannotListen = Self(rawValue: "cannot_listen")
        /// The folder or a file in it cannot be written.
        public static let unwritableDirectory = Self(rawValue: "unwritable_directory")
        /// Another simulator runs in the folder.
        public static let directoryInUse = Self(rawValue: "directory_in_use")
        /// The simulator's address is not a URL.
        public static let invalidAddress = Self(rawValue: "invalid_address")
        /// The certificate that signed a stored text is missing.
        public static let noSigner = Self(rawValue: "no_signer")
        /// A cryptographic library failed.
        public static let failed = Self(rawValue: "failed")
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong and what to do, for people.
    public let message: String

    /// Creates an error with these values, for tests of error handling.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
