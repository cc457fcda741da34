import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Transaction and refund history, page by page` {
    /// Returns a shop in which anna has 50 to 90 transactions of all kinds, some finished, refunded or family-shared.
    static func shop(seed: UInt64) throws -> APIShop {
        var random = SeededGenerator(seed: seed)
        var shop = APIShop(seed: seed)
        try shop.buy("plus")
        try shop.buy("lamp", "ben")
        try shop.perform(.shareWithFamily(customer: "ben", member: "anna"))
        for _ in 0..<Int.random(in: 45...80, using: &random) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: try shop.buy("pass")
            case 1: shop.advance(days: 16)
            case 2: _ = try? shop.perform(.approveRefund(customer: "anna"))
            case 3: _ = try? shop.perform(.finish(customer: "anna"))
            case 4: _ = try? shop.buy("trial")
            default: try shop.buy("coins")
            }
        }
        shop.store.run(until: shop.now)
        return shop
    }

    /// Returns the transaction identifiers of all pages of a history, and the last revision.
    static func pages(
        _ shop: inout APIShop, _ endpoint: AppStoreEndpoint, _ query: String, from revision: String? = nil
    ) throws -> (ids: [String], revision: String) {
        var (ids, revision): ([String], String?) = ([], revision)
        for _ in 0..<50 {
            let parts = [query, revision.map { "revision=\($0)" } ?? ""].filter { !$0.isEmpty }
            let id = shop.app("anna")
            let page = try shop.get(HistoryResponse.self, endpoint, id, query: parts.joined(separator: "&"))
            #expect(page.signedTransactions.count <= 20)
            #expect(page.signedTransactions.count == 20 || !page.hasMore)
            ids += page.signedTransactions
            revision = page.revision
            if !page.hasMore { return (ids, page.revision) }
        }
        throw CocoaError(.featureUnsupported)
    }

    /// A filter as a query, and an independent implementation of it.
    struct Filter: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let accepts: @Sendable (JWSTransactionDecodedPayload) -> Bool

        init(_ query: String, _ accepts: @escaping @Sendable (JWSTransactionDecodedPayload) -> Bool) {
            testDescription = query
            self.accepts = accepts
        }
    }

    static let middle = APIShop.start + 60 * 86_400
    static let later = middle + 40 * 86_400

    static let filters: [Filter] = [
        .init("") { _ in true },
        .init("productId=coins&productId=pass") { ["coins", "pass"].contains($0.productId) },
        .init("productType=CONSUMABLE") { $0.type == .consumable },
        .init("productType=NON_RENEWABLE&productType=NON_CONSUMABLE") {
            [.nonRenewingSubscription, .nonConsumable].contains($0.type)
        },
        .init("productType=AUTO_RENEWABLE&productId=trial") { $0.productId == "trial" },
        .init("productType=CONSUMABLE&productId=trial") { _ in false },
        .init("subscriptionGroupIdentifier=\(APIShop.group)") { $0.subscriptionGroupIdentifier == APIShop.group },
        .init("inAppOwnershipType=PURCHASED") { $0.inAppOwnershipType == .purchased },
        .init("inAppOwnershipType=FAMILY_SHARED") { $0.inAppOwnershipType == .familyShared },
        .init("revoked=true") { $0.revocationDate != nil }, .init("revoked=False") { $0.revocationDate == nil },
        .init("excludeRevoked=true&sort=ASCENDING") { $0.revocationDate == nil },
        .init("excludeRevoked=true&revoked=true") { _ in false },
        .init("startDate=\(APIShop.milliseconds(middle))") { $0.purchaseDate >= middle },
        .init("endDate=\(APIShop.milliseconds(later))") { $0.purchaseDate < later },
        .init("endDate=9999999999999") { _ in true },
    ]

    @Test(arguments: filters)
    func `All pages together list each transaction that matches the filter once, in order`(_ filter: Filter)
        async throws
    {
        for await seed in Yielding(1...4 as ClosedRange<UInt64>) {
            var shop = try Self.shop(seed: seed)
            let all = shop.store.transactions.values.filter { $0.customer == "anna" && filter.accepts($0.payload) }
                .sorted { $0.revision < $1.revision }
            let ids = all.map(\.payload.transactionId)
            let query = filter.testDescription
            #expect(try Self.pages(&shop, .transactionHistory, query).ids == ids)
            let descending = [query.replacing("&sort=ASCENDING", with: ""), "sort=DESCENDING"].filter { !$0.isEmpty }
                .joined(separator: "&")
            #expect(try Self.pages(&shop, .transactionHistory, descending).ids == ids.reversed())
            let unfinished = all.filter { !$0.isFinished || $0.payload.type != .consumable }
                .map(\.payload.transactionId)
            #expect(try Self.pages(&shop, .transactionHistoryV1, query).ids == unfinished)
        }
    }

    /// Returns up to four filters that have no parameter in common.
    private static func combination(_ random: inout SeededGenerator) -> [Filter] {
        var (chosen, taken): ([Filter], Set<String>) = ([], [])
        for filter in filters.dropFirst().shuffled(using: &random).prefix(4) {
            let names = filter.testDescription.split(separator: "&").map { String($0.prefix(while: { $0 != "=" })) }
            guard taken.isDisjoint(with: names) else { continue }
            taken.formUnion(names)
            chosen.append(filter)
        }
        return chosen
    }

    @Test func `Several filters together list the transactions that match each of them`() async throws {
        var random = SeededGenerator(seed: 1)
        var partial = 0
        for await seed in Yielding(1...4 as ClosedRange<UInt64>) {
            var shop = try Self.shop(seed: seed)
            let all = shop.store.transactions.values.filter { $0.customer == "anna" }
                .sorted { $0.revision < $1.revision }.map(\.payload)
            for _ in 0..<30 {
                let filters = Self.combination(&random)
                let ids = all.filter { payload in filters.allSatisfy { $0.accepts(payload) } }.map(\.transactionId)
                let query = filters.map(\.testDescription).joined(separator: "&")
                #expect(try Self.pages(&shop, .transactionHistory, query).ids == ids, "\(query)")
                let descending = query.replacing("&sort=ASCENDING", with: "") + "&sort=DESCENDING"
                #expect(try Self.pages(&shop, .transactionHistory, descending).ids == ids.reversed(), "\(query)")
                if filters.count > 1, !ids.isEmpty, ids.count < all.count { partial += 1 }
            }
        }
        #expect(partial > 10)
    }

    @Test func `A request with the last revision returns only new and changed transactions`() async throws {
        for await seed in Yielding(1...6 as ClosedRange<UInt64>) {
            var shop = try Self.shop(seed: seed)
            let first = try Self.pages(&shop, .transactionHistory, "")
            #expect(try Self.pages(&shop, .transactionHistory, "", from: first.revision).ids == [])
            let bought = try shop.buy("coins")
            let old = try #require(first.ids.first { shop.store.transactions[$0]?.payload.revocationDate == nil })
            try shop.perform(.approveRefund(customer: "anna", transaction: old))
            try shop.buy("coins", "ben")
            let again = try Self.pages(&shop, .transactionHistory, "", from: first.revision)
            #expect(again.ids == [bought, old])
            #expect(again.revision != first.revision)
        }
    }

    @Test func `A transaction that changes between two pages is listed again`() throws {
        var shop = try Self.shop(seed: 7)
        let id = shop.app("anna")
        let first = try shop.get(HistoryResponse.self, .transactionHistory, id)
        let delivered = try #require(
            first.signedTransactions.first { shop.store.transactions[$0]?.payload.revocationDate == nil })
        try shop.perform(.approveRefund(customer: "anna", transaction: delivered))
        #expect(try Self.pages(&shop, .transactionHistory, "", from: first.revision).ids.last == delivered)
    }

    @Test func `A changed revision, or one of another query, customer or endpoint, is refused`() throws {
        var shop = try Self.shop(seed: 3)
        let (_, revision) = try Self.pages(&shop, .transactionHistory, "revoked=false")
        func code(_ endpoint: AppStoreEndpoint, _ id: String, _ query: String) -> APIErrorCode? {
            do {
                _ = try shop.send(APIShop.request(endpoint, [id], query: query))
                return nil
            } catch { return (error as? APIFailure)?.code }
        }
        let anna = shop.app("anna")
        #expect(code(.transactionHistory, anna, "revoked=false&revision=\(revision)") == nil)
        #expect(code(.transactionHistory, anna, "revision=\(revision)") == .invalidRequestRevision)
        #expect(code(.transactionHistory, anna, "revoked=true&revision=\(revision)") == .invalidRequestRevision)
        #expect(code(.transactionHistoryV1, anna, "revoked=false&revision=\(revision)") == .invalidRequestRevision)
        #expect(
            code(.transactionHistory, shop.app("ben"), "revoked=false&revision=\(revision)") == .invalidRequestRevision)
        #expect(code(.refundHistory, anna, "revision=\(revision)") == .invalidRequestRevision)
        for index in revision.indices {
            var changed = revision
            changed.replaceSubrange(index...index, with: revision[index] == "A" ? "B" : "A")
            #expect(
                code(.transactionHistory, anna, "revoked=false&revision=\(changed)") == .invalidRequestRevision)
        }
    }

    @Test func `Refund history is paged by date, continues after a revision and leaves out family members`()
        throws
    {
        var shop = APIShop()
        var refunded: [String] = []
        for _ in 0..<45 {
            let id = try shop.buy("coins")
            shop.advance(days: 0.1)
            if refunded.count.isMultiple(of: 3) { try shop.buy("coins") }
            try shop.perform(.approveRefund(customer: "anna", transaction: id))
            refunded.append(id)
        }
        try shop.buy("lamp", "ben")
        try shop.perform(.shareWithFamily(customer: "ben", member: "anna"))
        try shop.perform(.approveRefund(customer: "ben", transaction: "lamp"))
        var (ids, query): ([String], String) = ([], "")
        for count in [20, 20, 5, 0] {
            let page = try shop.get(RefundHistoryResponse.self, .refundHistory, shop.app("anna"), query: query)
            #expect(page.signedTransactions.count == count)
            #expect(page.hasMore == (count == 20))
            ids += page.signedTransactions
            query = "revision=\(page.revision)"
        }
        #expect(ids == refunded)
        let new = try shop.buy("coins")
        try shop.perform(.approveRefund(customer: "anna"))
        let page = try shop.get(RefundHistoryResponse.self, .refundHistory, new, query: query)
        #expect(page.signedTransactions == [new])
        // A customer without refunds gets an empty page.
        try shop.buy("coins", "carl")
        let nothing = try shop.get(RefundHistoryResponse.self, .refundHistory, shop.app("carl"))
        #expect(nothing.signedTransactions.isEmpty && !nothing.hasMore)
        // Version 1 returns the last 50 refunds, newest first.
        for _ in 0..<10 {
            try shop.buy("coins")
            try shop.perform(.approveRefund(customer: "anna"))
        }
        let old = try shop.get(RefundLookupResponse.self, .refundHistoryV1, new)
        #expect(old.signedTransactions.count == 50)
        #expect(old.signedTransactions.suffix(2) == [refunded[7], refunded[6]])
    }
}
