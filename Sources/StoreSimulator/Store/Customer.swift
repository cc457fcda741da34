package import Foundation

/// An Apple Account as the store of one app sees it.
package struct Customer: Sendable, Codable {
    package let id: String
    package var storefront: String
    /// The `appTransactionId`, one for each account and app. It exists without a purchase.
    package let appTransactionID: String
    /// The `appAccountToken` of the customer's purchases; nil for none.
    package var accountToken: UUID?
    /// When the account first downloaded the app.
    package let since: Date
    /// The app version that the account downloaded first; nil for the version on sale at the start.
    package let firstVersion: String?
    /// When the account ordered the app before its release; nil if it did not.
    package let preorderDate: Date?
    /// Whether the payment method fails.
    package var isBillingFailing = false
    /// Whether payments fail for insufficient funds, so that a later attempt succeeds.
    package var billingRecovers = false
    /// The redeemed offer codes, by product and offer identifier.
    package var redeemedOffers: [String] = []
    /// When the customer last redeemed a win-back offer, by subscription group.
    package var winBacks: [String: Date] = [:]
    /// The volume purchase through which the account has the app; nil if the account got the app itself.
    package var volumePurchase: VolumePurchase?
    /// Whether the app has refreshed its receipt.
    package var hasRefreshedReceipt = false
    /// The customer whose family the account belongs to.
    package var organizer: String?
    /// The accounts that share this account's purchases, in the order in which they joined.
    package var family: [String] = []
    /// The identifiers of all transactions, in the order in which they were made.
    package var transactions: [String] = []
    /// The original transaction identifiers of all subscriptions, purchased and shared.
    package var subscriptions: [String] = []
    /// The subscription groups in which the customer has used the introductory offer.
    package var introductoryGroups: [String] = []
    /// The customer groups that the account belongs to (sandbox).
    package var groups: [CustomerGroup] = []
    /// The devices that commands or clients have named.
    package var devices: [String: Device] = [:]
    /// Whether purchases require a family organizer's approval (Ask to Buy).
    package var asksToBuy = false
    /// The purchases that await approval, the oldest first.
    package var pendingPurchases: [PendingPurchase] = []
    /// The payloads that devices have received. Their signing dates stay the same until the content changes.
    package var devicePayloads = DevicePayloads()

    private enum CodingKeys: String, CodingKey {
        case id, storefront
        case appTransactionID = "appTransactionId"
        case accountToken, since, firstVersion, preorderDate, isBillingFailing, billingRecovers, redeemedOffers
        case winBacks, volumePurchase, hasRefreshedReceipt, organizer, family, transactions, subscriptions
        case introductoryGroups, groups, devices, asksToBuy, pendingPurchases, devicePayloads
    }
}

/// A volume purchase of the app: an organisation assigned the app to the account.
package struct VolumePurchase: Sendable, Codable, Hashable {
    /// When the receipts expire; nil for never.
    package var expires: Date?
}

/// Membership in a group of customers. Apple's page: `Get Customer Groups`.
package struct CustomerGroup: Sendable, Codable, Hashable {
    package let id: String
    package let isOrganization: Bool
    package let isAdministrator: Bool
}
