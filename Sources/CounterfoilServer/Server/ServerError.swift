public import AppStoreModels
internal import Foundation
internal import Ledger
internal import NIOCore

/// An error that prevents a server from starting.
public struct ServerError: CounterfoilError, Hashable {
    /// The kind of error. A ledger that cannot be opened has the codes of `/health/ready` and of the commands on the
    /// ledger, such as `storage_full`, `storage_damaged` or `storage_newer`.
    public struct Code: OpenEnumeration {
        /// The name, such as `port_taken`.
        public let rawValue: String

        /// Creates a code from any name, also one that is not listed below.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Another process uses the ledger, such as a server that is paused or still stops. It can be opened when that
        /// process has ended.
        public static let ledgerInUse = Self(rawValue: "storage_busy")
        /// Another process listens on the port.
        public static let portInUse = Self(rawValue: "port_taken")
        /// The address does not belong to this machine, or this user may not listen on it.
        public static let addressUnavailable = Self(rawValue: "no_address")
        /// The certificate or its key cannot be used.
        public static let badCertificate = Self(rawValue: "bad_certificate")
        /// The clock of the simulator cannot be read.
        public static let clockUnavailable = Self(rawValue: "no_clock")
        /// Any other error.
        public static let failed = Self(rawValue: "failed")
    }

    /// The kind of error.
    public let code: Code
    /// A human-readable message that says what to do. It contains no secrets.
    public let message: String

    /// The message.
    public var description: String { message }

    /// Creates an error with these values, for tests of error handling.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Converts the error that ended a starting server.
    init(starting error: any Error) {
        switch error {
        case let error as ServerError: self = error
        case let error as StorageError: self.init(Code(rawValue: error.code.rawValue), error.message)
        default: self.init(.failed, "the server cannot start: \(error.logReason)")
        }
    }

    /// Converts an error of binding or listening; nil for any other error.
    init?(listening error: any Error, at address: ListenAddress) {
        switch error {
        case let error as IOError where error.errnoCode == EADDRINUSE:
            self.init(.portInUse, "\(address.description) is taken; \(address.remedy)")
        case let error as IOError where error.errnoCode == EACCES || error.errnoCode == EPERM:
            self.init(
                .addressUnavailable,
                """
                this user cannot listen on \(address.description); use a port from 1024 in \(address.portSetting), or give the \
                service CAP_NET_BIND_SERVICE
                """)
        case let error as IOError where error.errnoCode == EADDRNOTAVAIL:
            self.init(
                .addressUnavailable, "\(address.host) is not an address of this machine; change \(address.hostSetting)")
        case let error as IOError where error.errnoCode == EINVAL || error.errnoCode == EAFNOSUPPORT:
            self.init(
                .addressUnavailable,
                """
                this machine cannot listen on \(address.host): it has no IPv6, or the address is link-local; change \
                \(address.hostSetting)
                """)
        case is SocketAddressError, is SocketAddressError.UnknownHost:
            self.init(
                .addressUnavailable,
                "\(address.host) is neither an address nor a known name; change \(address.hostSetting)")
        default: return nil
        }
    }
}
