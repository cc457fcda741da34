internal import Basics
internal import Crypto
internal import Foundation

/// That a person was erased: what was kept of a customer until an instant is kept without a name.
///
/// The name itself is what must not be kept, so a customer is known by a digest. By it an older export, which still has the name,
/// brings nothing back: what it says of the customer until that instant is read without the name. So it makes no
/// difference in which order an erasure and what it is about are read.
package struct Erasure: Sendable, Hashable {
    /// SHA-256 of the app and the customer, in hexadecimal.
    package var digest: String
    package var instant: Milliseconds

    package init(digest: String, at instant: Milliseconds) { (self.digest, self.instant) = (digest, instant) }

    /// The digest of a customer's name.
    package static func digest(of customer: String, in bundleID: String) -> String {
        SHA256.hash(data: Array((bundleID + "\n" + customer).utf8)).hexadecimal
    }

    /// The instant of an erasure: no earlier than the last that is kept of the customer. That is later than the clock if
    /// the clock was set back, or several things happened within a millisecond. Each erasure is later than the one before,
    /// so it shows whether there was another since.
    ///
    /// - Parameters:
    ///   - newest: When the last was said of the customer.
    ///   - previous: The last erasure of the same customer.
    package static func instant(
        at now: Milliseconds, newest: Milliseconds?, previous: Milliseconds?
    ) -> Milliseconds {
        let next = previous.map { $0 == .max ? $0 : $0 + 1 } ?? now
        return max(now, newest ?? now, next)
    }

    /// What every stand-in begins with.
    private static let prefix = "erased:"

    /// The stand-in for the name: two erased customers stay two.
    package var standIn: String { Self.prefix + digest.prefix(32) }

    /// Whether a name stands for somebody who was erased. No customer can be called so.
    package static func isStandIn(_ name: String) -> Bool { name.hasPrefix(prefix) }

    /// Whether something of an instant is to be kept without the name.
    package func covers(_ instant: Milliseconds) -> Bool { instant <= self.instant }
}

/// What came of an erasure.
package struct ErasureReport: Sendable, Hashable {
    /// Claims that have no name any more.
    package var claims = 0
    /// Grants that are gone.
    package var grants = 0
    /// Reports of use that are gone.
    package var usage = 0
    /// Purchases that are kept and nobody's.
    package var purchases = 0

    package init() {}
}

/// Forgets people.
package protocol ErasureStorage: Sendable {
    /// Erases a customer, in one transaction: the claims stay without the name, grants, usage and remembered answers go, the
    /// purchases are nobody's. What the App Store signed stays as it is.
    func erase(_ customer: String, in scope: Scope, at now: Milliseconds) async throws -> ErasureReport

    /// When a customer was last erased; nil for never.
    func lastErasure(of customer: String, in scope: Scope) async throws -> Milliseconds?
}
