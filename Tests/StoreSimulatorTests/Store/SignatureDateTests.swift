import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// Signing dates, by which clients put signed texts in order.
@Suite struct SignatureDateTests {
    /// The signed contents of each transaction and renewal info, in the order of signing.
    private struct SignedContents {
        private var all: [String: [(date: Date, content: Data)]] = [:]
        private(set) var violations: [String] = []
        private var recordedCount = 0

        mutating func record(_ transaction: JWSTransactionDecodedPayload) throws {
            var payload = transaction
            payload.signedDate = .distantPast
            try record("transaction \(payload.transactionId)", transaction.signedDate, payload)
        }

        mutating func record(_ info: JWSRenewalInfoDecodedPayload) throws {
            var payload = info
            payload.signedDate = .distantPast
            try record("renewal of \(payload.originalTransactionId)", info.signedDate, payload)
        }

        private mutating func record(_ subject: String, _ date: Date, _ payload: some Encodable) throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let content = try encoder.encode(payload)
            if let last = all[subject]?.last {
                if date < last.date { violations.append("\(subject): \(date) after \(last.date)") }
                if date == last.date, content != last.content {
                    violations.append("\(subject) has two contents at \(date.timeIntervalSince1970)")
                }
            }
            all[subject, default: []].append((date, content))
        }

        /// Records the notifications since the last call.
        mutating func record(_ store: Store) throws {
            for notification in store.notifications.dropFirst(recordedCount) {
                guard case .purchase(let purchase) = notification.content else { continue }
                try record(purchase.transaction)
                if let info = purchase.renewalInfo { try record(info) }
            }
            recordedCount = store.notifications.count
        }

        /// Records the responses of the App Store Server API about all transactions and customers.
        mutating func recordResponses(_ store: inout Store, at now: Date) throws {
            for id in store.transactions.keys.sorted() {
                try record(store.respond(to: APIShop.request(.transaction, [id]), at: now))
            }
            for customer in store.customers.values.sorted(by: { $0.id < $1.id }) where !customer.transactions.isEmpty {
                let request = APIShop.request(.subscriptionStatuses, [customer.appTransactionID])
                try record(store.respond(to: request, at: now))
            }
        }

        private mutating func record(_ answer: StoreSimulator.APIResponse) throws {
            if let body = answer.body { try record(body) }
        }

        private mutating func record(_ body: APIBody) throws {
            switch body {
            case .transaction(let payload): try record(payload)
            case .renewalInfo(let info): try record(info)
            case .array(let elements): for element in elements { try record(element) }
            case .object(let members): for (_, value) in members { if let value { try record(value) } }
            default: return
            }
        }
    }

    private func runRandomCommands(_ seed: UInt64, reads: Bool) async throws -> (Store, SignedContents) {
        var shop = Shop(.production, seed: seed) {
            $0.gracePeriod = [.off, .sixteenDays][Int(seed % 2)]
            $0.sendsNotificationOnLateDowngrade = seed % 3 > 0
            $0.sendsNotificationsForFamilyMembers = seed % 4 > 0
        }
        var random = RandomCommands(random: SeededGenerator(seed: seed))
        random.lowersPrices = true
        var signed = SignedContents()
        for await _ in Yielding(0..<120) {
            // The clock mostly stands still, as the test is about events of one instant.
            if random.chance(40) { shop.now = (shop.now + random.pause()).wholeMilliseconds }
            shop.store.run(until: shop.now)
            try signed.record(shop.store)
            if reads { try signed.recordResponses(&shop.store, at: shop.now) }
            if random.chance(8) {
                _ = try? shop.store.trigger(random.trigger(), at: shop.now)
            } else {
                _ = try? shop.perform(random.next(shop.store))
            }
            try signed.record(shop.store)
            if reads { try signed.recordResponses(&shop.store, at: shop.now) }
        }
        return (shop.store, signed)
    }

    @Test(arguments: 0..<24 as Range<UInt64>)
    func `Newer contents have later signing dates, and one date never has two contents`(
        _ seed: UInt64
    ) async throws {
        let (store, signed) = try await runRandomCommands(seed, reads: true)
        #expect(signed.violations.prefix(5) == [])
        #expect(zip(store.notifications, store.notifications.dropFirst()).allSatisfy { $0.signedDate < $1.signedDate })
        #expect(store.notifications.count > 20)
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `Reading through the API does not change signing dates`(_ seed: UInt64) async throws {
        let read = try await runRandomCommands(seed, reads: true).0
        let unread = try await runRandomCommands(seed, reads: false).0
        #expect(try read.bytes == unread.bytes)
    }

    @Test func `Notifications of one instant are dated a millisecond apart and sent at that instant`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.cancel(customer: "anna"))
        try shop.perform(.resume(customer: "anna"))
        let milliseconds = shop.store.notifications.map { ($0.signedDate.timeIntervalSince(shop.now) * 1000).rounded() }
        #expect(milliseconds == [0, 1, 2])
        #expect(shop.store.notifications.allSatisfy { $0.date == shop.now && $0.due == shop.now })
        #expect(try shop.last().transaction.purchaseDate == shop.now)
        // A later notification is dated at the current time again.
        shop.wait(days: 1)
        try shop.perform(.cancel(customer: "anna"))
        #expect(shop.store.notifications.last?.signedDate == shop.now)
    }

    @Test func `Setting an account token gives the transaction a later signing date, without a notification`() throws {
        for usesAPI in [false, true] {
            var shop = APIShop()
            let id = try shop.buy("coins")
            let before = try shop.signed(id)
            let (token, count) = (UUID(), shop.store.notifications.count)
            if usesAPI {
                let body = JSONFields.token.with("appAccountToken", "\"\(token.uuidString)\"")
                _ = try shop.send(APIShop.request(.setAppAccountToken, [id], body: body))
            } else {
                try shop.perform(.setAppAccountToken(customer: "anna", appAccountToken: token))
            }
            let after = try shop.signed(id)
            #expect(before.appAccountToken != token && after.appAccountToken == token)
            #expect(before.signedDate < after.signedDate)
            #expect(shop.store.notifications.count == count)
            #expect(try shop.signed(id).signedDate == after.signedDate)
        }
    }

    @Test func `A lower price is signed later than a renewal at the instant at which the price takes effect`() throws {
        var (shop, signed) = (Shop(), SignedContents())
        try shop.buy("basic")
        let end = try #require(try shop.state().expiresDate)
        try shop.perform(.schedulePriceChange(product: "basic", price: 1990, effectiveDate: end))
        shop.wait(days: end.timeIntervalSince(shop.now) / 86_400)
        try signed.record(shop.store)
        try signed.recordResponses(&shop.store, at: shop.now)
        #expect(try shop.last().renewalInfo?.renewalPrice == 4990)
        #expect(shop.store.notifications.last?.type == .didRenew)
        #expect(signed.violations == [])
    }

    @Test func `The notification history until now has notifications dated milliseconds after now`() throws {
        var shop = APIShop()
        try shop.buy("plus")
        try shop.perform(.cancel(customer: "anna"))
        try shop.perform(.resume(customer: "anna"))
        let body = JSONFields.notifications(from: shop.now - 60, to: shop.now).text
        let answer = try shop.get(NotificationHistoryResponse.self, .notificationHistory, body: body)
        #expect(answer.notificationHistory.map(\.signedPayload) == ["0", "1", "2"])
        // A client that has read all of them continues from the last signing date.
        let last = try #require(shop.store.notifications.last?.signedDate)
        let rest = JSONFields.notifications(from: last, to: shop.now + 60).text
        let more = try shop.get(NotificationHistoryResponse.self, .notificationHistory, body: rest)
        #expect(more.notificationHistory.map(\.signedPayload) == ["2"])
    }
}

extension APIShop {
    /// Returns a transaction as Get Transaction Info signs it.
    fileprivate mutating func signed(_ id: String) throws -> JWSTransactionDecodedPayload {
        guard case .object(let members) = try send(Self.request(.transaction, [id])).body,
            case .transaction(let payload) = members.first?.1
        else { throw CocoaError(.coderValueNotFound) }
        return payload
    }
}
