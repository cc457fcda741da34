internal import Ledger
import AppStoreModels
import Foundation
import StoreSimulator

/// What somebody has of one purchase: the words in which the App Store's truth and the server's answer are compared.
private struct Holding: Equatable {
    var product = ""
    var status = 0
    var hasAccess = false
    var expires: Int64?
    var willRenew: Bool?
    var next: String?
    var intent: Int?
    var isInRetry = false
    var grace: Int64?
    var ownership = ""
    var revoked: Int64?
}

/// Whether the server knows what the App Store knows.
struct DemoAgreement {
    /// Somebody about whom they do not agree.
    struct Difference: Sendable {
        var customer: String
        var truth: String
        var known: String
    }

    let cast: DemoCast
    let client: DemoServerClient

    /// Asks the server about everybody.
    ///
    /// - Parameters:
    ///   - truth: What the App Store says of the customers, at `instant` or now.
    ///   - instant: nil for now.
    func differences(_ truth: [CustomerState], at instant: Date? = nil) async throws -> [Difference] {
        let customers = Dictionary(cast.customers.map { ($0.name, $0) }) { first, _ in first }
        return try await withThrowingTaskGroup(of: Difference?.self) { group in
            var differences: [Difference] = []
            var underWay = 0
            for state in truth {
                guard let customer = customers[state.customer] else { continue }
                if underWay == 8, let done = try await group.next() {
                    underWay -= 1
                    if let done { differences.append(done) }
                }
                underWay += 1
                group.addTask { try await difference(state, customer, at: instant) }
            }
            for try await done in group { if let done { differences.append(done) } }
            return differences.sorted { $0.customer < $1.customer }
        }
    }

    private func difference(
        _ state: CustomerState, _ customer: DemoCast.Customer, at instant: Date?
    ) async throws -> Difference? {
        let query = instant.map { "?at=\($0.milliseconds)" } ?? ""
        let answer: CustomerAnswer = try await client.get("/v1/customers/\(customer.id)\(query)")
        let (truth, known) = (state.holdings, answer.holdings)
        guard truth != known else { return nil }
        return Difference(customer: state.customer, truth: state.summary, known: answer.summary)
    }
}

extension CustomerState {
    fileprivate var holdings: [String: Holding] {
        var holdings: [String: Holding] = [:]
        for state in subscriptions {
            holdings[state.originalTransactionID] = Holding(
                product: state.productID, status: Int(state.status.rawValue), hasAccess: state.hasAccess,
                expires: state.expiresDate?.milliseconds, willRenew: state.autoRenewStatus == .on,
                next: state.autoRenewProductID, intent: state.expirationIntent.map { Int($0.rawValue) },
                isInRetry: state.isInBillingRetryPeriod ?? false, grace: state.gracePeriodExpiresDate?.milliseconds,
                ownership: state.inAppOwnershipType.rawValue, revoked: state.revocationDate?.milliseconds)
        }
        for state in purchases {
            holdings[state.transactionID] = Holding(
                product: state.productID, ownership: state.inAppOwnershipType.rawValue,
                revoked: state.revocationDate?.milliseconds)
        }
        return holdings
    }
}

/// What the server answers about a customer.
private struct CustomerAnswer: Decodable {
    struct Subscription: Decodable {
        var originalTransactionId: String
        var productId: String
        var status: Int
        var hasAccess: Bool
        var expiresDate: Int64?
        var willRenew: Bool?
        var autoRenewProductId: String?
        var expirationIntent: Int?
        var isInBillingRetry: Bool
        var gracePeriodExpiresDate: Int64?
        var ownership: String
        var revocationDate: Int64?
    }

    struct Purchase: Decodable {
        var transactionId: String
        var productId: String
        var ownership: String
        var revocationDate: Int64?
    }

    var subscriptions: [Subscription]
    var purchases: [Purchase]

    var holdings: [String: Holding] {
        var holdings: [String: Holding] = [:]
        for state in subscriptions {
            holdings[state.originalTransactionId] = Holding(
                product: state.productId, status: state.status, hasAccess: state.hasAccess,
                expires: state.expiresDate, willRenew: state.willRenew, next: state.autoRenewProductId,
                intent: state.expirationIntent, isInRetry: state.isInBillingRetry,
                grace: state.gracePeriodExpiresDate, ownership: state.ownership, revoked: state.revocationDate)
        }
        for state in purchases {
            holdings[state.transactionId] = Holding(
                product: state.productId, ownership: state.ownership, revoked: state.revocationDate)
        }
        return holdings
    }

    /// In one line, for people.
    var summary: String {
        let parts = subscriptions.map { state in
            let end = state.expiresDate.map { " until " + Date(milliseconds: $0).readable.prefix(10) } ?? ""
            let word = ["", "active", "expired", "in billing retry", "in grace period", "taken back"]
            return "\(state.productId) \(word.indices.contains(state.status) ? word[state.status] : "?")\(end)"
        }
        let others = purchases.map { $0.productId + ($0.revocationDate == nil ? "" : " taken back") }
        return parts.isEmpty && others.isEmpty ? "nothing bought" : (parts + others).joined(separator: "; ")
    }
}
