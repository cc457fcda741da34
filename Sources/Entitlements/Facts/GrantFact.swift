public import Foundation

/// An entitlement that the team gave a customer without a purchase.
public struct GrantFact: Sendable, Hashable {
    /// The grant.
    public var id: String
    /// The name in the catalogue.
    public var entitlement: String
    /// When it begins.
    public var from: Date
    /// When it ends; nil if it does not.
    public var until: Date?
    /// When it was taken back.
    public var revokedAt: Date?

    /// States a grant. What is not given is absent.
    public init(id: String, entitlement: String, from: Date, until: Date? = nil, revokedAt: Date? = nil) {
        self.id = id
        self.entitlement = entitlement
        self.from = from
        self.until = until
        self.revokedAt = revokedAt
    }

    /// Whether it gives the entitlement at an instant. What ends at it has ended.
    public func isRunning(at instant: Date) -> Bool {
        from <= instant && until.map { $0 > instant } ?? true && revokedAt.map { $0 > instant } ?? true
    }
}
