package import Foundation

/// One Apple Account as the app's store knows it.
package struct Customer: Sendable, Codable {
    package let id: String
    package var storefront: String
    /// One per account and app. A purchase is not needed for it.
    package let appTransactionID: String
    /// The account of the app that this customer's purchases name; nil for none.
    package var accountToken: UUID?
    /// When the account first got the app.
    package let since: Date
    /// The version of the app that the account first got; nil for the one on sale at the start.
    package let firstVersion: String?
    /// Whether the payment method fails.
    package var isBillingFailing = false
    /// Whether it fails for want of money, so that a later attempt succeeds by itself.
    @Later package var billingRecovers = false
    /// The offer codes that were redeemed, by product and identifier.
    @Later package var redeemedOffers: [String] = []
    /// When a win-back offer was redeemed last, by group.
    @Later package var winBacks: [String: Date] = [:]
    /// How the account has the app by an organisation; nil for by itself.
    @Later package var volumePurchase: VolumePurchase? = nil
    /// Whether the app has asked for a receipt.
    @Later package var hasRefreshedReceipt = false
    /// Whose family the account belongs to.
    package var organizer: String?
    /// The accounts that may use what this one buys, in the order in which they joined.
    package var family: [String] = []
    /// Every transaction, in the order in which they were made.
    package var transactions: [String] = []
    /// The original transaction identifiers of all subscriptions, own and shared.
    package var subscriptions: [String] = []
    /// The groups in which the introductory offer is used up.
    package var introductoryGroups: [String] = []
    /// The groups of customers it belongs to (sandbox): group identifier and role by product.
    package var groups: [CustomerGroup] = []
    /// The devices that somebody has named.
    package var devices: [String: Device] = [:]
    /// Whether somebody else has to agree to purchases.
    package var asksToBuy = false
    /// The purchases that wait for somebody, the oldest first.
    package var pendingPurchases: [PendingPurchase] = []
    /// What devices have been shown: a text keeps its date of signature until something else is in it.
    package var shown = ShownTexts()

    private enum CodingKeys: String, CodingKey {
        case id, storefront
        case appTransactionID = "appTransactionId"
        case accountToken, since, firstVersion, isBillingFailing, billingRecovers, redeemedOffers, winBacks
        case volumePurchase, hasRefreshedReceipt, organizer, family, transactions, subscriptions
        case introductoryGroups, groups, devices, asksToBuy, pendingPurchases, shown
    }
}

/// The app, bought by an organisation for its people.
package struct VolumePurchase: Sendable, Codable, Hashable {
    /// When receipts cease to hold; nil for never.
    package var expires: Date?
}

/// Membership in a group of customers. Apple's page: `Get Customer Groups`.
package struct CustomerGroup: Sendable, Codable, Hashable {
    package let id: String
    package let isOrganization: Bool
    package let isAdministrator: Bool
}
