internal import AppStoreModels

/// The customer of an Apple account over time, for notifications about the account instead of a purchase.
///
/// The claims of the account have priority. Without a claim, the customer is the owner of the account's purchases. If
/// these have several owners, the account has no customer. Erased customers do not count.
package struct AccountOwnership: Sendable, Hashable {
    package var claims: ClaimHistory
    /// The ownerships of the purchases that the account bought.
    package var purchases: [Ownership]

    package init(claims: ClaimHistory, purchases: [Ownership]) {
        (self.claims, self.purchases) = (claims, purchases)
    }

    /// The customer after all claims.
    package var customer: String? { customer(at: .max) }

    /// Returns the customer at an instant, by the same rules as ``Ownership/owners(at:)``.
    package func customer(at instant: Milliseconds) -> String? {
        let claimed = Ownership(claims: ClaimHistory([]), named: nil, account: claims).owners(at: instant)
        // An Apple account has one customer.
        if let customer = claimed.first { return Erasure.isStandIn(customer) ? nil : customer }
        let owners = Set(
            Erasure.withoutStandIns(purchases.flatMap { $0.owners(at: instant) }).map { ExactText($0) })
        return owners.count == 1 ? owners.first?.text : nil
    }
}
