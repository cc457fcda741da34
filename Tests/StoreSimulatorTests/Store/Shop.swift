import AppStoreModels
import Foundation
import StoreSimulator
import Testing
internal import TestSupport

/// A store to live in: customers, a clock, and what has been announced since somebody last asked.
struct Shop {
    var store: Store
    var now = start
    /// What signatures are checked with, if a test is about them.
    var check: OfferSignatureCheck?
    private var heard = 0

    /// The beginning of 2026, in UTC.
    static let start = Date(timeIntervalSince1970: 1_767_225_600)

    init(
        _ environment: AppStoreEnvironment = .production, seed: UInt64 = 1, catalogue: Catalogue = .shop,
        _ change: (inout StoreSettings) -> Void = { _ in }
    ) {
        var settings = environment == .sandbox ? StoreSettings.sandbox : .production
        // Most tests are about something else than the last day of a period.
        settings.renewalLead = 0
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

    /// Buys something and gives what the transaction says.
    mutating func bought(_ product: String, offer: String) throws -> JWSTransactionDecodedPayload {
        let id = try buy(product, offer: offer)
        return try transaction(id)
    }

    /// Refuses, and must not have changed a byte.
    mutating func refuses(_ command: StoreCommand, _ code: StoreError.Code, _ place: SourceLocation = #_sourceLocation)
        throws
    {
        store.run(until: now)
        let before = try store.bytes
        let error = #expect(throws: StoreError.self, sourceLocation: place) { try perform(command) }
        #expect(error?.code == code, "\(String(describing: error))", sourceLocation: place)
        #expect(try store.bytes == before, "a refused command changed something", sourceLocation: place)
    }

    mutating func wait(_ period: Period) {
        now = period.after(now)
        store.run(until: now)
    }

    mutating func wait(days: Double) {
        now += days * 86_400
        store.run(until: now)
    }

    /// Waits until the next thing happens by itself.
    mutating func waitForNext() {
        now = store.next ?? now
        store.run(until: now)
    }

    /// What was announced since the last time, as `TYPE/SUBTYPE`; with the name before it where it is not Anna's.
    mutating func news() -> [String] {
        defer { heard = store.notifications.count }
        return store.notifications.dropFirst(heard).map { record in
            let name = record.type.rawValue + (record.subtype.map { "/" + $0.rawValue } ?? "")
            return record.customer == nil || record.customer == "anna" ? name : "\(record.customer ?? ""): \(name)"
        }
    }

    /// The last notification about a purchase of somebody.
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
    /// All of it, always in the same order.
    var bytes: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try encoder.encode(self)
        }
    }
}
