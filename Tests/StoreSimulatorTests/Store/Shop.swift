import AppStoreModels
import Foundation
import StoreSimulator
import Testing

/// A store to live in: customers, a clock, and what has been announced since somebody last asked.
struct Shop {
    var store: Store
    var now = start
    private var heard = 0

    /// The beginning of 2026, in UTC.
    static let start = Date(timeIntervalSince1970: 1_767_225_600)

    init(
        _ environment: AppStoreEnvironment = .production, seed: UInt64 = 1, catalogue: Catalogue = catalogue,
        _ change: (inout StoreSettings) -> Void = { _ in }
    ) {
        var settings = environment == .sandbox ? StoreSettings.sandbox : .production
        settings.notificationURL = "https://developer.example/notifications"
        change(&settings)
        store = Store(
            environment: environment, app: SimulatedApp(), catalogue: catalogue, settings: settings, seed: seed)
    }

    @discardableResult
    mutating func perform(_ command: StoreCommand) throws -> StoreOutcome { try store.perform(command, at: now) }

    @discardableResult
    mutating func buy(_ product: String, offer: String? = nil, by customer: String = "anna") throws -> String {
        let outcome = try perform(.purchase(customer: customer, product: product, offer: offer, introductory: false))
        return try #require(outcome.transactionId)
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

// MARK: - What is sold

extension Shop {
    /// Three levels of service in one group, a second group, one of everything else.
    static let catalogue = Catalogue(
        products: [
            subscription(
                "gold", level: 1, price: 19_990, shared: true, offers: [promotion("goldfish", 9990), code("NUGGET")]),
            subscription(
                "plus", level: 2, price: 9990, shared: true,
                introductory: Offer(type: .introductory, discount: .freeTrial, period: .week),
                offers: [
                    promotion("loyal", 4990), promotion("loyaler", 3990), code("PLUS"),
                    code("NEWCOMER", for: [.new]),
                    Offer(
                        identifier: "return", type: .winBack, discount: .payUpFront, period: .month, periodCount: 3,
                        price: 9990),
                    Offer(
                        identifier: "rare", type: .winBack, discount: .freeTrial, period: .month,
                        winBack: .init(paidMonths: 6, monthsSinceExpiry: 2)),
                ]),
            subscription("plus.other", level: 2, price: 8990),
            subscription(
                "plus.yearly", level: 2, period: .year, price: 99_990, shared: true,
                offers: [promotion("longer", 49_990)],
                plans: [
                    BillingPlan(type: .billedUpfront, price: 95_000, commitmentPrice: 95_000),
                    BillingPlan(type: .monthly, price: 8500, commitmentPrice: 102_000),
                ]),
            subscription("basic", level: 3, price: 4990, offers: [promotion("small", 990), code("BASIC")]),
            subscription(
                "news", group: "22", level: 1, price: 2990,
                introductory: Offer(
                    type: .introductory, discount: .payAsYouGo, period: .month, periodCount: 2, price: 990)),
            Product(
                id: "coins", type: .consumable, price: 990,
                offers: [
                    Offer(identifier: "GIFT", type: .offerCode, discount: .oneTime, price: 490, eligibility: [.new])
                ]),
            Product(id: "lamp", type: .nonConsumable, price: 2990, isFamilyShareable: true),
            Product(id: "season", type: .nonRenewingSubscription, price: 14_990),
            Product(
                id: "generic", type: .autoRenewableSubscription, price: 0,
                subscription: SubscriptionTerms(group: "23", period: .month), isAdvancedCommerce: true),
        ],
        groups: [.init(id: "21", name: "Plus"), .init(id: "22", name: "News"), .init(id: "23", name: "Generic")],
        storefronts: [.usa, Storefront(code: "DEU", id: "143443", currency: "EUR")])

    private static func subscription(
        _ id: String, group: String = "21", level: Int, period: Period = .month, price: Int64, shared: Bool = false,
        introductory: Offer? = nil, offers: [Offer] = [], plans: [BillingPlan] = []
    ) -> Product {
        Product(
            id: id, type: .autoRenewableSubscription, price: price, isFamilyShareable: shared,
            subscription: SubscriptionTerms(
                group: group, level: level, period: period, introductoryOffer: introductory, offers: offers,
                billingPlans: plans))
    }

    /// Half price or so, three times.
    private static func promotion(_ id: String, _ price: Int64) -> Offer {
        Offer(identifier: id, type: .promotional, discount: .payAsYouGo, period: .month, periodCount: 3, price: price)
    }

    private static func code(_ id: String, for audiences: [Offer.Audience]? = nil) -> Offer {
        Offer(identifier: id, type: .offerCode, discount: .freeTrial, period: .month, eligibility: audiences)
    }
}
