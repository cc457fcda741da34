public import AppStoreModels
internal import Ledger
internal import Foundation
internal import NIOCore

/// Why a server cannot begin.
public struct ServerError: CounterfoilError, Hashable {
    /// What kind of trouble it is.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The name, such as `port_taken`.
        public let rawValue: String

        /// Takes any name, listed below or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The name.
        public var description: String { rawValue }

        /// The ledger cannot be used: another process has it, the disk is full, it is damaged.
        public static let noLedger = Self(rawValue: "no_ledger")
        /// Another program listens there.
        public static let portTaken = Self(rawValue: "port_taken")
        /// The address is not one of this machine's, or not for this user.
        public static let noAddress = Self(rawValue: "no_address")
        /// The certificate or its key cannot be used.
        public static let badCertificate = Self(rawValue: "bad_certificate")
        /// The simulator whose clock counts does not answer.
        public static let noClock = Self(rawValue: "no_clock")
        /// Anything else.
        public static let failed = Self(rawValue: "failed")
    }

    /// What kind of trouble it is.
    public let code: Code
    /// What to do about it, for people. Never a secret.
    public let message: String

    /// The message.
    public var description: String { message }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Says what it means that the server did not start.
    init(starting error: any Error) {
        switch error {
        case let error as ServerError: self = error
        case let error as StorageError: self.init(.noLedger, error.message)
        default: self.init(.failed, "the server cannot start: \(error.logReason)")
        }
    }

    /// Says what the failure of listening means; nil for what is no such failure.
    init?(listening error: any Error, at place: ListenAddress) {
        switch error {
        case let error as IOError where error.errnoCode == EADDRINUSE:
            self.init(.portTaken, "\(place.description) is taken; \(place.remedy)")
        case let error as IOError where error.errnoCode == EACCES || error.errnoCode == EPERM:
            self.init(
                .noAddress,
                """
                this user cannot listen on \(place.description); use a port from 1024 in \(place.portSetting), or give the \
                service CAP_NET_BIND_SERVICE
                """)
        case let error as IOError where error.errnoCode == EADDRNOTAVAIL:
            self.init(.noAddress, "\(place.host) is not an address of this machine; change \(place.hostSetting)")
        case is SocketAddressError:
            self.init(
                .noAddress, "\(place.host) is neither an address nor a known name; change \(place.hostSetting)")
        default: return nil
        }
    }
}
