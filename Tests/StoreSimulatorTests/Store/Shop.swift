import AppStoreModels
import Foundation
import StoreSimulator
internal import TestSupport
import Testing

/// A store with a clock that the test advances, and the notifications since the last call of `newNotifications`.
struct Shop {
    var store: Store
    var now = start
    /// The check of offer signatures, if a test needs one.
    var check: OfferSignatureCheck?
    private var reportedCount = 0

    /// The beginning of 2026, in UTC.
    static let start = Date(timeIntervalSince1970: 1_767_225_600)

    init(
        _ environment: AppStoreEnvironment = .production, seed: UInt64 = 1, catalogue: Catalogue = .shop,
        _ change: (inout StoreSettings) -> Void = { _ in }
    ) {
        var settings = environment == .sandbox ? StoreSettings.sandbox : .production
        // Most tests do not need renewals that are charged before the period ends.
        settings.maximumRenewalLeadTime = 0
        settings.notificationURL = "https://developer.example/notifications"
        change(&settings)
        store = Store(
            environment: environment, app: SimulatedApp(), catalogue: catalogue, settings: settings, seed: seed)
    }

    @discardableResult
    mutating func perform(_ command: StoreCommand) throws -> StoreOutcome {
        try store.perform(command, at: now, checking: check)
    }

    @discardableResult
    mutating func buy(_ product: String, offer: String? = nil, by customer: String = "anna") throws -> String {
        let outcome = try perform(
            .purchase(
                customer: customer, product: product, offer: offer, introductory: false,
                sign: offer == nil ? nil : true))
        return try #require(outcome.transactionID)
    }

    /// Buys a product with an offer. Returns the transaction's payload.
    mutating func boughtTransaction(_ product: String, offer: String) throws -> JWSTransactionDecodedPayload {
        let id = try buy(product, offer: offer)
        return try transaction(id)
    }

    /// Expects that a command is refused with this code and does not change the store.
    mutating func expectRefusal(
        _ command: StoreCommand, _ code: StoreError.Code, _ location: SourceLocation = #_sourceLocation
    )
        throws
    {
        store.run(until: now)
        let before = try store.bytes
        let error = #expect(throws: StoreError.self, sourceLocation: location) { try perform(command) }
        #expect(error?.code == code, "\(String(describing: error))", sourceLocation: location)
        #expect(try store.bytes == before, "a refused command changed something", sourceLocation: location)
    }

    mutating func wait(_ period: Period) {
        now = period.date(after: now)
        store.run(until: now)
    }

    mutating func wait(days: Double) {
        now += days * 86_400
        store.run(until: now)
    }

    /// Advances the clock to the next scheduled event.
    mutating func waitForNext() {
        now = store.schedule.next ?? now
        store.run(until: now)
    }

    /// Returns the notifications since the last call as `TYPE/SUBTYPE`, after the customer's name unless that is anna.
    mutating func newNotifications() -> [String] {
        defer { reportedCount = store.notifications.count }
        return store.notifications.dropFirst(reportedCount).map { record in
            let name = record.type.rawValue + (record.subtype.map { "/" + $0.rawValue } ?? "")
            return record.customer == nil || record.customer == "anna" ? name : "\(record.customer ?? ""): \(name)"
        }
    }

    /// Returns the content of a customer's last notification, which must be about a purchase.
    func last(_ customer: String = "anna") throws -> NotificationRecord.Purchase {
        let record = try #require(store.notifications.last { $0.customer == customer })
        guard case .purchase(let purchase) = record.content else { throw CocoaError(.coderValueNotFound) }
        return purchase
    }

    func state(_ customer: String = "anna") throws -> CustomerState.SubscriptionState {
        try #require(store.state(of: customer, at: now).subscriptions.last)
    }

    func status(_ customer: String = "anna") throws -> SubscriptionStatus { try state(customer).status }
    func transaction(_ id: String) throws -> JWSTransactionDecodedPayload { try store.transaction(id).payload }
}

extension Store {
    func transaction(_ id: String) throws -> StoredTransaction { try #require(transactions[id]) }

    /// The whole store as JSON with sorted keys.
    var bytes: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try encoder.encode(self)
        }
    }
}
