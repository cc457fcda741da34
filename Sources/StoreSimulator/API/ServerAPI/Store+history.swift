internal import AppStoreModels
internal import Foundation

// The transaction history and the refund history, by page.

extension Store {
    /// The number of signed transactions on a page.
    static let pageSize = 20

    /// The version of the history endpoint. Version 1 omits consumables that the app has finished.
    enum HistoryVersion: String { case v1, v2 }

    func history(_ request: APIRequest, _ version: HistoryVersion, at now: Date) throws(APIFailure) -> APIResponse {
        let id = try request.identifier("anyTransactionId", or: .invalidTransactionId)
        let query = try HistoryQuery(request.query, catalogue)
        let customer = try account(id)
        let binding = ["history", version.rawValue, customer.appTransactionID] + query.canonical
        let last = try Self.token(query.revision, boundTo: binding)
        let page = historyPage(of: customer, query, version, after: last?.position)
        // An empty page returns the previous revision.
        let token = page.revisions.last.map { PageToken(position: Int64($0)) } ?? last ?? PageToken(position: 0)
        return .object([
            ("revision", .string(token.text(boundTo: binding))), ("hasMore", .bool(page.hasMore)),
            ("bundleId", .string(app.bundleID)), ("appAppleId", appAppleIDInResponses),
            ("environment", .string(environment.rawValue)),
            ("signedTransactions", signable(page.ids, at: now)),
        ])
    }

    /// Moves the earliest changed transaction of the customer to the end of the history. Its contents stay the same.
    mutating func moveTransactionToEnd(for request: APIRequest) {
        // The request is validated again, with an error response, when it is answered.
        guard let customer = try? account(request),
            let first = transactions(of: customer.id).min(by: { $0.revision < $1.revision })
        else { return }
        change(first.payload.transactionId) { _ in }
    }

    private static func token(_ revision: String?, boundTo binding: [String]) throws(APIFailure) -> PageToken? {
        guard let revision else { return nil }
        guard let token = PageToken(revision, boundTo: binding) else {
            throw APIFailure(
                .invalidRequestRevision,
                "The revision is invalid, belongs to another customer, or the other parameters have changed.")
        }
        return token
    }

    /// Returns a page of transactions, ordered by their latest change. A changed transaction moves to the end. In
    /// ascending order, a client that has read all pages therefore receives it again with its last revision.
    private func historyPage(
        of customer: Customer, _ query: HistoryQuery, _ version: HistoryVersion, after position: Int64?
    ) -> (ids: [String], revisions: [Int], hasMore: Bool) {
        var found: [(revision: Int, id: String)] = []
        for id in customer.transactions {
            guard let transaction = transactions[id] else { continue }
            let revision = transaction.revision
            if let position, query.isDescending ? revision >= position : revision <= position { continue }
            if version == .v1, transaction.isFinished, transaction.payload.type == .consumable { continue }
            if query.accepts(transaction.payload) { found.append((revision, id)) }
        }
        found.sort { query.isDescending ? $0.revision > $1.revision : $0.revision < $1.revision }
        let page = found.prefix(Self.pageSize)
        return (page.map(\.id), page.map(\.revision), found.count > page.count)
    }

    func refundHistory(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let id = try request.identifier("anyTransactionId", or: .invalidTransactionId)
        let revision = try QueryParameters(request.query).string("revision", or: .invalidRequestRevision)
        let customer = try account(id)
        let binding = ["refunds", customer.appTransactionID]
        let last = try Self.token(revision, boundTo: binding)
        let new = refunds(of: customer).filter { refund in
            last.map { ($0.position, $0.minor) < (refund.date, refund.revision) } ?? true
        }
        let page = new.prefix(Self.pageSize)
        let token =
            page.last.map { PageToken(position: $0.date, minor: $0.revision) } ?? last ?? PageToken(position: 0)
        return .object([
            ("signedTransactions", signable(page.map(\.id), at: now)),
            ("revision", .string(token.text(boundTo: binding))), ("hasMore", .bool(new.count > page.count)),
        ])
    }

    /// Returns the fifty latest refunds, the latest first.
    func refundHistoryV1(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let customer = try account(original(request).payload.transactionId)
        let latest = refunds(of: customer).reversed().prefix(50).map(\.id)
        return .object([("signedTransactions", signable(latest, at: now))])
    }

    /// Returns the refunded transactions of a customer, by ascending date. Revoked transactions of family members are
    /// not refunds.
    private func refunds(of customer: Customer) -> [(date: Int64, revision: Int64, id: String)] {
        customer.transactions.compactMap { id in
            guard let transaction = transactions[id], transaction.refund?.state == .granted,
                let date = transaction.payload.revocationDate?.millisecondsSince1970
            else { return nil }
            return (date, Int64(transaction.revision), id)
        }.sorted { ($0.date, $0.revision) < ($1.date, $1.revision) }
    }
}
