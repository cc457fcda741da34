import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// The dates of signatures, by which everybody puts signed texts in order.
@Suite struct SignatureDateTests {
    /// What was signed of one thing, in the order in which it was.
    private struct Statements {
        private var all: [String: [(date: Date, content: Data)]] = [:]
        private(set) var wrong: [String] = []
        private var told = 0

        mutating func note(_ transaction: JWSTransactionDecodedPayload) throws {
            var payload = transaction
            payload.signedDate = .distantPast
            try note("transaction \(payload.transactionId)", transaction.signedDate, payload)
        }

        mutating func note(_ info: JWSRenewalInfoDecodedPayload) throws {
            var payload = info
            payload.signedDate = .distantPast
            try note("renewal of \(payload.originalTransactionId)", info.signedDate, payload)
        }

        private mutating func note(_ thing: String, _ date: Date, _ payload: some Encodable) throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let content = try encoder.encode(payload)
            if let last = all[thing]?.last {
                if date < last.date { wrong.append("\(thing): \(date) after \(last.date)") }
                if date == last.date, content != last.content {
                    wrong.append("\(thing) says two things at \(date.timeIntervalSince1970)")
                }
            }
            all[thing, default: []].append((date, content))
        }

        /// What was announced since.
        mutating func note(_ store: Store) throws {
            for record in store.notifications.dropFirst(told) {
                guard case .purchase(let purchase) = record.content else { continue }
                try note(purchase.transaction)
                if let info = purchase.renewalInfo { try note(info) }
            }
            told = store.notifications.count
        }

        /// What the App Store Server API says of everything.
        mutating func read(_ store: inout Store, at now: Date) throws {
            for id in store.transactions.keys.sorted() {
                try note(store.answer(APIShop.request(.transaction, [id]), at: now))
            }
            for customer in store.customers.values.sorted(by: { $0.id < $1.id }) where !customer.transactions.isEmpty {
                let request = APIShop.request(.subscriptionStatuses, [customer.appTransactionID])
                try note(store.answer(request, at: now))
            }
        }

        private mutating func note(_ answer: StoreSimulator.APIAnswer) throws {
            if let body = answer.body { try note(body) }
        }

        private mutating func note(_ body: APIBody) throws {
            switch body {
            case .transaction(let payload): try note(payload)
            case .renewalInfo(let info): try note(info)
            case .array(let elements): for element in elements { try note(element) }
            case .object(let members): for (_, value) in members { if let value { try note(value) } }
            default: return
            }
        }
    }

    private func live(_ seed: UInt64, reads: Bool) throws -> (Store, Statements) {
        var shop = Shop(.production, seed: seed) {
            $0.gracePeriod = [.off, .sixteenDays][Int(seed % 2)]
            $0.announcesLateDowngrades = seed % 3 > 0
            $0.notifiesFamilyMembers = seed % 4 > 0
        }
        var random = RandomCommands(random: SeededGenerator(seed: seed))
        var statements = Statements()
        for _ in 0..<120 {
            // Mostly nothing: it is about what happens at one instant.
            if random.chance(40) { shop.now = (shop.now + random.pause()).wholeMilliseconds }
            shop.store.run(until: shop.now)
            try statements.note(shop.store)
            if reads { try statements.read(&shop.store, at: shop.now) }
            if random.chance(8) {
                _ = try? shop.store.trigger(random.trigger(), at: shop.now)
            } else {
                _ = try? shop.perform(random.next(shop.store))
            }
            try statements.note(shop.store)
            if reads { try statements.read(&shop.store, at: shop.now) }
        }
        return (shop.store, statements)
    }

    @Test(arguments: 0..<24 as Range<UInt64>)
    func `Of one thing nothing different is signed with one date, and what is newer has the later one`(
        _ seed: UInt64
    ) throws {
        let (store, statements) = try live(seed, reads: true)
        #expect(statements.wrong.prefix(5) == [])
        #expect(zip(store.notifications, store.notifications.dropFirst()).allSatisfy { $0.signedDate < $1.signedDate })
        #expect(store.notifications.count > 20)
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `However much is read, the dates are the same`(_ seed: UInt64) throws {
        #expect(try live(seed, reads: true).0.bytes == live(seed, reads: false).0.bytes)
    }

    @Test func `What happens at one instant is dated and sent at that instant`() throws {
        var shop = Shop()
        try shop.buy("plus")
        try shop.perform(.cancel(customer: "anna"))
        try shop.perform(.resume(customer: "anna"))
        let milliseconds = shop.store.notifications.map { ($0.signedDate.timeIntervalSince(shop.now) * 1000).rounded() }
        #expect(milliseconds == [0, 1, 2])
        #expect(shop.store.notifications.allSatisfy { $0.date == shop.now && $0.due == shop.now })
        #expect(try shop.last().transaction.purchaseDate == shop.now)
        // Time that goes on catches up.
        shop.wait(days: 1)
        try shop.perform(.cancel(customer: "anna"))
        #expect(shop.store.notifications.last?.signedDate == shop.now)
    }

    @Test func `An account token is signed later, though no notification tells`() throws {
        for isAsked in [false, true] {
            var shop = APIShop()
            let id = try shop.buy("coins")
            let before = try shop.signed(id)
            let (token, count) = (UUID(), shop.store.notifications.count)
            if isAsked {
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

    @Test func `The notification history until now has what was signed later than the clock shows`() throws {
        var shop = APIShop()
        try shop.buy("plus")
        try shop.perform(.cancel(customer: "anna"))
        try shop.perform(.resume(customer: "anna"))
        let body = JSONFields.notifications(from: shop.now - 60, to: shop.now).text
        let answer = try shop.get(NotificationHistoryResponse.self, .notificationHistory, body: body)
        #expect(answer.notificationHistory.map(\.signedPayload) == ["0", "1", "2"])
        // Who has read all of them asks from the last on.
        let last = try #require(shop.store.notifications.last?.signedDate)
        let rest = JSONFields.notifications(from: last, to: shop.now + 60).text
        let more = try shop.get(NotificationHistoryResponse.self, .notificationHistory, body: rest)
        #expect(more.notificationHistory.map(\.signedPayload) == ["2"])
    }
}

extension APIShop {
    /// A transaction as Get Transaction Info signs it.
    fileprivate mutating func signed(_ id: String) throws -> JWSTransactionDecodedPayload {
        guard case .object(let members) = try send(Self.request(.transaction, [id])).body,
            case .transaction(let payload) = members.first?.1
        else { throw CocoaError(.coderValueNotFound) }
        return payload
    }
}
