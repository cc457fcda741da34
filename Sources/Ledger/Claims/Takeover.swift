/// Which purchases move from another customer to this one, if the app's restore policy allows it.
package enum Takeover: Sendable, Hashable, CaseIterable {
    /// All purchases of the Apple account: the customer requested a restore.
    case everything
    /// The purchases in the report, except those whose account token names another customer. Purchases that only the
    /// App Store's history contains are claimed only if no customer owns them.
    case reportedPurchases
    /// None. Purchases of another customer stay there, and the response lists them.
    case nothing

    package init(restore: Bool?) {
        switch restore {
        case true?: self = .everything
        case nil: self = .reportedPurchases
        case false?: self = .nothing
        }
    }
}

extension Takeover {
    /// Returns the policy of a claim in an app with the restore policy `policy`.
    package func policy(_ policy: RestorePolicy) -> RestorePolicy { self == .nothing ? .keepOriginal : policy }

    /// Whether a claim may override the account token of another customer.
    package var overridesNamedAccount: Bool { self == .everything }

    /// Whether the claim of a report continues without refused purchases.
    ///
    /// - Parameter reportsPurchases: Whether the report contains purchases, rather than an Apple account alone.
    package func skipsRefused(reportsPurchases: Bool) -> Bool { self == .nothing || reportsPurchases }

    /// Whether the claim of a report is refused if all purchases in it are.
    package var needsPurchase: Bool { self != .nothing }

    /// What the claim of a report takes over of the purchases that only the App Store's history contains.
    package var ofUnreported: Takeover { self == .everything ? .everything : .nothing }
}
