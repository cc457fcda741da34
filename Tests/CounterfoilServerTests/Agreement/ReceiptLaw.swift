import AppStoreModels
import AppStoreReceipts
import AppStoreServer
import AppStoreTrust
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator

@testable import Ledger
@testable import LedgerServices

/// What must be true of a customer's receipt and of the responses of `verifyReceipt`: they agree with the App Store
/// Server API in everything that they contain.
///
/// A receipt has whole seconds. It contains no renewal infos, upgrades, groups, ownership, account tokens, offer codes
/// and win-back offers.
struct ReceiptLaw {
    /// What is compared.
    enum Subject: CaseIterable { case purchases, renewals, latestPeriods, access, app }

    static let secret = "counterfoil"

    let world: World
    let environment: AppStoreEnvironment
    /// The violations as texts.
    private(set) var violations: [String] = []
    /// How many values were compared.
    private(set) var compared: [Subject: Int] = [:]

    init(world: World, environment: AppStoreEnvironment) {
        (self.world, self.environment) = (world, environment)
    }

    /// Compares all customers with purchases.
    mutating func compare() async throws {
        // The server requests the history of an account at most once a minute.
        try await world.simulator.advance(by: 61)
        try await world.waitUntilIdle()
        for state in world.simulator.states(in: environment)
        where !(state.subscriptions.isEmpty && state.purchases.isEmpty) {
            try await compare(state)
        }
    }

    private mutating func compare(_ state: CustomerState) async throws {
        let core = try world.server.core
        let catalogue = core.configuration.apps[0].catalogue
        let engine = EntitlementEngine(catalogue: catalogue)
        let signed = try await signedData(of: state)
        let receipt = try world.simulator.receipt(of: state.customer, in: environment)

        let validator = core.purchaseVerifier.receiptValidator
        if isExpired(state.customer) {
            violations += refusals(ofExpired: receipt, validator)
            return
        }
        let local = try validator.facts(of: validator.validate(base64: receipt), catalogue: catalogue)
        let place = "\(state.customer)'s receipt"
        compare(local.transactions, with: signed, hasDetails: false, place)
        compare(engine.currentState(of: local, now: world.simulator.now), with: state, signed, isReceipt: true, place)
        try await compareApp(local.originalPurchases, of: state, place)

        let (simulated, answered) = try await responses(receipt, excludingOld: false)
        for (response, owner) in [(simulated, "the App Store's"), (answered, "the server's")] {
            let facts = try VerifyReceiptFacts(
                response: response, received: world.simulator.now, catalogue: catalogue
            ).facts
            let place = "\(owner) answer about \(state.customer)"
            // Without subscriptions, the response has only the contents of the receipt.
            compare(facts.transactions, with: signed, hasDetails: !signed.latest.isEmpty, place)
            compare(facts.renewals, with: signed, place)
            compare(
                engine.currentState(of: facts, now: world.simulator.now), with: state, signed, isReceipt: false, place)
        }
        try compareRows(simulated, answered, signed, state.customer)

        let newest = try await responses(receipt, excludingOld: true)
        for (response, owner) in [(newest.simulated, "the App Store"), (newest.answered, "the server")] {
            let subscriptions = try rows(response).values.filter { $0["expires_date"] != nil }
            let named = subscriptions.compactMap { $0["transaction_id"] }.sorted()
            let expected = signed.latest.values.sorted()
            compared[.latestPeriods, default: 0] += expected.count
            if named != expected {
                violations.append("\(owner) names \(named) as the latest of \(state.customer), not \(expected)")
            }
        }
    }

    private mutating func check(_ place: String, _ one: [String], _ other: [String]) {
        violations += zip(one, other).filter { $0 != $1 }.map { "\(place): \($1), but \($0) in the App Store's API" }
    }
}

// MARK: - What the places say

extension ReceiptLaw {
    /// What the App Store Server API says about a customer.
    private struct SignedData {
        /// The transactions that a receipt contains, by identifier.
        var transactions: [String: JWSTransactionDecodedPayload] = [:]
        /// The latest transaction of each subscription, by original identifier.
        var latest: [String: String] = [:]
        /// By original identifier.
        var renewals: [String: RenewalFact] = [:]

        /// Whether a subscription has a period that was paid in advance and replaced before it began. A receipt does
        /// not say so.
        func isReplacedInAdvance(_ original: String) -> Bool {
            guard let latest = latest[original].flatMap({ transactions[$0] }) else { return false }
            return transactions.values.contains {
                $0.originalTransactionId == original && $0.isUpgraded == true && $0.purchaseDate > latest.purchaseDate
            }
        }
    }

    private func signedData(of state: CustomerState) async throws -> SignedData {
        let core = try world.server.core
        let client = try world.appStoreClient(environment)
        // Finished consumables are in the history, but not in receipts.
        let unfinished = Set(state.purchases.filter { !$0.isFinished }.map(\.transactionID))
        var signed = SignedData()
        for try await text in client.transactionHistory(of: state.appTransactionID).items {
            let payload = try await core.historical.transaction(text).payload
            guard payload.type != .consumable || unfinished.contains(payload.transactionId) else { continue }
            signed.transactions[payload.transactionId] = payload
        }
        for item in try await client.subscriptionStatuses(of: state.appTransactionID).data.flatMap(\.lastTransactions) {
            let latest = try await core.historical.transaction(item.signedTransactionInfo).payload
            let renewal = try await core.historical.renewalInfo(item.signedRenewalInfo).payload
            signed.latest[item.originalTransactionId] = latest.transactionId
            signed.renewals[item.originalTransactionId] = RenewalFact(renewal)
        }
        return signed
    }

    /// The responses of `verifyReceipt` of the simulator and of the server.
    private func responses(
        _ receipt: String, excludingOld: Bool
    ) async throws -> (simulated: Data, answered: Data) {
        let request = VerifyReceiptRequest(
            receiptData: receipt, password: Self.secret, excludesOldTransactions: excludingOld)
        let body = try JSONEncoder().encode(request)
        let simulated = world.simulator.core.verifyReceipt(body, in: environment)
        let answered = try await world.call(
            .POST, "/verifyReceipt?environment=\(environment.rawValue)", data: body, key: nil)
        return (Data(simulated.body), answered.body)
    }

    /// The rows of `latest_receipt_info` by transaction.
    private func rows(_ response: Data) throws -> [String: [String: String]] {
        struct Response: Decodable {
            let rows: [[String: String]]?

            enum CodingKeys: String, CodingKey { case rows = "latest_receipt_info" }
        }
        let rows = try JSONDecoder().decode(Response.self, from: response).rows ?? []
        return Dictionary(rows.map { ($0["transaction_id"] ?? "", $0) }) { first, _ in first }
    }
}

// MARK: - Comparisons

extension ReceiptLaw {
    /// - Parameter hasDetails: Whether the facts are from `latest_receipt_info`, which says more than a receipt.
    private mutating func compare(
        _ facts: [TransactionFact], with signed: SignedData, hasDetails: Bool, _ place: String
    ) {
        let known = Dictionary(facts.map { ($0.transactionID, $0) }) { first, _ in first }
        for id in Set(known.keys).union(signed.transactions.keys).sorted() {
            guard let truth = signed.transactions[id].map({ TransactionFact($0) }), let fact = known[id] else {
                violations.append("\(place) \(known[id] == nil ? "lacks" : "invents") the transaction \(id)")
                continue
            }
            compared[.purchases, default: 0] += 1
            check("\(place): \(id)", Self.members(truth, hasDetails), Self.members(fact, hasDetails))
        }
    }

    private mutating func compare(_ renewals: [RenewalFact], with signed: SignedData, _ place: String) {
        let known = Dictionary(renewals.map { ($0.originalTransactionID, $0) }) { first, _ in first }
        for id in Set(known.keys).union(signed.renewals.keys).sorted() {
            guard let truth = signed.renewals[id], let fact = known[id] else {
                // Apple's responses leave out a subscription that was cancelled in the grace period.
                if known[id] != nil || signed.renewals[id]?.expirationIntent != .customerCancelled {
                    violations.append("\(place) \(known[id] == nil ? "lacks" : "invents") the renewal of \(id)")
                }
                continue
            }
            compared[.renewals, default: 0] += 1
            check("\(place): renewal of \(id)", Self.members(truth), Self.members(fact))
        }
    }

    /// Compares what an app would conclude.
    private mutating func compare(
        _ known: CustomerStates, with state: CustomerState, _ signed: SignedData, isReceipt: Bool, _ place: String
    ) {
        for truth in state.subscriptions {
            let id = truth.originalTransactionID
            // A receipt does not say who bought, nor that a payment failed.
            let isUnknown =
                truth.inAppOwnershipType != .purchased || truth.status == .billingGracePeriod
                || signed.isReplacedInAdvance(id)
            if isReceipt, isUnknown { continue }
            guard let found = known.subscriptions.first(where: { $0.originalTransactionID == id }) else {
                violations.append("\(place) lacks the subscription \(id)")
                continue
            }
            compared[.access, default: 0] += 1
            check(
                "\(place): \(id)",
                ["access \(truth.hasAccess)", "product \(truth.productID)", "transaction \(truth.transactionID)"],
                ["access \(found.hasAccess)", "product \(found.productID)", "transaction \(found.transactionID)"])
        }
        for truth in state.purchases where truth.type == .nonConsumable {
            let found = known.purchases.first { $0.transactionID == truth.transactionID }
            compared[.access, default: 0] += 1
            check(
                "\(place): \(truth.transactionID)", ["access \(truth.revocationDate == nil)"],
                ["access \(found?.hasAccess ?? false)"])
        }
    }

    /// Compares when the customer got the app, and which version.
    private mutating func compareApp(
        _ known: [OriginalPurchaseFact], of state: CustomerState, _ place: String
    ) async throws {
        let text = try world.appTransaction(ofCustomer: state.customer, in: environment)
        let truth = try await world.server.core.historical.appTransaction(text).payload
        compared[.app, default: 0] += 1
        check(
            place,
            ["version \(truth.originalApplicationVersion)", "got \(Self.text(truth.originalPurchaseDate, false))"],
            [
                "version \(known.first?.applicationVersion ?? "-")",
                "got \(Self.text(known.first?.purchaseDate, false))",
            ])
    }

    /// Compares the members that no fact has, and the rows of the two responses.
    private mutating func compareRows(
        _ simulated: Data, _ answered: Data, _ signed: SignedData, _ customer: String
    ) throws {
        let (simulated, answered) = (try rows(simulated), try rows(answered))
        for (id, row) in simulated.sorted(by: { $0.key < $1.key }) {
            guard let truth = signed.transactions[id] else { continue }
            let original = truth.originalPurchaseDate.millisecondsSince1970.map { String($0) }
            check(
                "the App Store's answer about \(customer): \(id)",
                ["order \(truth.webOrderLineItemId ?? "-")", "first \(original ?? "-")"],
                ["order \(row["web_order_line_item_id"] ?? "-")", "first \(row["original_purchase_date_ms"] ?? "-")"])
            for name in Set(row.keys).union((answered[id] ?? [:]).keys).sorted()
            where row[name] != answered[id]?[name] {
                violations.append(
                    "\(id) of \(customer): \(name) is \(row[name] ?? "-") in the App Store's answer, "
                        + "\(answered[id]?[name] ?? "-") in the server's")
            }
        }
    }
}

// MARK: - Members

extension ReceiptLaw {
    private static func members(_ fact: TransactionFact, _ hasDetails: Bool) -> [String] {
        // A receipt has a reason for every revocation.
        let reason = fact.revocationDate.map { _ in fact.revocationReason?.rawValue ?? 0 }
        let contained = [
            "original \(fact.originalTransactionID)", "product \(fact.productID)", "type \(fact.type.rawValue)",
            "bought \(text(fact.purchaseDate, hasDetails))", "expires \(text(fact.expiresDate, hasDetails))",
            "revoked \(text(fact.revocationDate, hasDetails))", "reason \(reason.map { "\($0)" } ?? "-")",
            "quantity \(fact.quantity)", "offer \(offer(fact, hasDetails))",
        ]
        guard hasDetails else { return contained }
        return contained + [
            "group \(fact.subscriptionGroupIdentifier ?? "-")", "upgraded \(fact.isUpgraded)",
            "ownership \(fact.ownership.rawValue)", "account \(fact.appAccountToken?.uuidString ?? "-")",
        ]
    }

    private static func offer(_ fact: TransactionFact, _ hasDetails: Bool) -> String {
        let identifier = fact.offerIdentifier ?? "-"
        if fact.offerType == .introductory { return fact.offerDiscountType == .freeTrial ? "trial" : "introductory" }
        if fact.offerType == .promotional { return "promotional \(identifier)" }
        return fact.offerType == .offerCode && hasDetails ? "code \(identifier)" : "-"
    }

    private static func members(_ fact: RenewalFact) -> [String] {
        // Responses of verifyReceipt have two of the four offer types.
        let isNamed = fact.offerType == .promotional || fact.offerType == .offerCode
        return [
            "product \(fact.productID)", "into \(fact.autoRenewProductID)", "renews \(fact.willRenew)",
            "intent \(fact.expirationIntent.map { "\($0.rawValue)" } ?? "-")", "retry \(fact.isInBillingRetry)",
            "grace \(text(fact.gracePeriodExpiresDate, true))",
            "price \(fact.priceIncreaseStatus.map { "\($0.rawValue)" } ?? "-")",
            "offer \(isNamed ? fact.offerIdentifier ?? "-" : "-")",
        ]
    }

    /// A date; without the fraction of the second unless it is precise.
    private static func text(_ date: Date?, _ isPrecise: Bool) -> String {
        guard let date else { return "-" }
        let second = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
        return Agreement.stamp(isPrecise ? date : second)
    }
}
