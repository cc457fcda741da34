package import Foundation

/// What the device remembers, whoever is signed in.
package struct DeviceRecord: Equatable, Sendable, Codable {
    /// Who is signed in.
    package var customer: String?
    /// The customer while there is no account.
    package var anonymous: String?
    /// The account of each anonymous customer whose purchases go to it, after a sign-out too. Nil in older records.
    package var merges: [String: String]?
    /// The purchases that were started here.
    package var intents: [PurchaseIntent] = []
    /// The consumables that the app delivered, until they are surely finished.
    package var delivered: [UInt64] = []

    package init() {}

    /// The anonymous customer whose purchases go to who is signed in.
    package var mergesFrom: String? { Array((merges ?? [:]).keys).sorted().first { merges?[$0] == customer } }
}

/// A purchase that a customer started. It is saved before StoreKit is asked: the answer may come days later.
package struct PurchaseIntent: Equatable, Sendable, Codable {
    package var customer: String
    package var productID: String
    package var date: Date
    package var expires: Date
    /// The account token that the App Store signs into what comes of it.
    package var token: UUID?
    /// What came of it, once StoreKit has said so.
    package var transactionID: UInt64?
}

/// What is remembered of the customer who is signed in. Signing out removes it.
package struct CustomerRecord: Equatable, Sendable, Codable {
    package var customer: String
    /// The last answer, and when it came by the device's clock.
    package var answer: CustomerAnswer?
    package var receivedAt: Date?
    /// The latest instant that was ever known, by the server's clock: setting the device's clock back wins nothing.
    package var latest: Date?
    package var reported: [UInt64: Report] = [:]
    package var refused: [UInt64: Refused] = [:]
    /// When the latest renewal info of each subscription was signed that was reported.
    package var renewals: [UInt64: Date] = [:]
    /// Purchases that belong to another customer.
    package var foreign: Set<UInt64> = []
    package var appTransactionSent: Date?
    package var wasReceiptSent = false
    package var wasHistorySent = false

    package init(customer: String) { self.customer = customer }

    /// A transaction that was reported.
    package struct Report: Equatable, Sendable, Codable {
        package var signedDate: Date
        package var date: Date
        package var isKept: Bool
    }

    /// A transaction that the server refuses.
    package struct Refused: Equatable, Sendable, Codable {
        package var code: String
        package var signedDate: Date
        package var date: Date
        package var appVersion: String
    }
}
