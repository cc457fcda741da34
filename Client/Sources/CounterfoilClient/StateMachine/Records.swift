package import Foundation

/// The saved data of the device, independent of the customer.
package struct DeviceRecord: Equatable, Sendable, Codable {
    /// The identifier of the current customer; nil if nobody is signed in.
    package var customer: String?
    /// The identifier of the anonymous customer, while there is no account.
    package var anonymous: String?
    /// The pending merges: the account for each anonymous customer. They stay after a sign-out. Nil in older records.
    package var merges: [String: String]?
    /// The purchases that were started on this device.
    package var intents: [PurchaseIntent] = []
    /// The last consumables that the app delivered; none of them is delivered again.
    package var delivered: [UInt64] = []

    package init() {}

    /// The anonymous customer to merge into the current customer.
    package var mergesFrom: String? { Array((merges ?? [:]).keys).sorted().first { merges?[$0] == customer } }
}

/// A purchase that a customer started. It is saved before the call to StoreKit, because the transaction may come days
/// later.
package struct PurchaseIntent: Equatable, Sendable, Codable {
    package var customer: String
    package var productID: String
    package var date: Date
    package var expires: Date
    /// The account token that the App Store signs into the transaction.
    package var token: UUID?
    /// The identifier of the transaction, once StoreKit has returned it.
    package var transactionID: UInt64?
}

/// The saved data of the current customer. Signing out removes it.
package struct CustomerRecord: Equatable, Sendable, Codable {
    package var customer: String
    /// The server's last response.
    package var answer: CustomerResponse?
    /// The time of the last response, by the device's clock.
    package var receivedAt: Date?
    /// The latest known time of the server's clock, so that setting the device's clock back extends no entitlement, and
    /// the time of the device's clock at that moment.
    package var latest, latestAt: Date?
    package var reported: [UInt64: Report] = [:]
    package var refused: [UInt64: Report] = [:]
    /// The signed date of the latest reported renewal info, by subscription.
    package var renewals: [UInt64: Date] = [:]
    /// The original transaction identifiers of purchases that belong to another customer.
    package var foreign: Set<UInt64> = []
    package var appTransactionSent: Date?
    package var wasReceiptSent = false
    package var wasHistorySent = false

    package init(customer: String) { self.customer = customer }

    /// Forgets what was reported, so that it is reported again.
    mutating func forgetReports() {
        (reported, renewals, appTransactionSent, wasReceiptSent, wasHistorySent) = ([:], [:], nil, false, false)
    }

    /// A transaction that was reported. One type for stored and refused ones, because each type that is saved adds 7 KB
    /// of machine code.
    package struct Report: Equatable, Sendable, Codable {
        package var signedDate: Date
        package var date: Date
        /// Whether the server has stored the transaction; nil if the server refuses it.
        package var isKept: Bool?
        /// The code of the refusal, and the app's version at that time.
        package var code, appVersion: String?
    }
}
