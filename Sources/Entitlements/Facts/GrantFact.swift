public import Foundation

/// An entitlement that the team gave a customer without a purchase.
public struct GrantFact: Sendable, Hashable {
    /// The identifier of the grant.
    public var id: String
    /// The name of the entitlement in the catalogue.
    public var entitlement: String
    /// When it begins.
    public var from: Date
    /// When it ends; nil if it has no end.
    public var until: Date?
    /// When it was revoked.
    public var revokedAt: Date?

    /// Creates a grant. Omitted values are absent.
    public init(id: String, entitlement: String, from: Date, until: Date? = nil, revokedAt: Date? = nil) {
        self.id = id
        self.entitlement = entitlement
        self.from = from
        self.until = until
        self.revokedAt = revokedAt
    }

    /// When it ended or will end; the distant future if it has no end.
    var end: Date { min(until ?? .distantFuture, revokedAt ?? .distantFuture) }

    /// Whether the grant gives the entitlement at an instant. A grant that ends exactly then is over.
    public func isActive(at instant: Date) -> Bool {
        from <= instant && until.map { $0 > instant } ?? true && revokedAt.map { $0 > instant } ?? true
    }
}
