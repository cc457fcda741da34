internal import Basics
internal import Crypto
internal import Foundation

/// The erasure of a customer: the customer's data up to an instant lose the name.
///
/// The name itself must not be stored, so a digest identifies the customer. It also applies to older exports that still
/// have the name: an import removes the name from data up to that instant. So the order in which an erasure and the
/// data are imported makes no difference.
package struct Erasure: Sendable, Hashable {
    /// SHA-256 of the app and the customer, in hexadecimal.
    package var digest: String
    package var instant: Milliseconds

    package init(digest: String, at instant: Milliseconds) { (self.digest, self.instant) = (digest, instant) }

    /// Returns the digest of a customer's name.
    package static func digest(of customer: String, in bundleID: String) -> String {
        SHA256.hash(data: Array((bundleID + "\n" + customer).utf8)).hexadecimal
    }

    /// Returns the instant of an erasure. It is not before the newest data of the customer, which may be later than the
    /// clock if the clock was set back. It is later than the previous erasure, so the instant shows whether there was
    /// another erasure since.
    ///
    /// - Parameters:
    ///   - newest: The instant of the newest data about the customer.
    ///   - previous: The last erasure of the same customer.
    package static func instant(
        at now: Milliseconds, newest: Milliseconds?, previous: Milliseconds?
    ) -> Milliseconds {
        max(now.advanced(past: previous), newest ?? now)
    }

    /// Returns the instant of a claim, a grant or a usage report that is stored now: after the customer's last erasure,
    /// even in the same millisecond or if the clock was set back, so that an import does not remove it as older data.
    package static func instant(ofChangeAt now: Milliseconds, afterErasure last: Milliseconds?) -> Milliseconds {
        now.advanced(past: last)
    }

    /// Whether a customer whose last erasure is `last` was erased after an instant.
    package static func isNew(_ last: Milliseconds?, since instant: Milliseconds) -> Bool {
        last.map { $0 > instant } ?? false
    }

    /// The prefix of all stand-ins.
    package static let standInPrefix = "erased:"

    /// The name that replaces the customer's. Two erased customers have different stand-ins.
    package var standIn: String { Self.standInPrefix + digest.prefix(32) }

    /// Returns the name that replaces a customer's.
    package static func standIn(for customer: String, in bundleID: String) -> String {
        Erasure(digest: digest(of: customer, in: bundleID), at: 0).standIn
    }

    /// Whether a name is the stand-in of an erased customer. Customers cannot have such a name.
    package static func isStandIn(_ name: String) -> Bool { name.hasPrefix(standInPrefix) }

    /// Returns the customers without stand-ins: an erased customer owns nothing.
    package static func withoutStandIns(_ customers: [String]) -> [String] { customers.filter { !isStandIn($0) } }

    /// Whether data of this instant lose the name.
    package func covers(_ instant: Milliseconds) -> Bool { instant <= self.instant }
}

/// The numbers of rows that an erasure changed.
package struct ErasureReport: Sendable, Hashable {
    /// Claims whose name was replaced.
    package var claims = 0
    /// Deleted grants.
    package var grants = 0
    /// Deleted usage reports.
    package var usage = 0
    /// Purchases that no longer have an owner.
    package var purchases = 0

    package init() {}
}

/// Erases customers.
package protocol ErasureStorage: Sendable {
    /// Erases a customer in one transaction: claims lose the name; grants, usage reports and stored responses are
    /// deleted; the purchases have no owner. Data that the App Store signed do not change. Repeating the call is
    /// another erasure, with a later instant.
    func erase(_ customer: String, in appEnvironment: AppEnvironment, at now: Milliseconds) async throws
        -> ErasureReport

    /// Returns the instant of the customer's last erasure; nil if there was none.
    func lastErasure(of customer: String, in appEnvironment: AppEnvironment) async throws -> Milliseconds?
}
