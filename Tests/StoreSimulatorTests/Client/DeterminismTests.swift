import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Isolation and determinism of simulators` {
    /// Identifiers of a run, and the bytes of the notifications and nested payloads that a developer's server receives.
    private struct Record: Equatable, Sendable {
        var identifiers: [String] = []
        var payloads: [Data] = []
    }

    /// Runs a few commands of every kind that creates identifiers.
    private static func runCommands(_ simulator: Simulator, _ receiver: Receiver) async throws -> Record {
        var record = Record()
        let commands: [StoreCommand] = [
            .purchase(customer: "anna", product: "com.example.premium.monthly", introductory: false),
            .purchase(customer: "ben", product: "com.example.coins.100", quantity: 3),
            .shareWithFamily(customer: "anna", member: "carl"),
            .approveRefund(customer: "ben"), .cancel(customer: "anna"), .resume(customer: "anna"),
            .createExternalPurchaseToken(tokenType: nil), .requestTestNotification,
        ]
        for command in commands {
            for environment in [AppStoreEnvironment.production, .sandbox] {
                let outcome = try await simulator.perform(command, in: environment)
                record.identifiers += [outcome.transactionID, outcome.token].compactMap(\.self)
                record.identifiers += outcome.notifications.map(\.notificationUUID)
                try await simulator.advance(by: 61)
            }
        }
        try await simulator.advance(by: .month)
        // Notifications of one instant are sent concurrently and arrive in any order.
        record.payloads = try receiver.payloads.flatMap(bytes).sorted { $0.lexicographicallyPrecedes($1) }
        return record
    }

    /// Returns the bytes of a notification's payload and of its nested payloads, without the random signatures and
    /// certificates.
    private static func bytes(_ text: String) throws -> [Data] {
        let event = try Replay.Event(text)
        var own = event.notification.bytes
        for name in ["signedTransactionInfo", "signedRenewalInfo"] {
            let nested = event.notification.nested(name)
            if let nested, let range = own.range(of: Data(nested.utf8)) { own.replaceSubrange(range, with: Data()) }
        }
        return [own] + [event.transaction?.bytes, event.renewal?.bytes].compactMap(\.self)
    }

    private static func shortRun(seed: UInt64) async throws -> Record {
        try await Simulator.runWithReceiver {
            $0.seed = seed
        } _: { simulator, receiver in
            try await runCommands(simulator, receiver)
        }
    }

    @Test func `The same seed and commands produce the same identifiers and bytes, another seed different ones`()
        async throws
    {
        let (first, second, other) = try await (Self.shortRun(seed: 7), Self.shortRun(seed: 7), Self.shortRun(seed: 8))
        #expect(first.identifiers == second.identifiers)
        for (one, two) in zip(first.payloads, second.payloads) where one != two {
            #expect(String(decoding: one, as: UTF8.self) == String(decoding: two, as: UTF8.self))
        }
        #expect(first.payloads.count == second.payloads.count)
        #expect(first.payloads.count > 40)
        #expect(Set(first.identifiers).isDisjoint(with: other.identifiers))
    }

    @Test
    func `Early and late charges, retries, random faults and both versions are determined by the seed`()
        async throws
    {
        let (first, second, other) = try await (Self.longRun(5), Self.longRun(5), Self.longRun(6))
        #expect(first.identifiers == second.identifiers)
        #expect(first.payloads == second.payloads)
        #expect(first.payloads.count > 30)
        #expect(first.payloads != other.payloads)
    }

    private static func longRun(_ seed: UInt64) async throws -> Record {
        try await Simulator.runWithReceiver {
            $0.seed = seed
            $0.randomFaults = .medium
            $0.createsReceiptAuthorityAtStart = true
            $0.production.maximumRenewalLeadTime = 86_400
            $0.production.maximumRenewalDelay = 7200
            $0.production.gracePeriod = .sixteenDays
            $0.production.notificationVersion = .one
        } _: { simulator, receiver in
            var record = Record()
            let (monthly, news) = ("com.example.premium.monthly", "com.example.news.monthly")
            let commands: [StoreCommand] = [
                .purchase(customer: "anna", product: monthly, introductory: false),
                .purchase(customer: "ben", product: news, offer: "FALL-1"),
                .purchase(customer: "ben", product: "com.example.basic.monthly", introductory: false),
                .failBilling(customer: "ben", subscription: news, recovers: true),
                .shareWithFamily(customer: "anna", member: "carl"),
                .schedulePriceChange(product: monthly, price: 15_990, consent: true),
                .purchase(customer: "anna", product: monthly, offer: "save20", sign: true),
                .assignVolumePurchase(customer: "dora"), .changeStorefront(customer: "ben", storefront: "DEU"),
                .acceptPrice(customer: "anna"), .cancel(customer: "anna"), .resume(customer: "anna"),
            ]
            for (number, command) in commands.enumerated() {
                if number == 5 { simulator.configure { $0.notificationVersion = .two } }
                // Whether a command is possible at that time depends on the seed as well.
                do {
                    let outcome = try await simulator.perform(command)
                    record.identifiers += [outcome.transactionID, outcome.orderID].compactMap(\.self)
                    record.identifiers += outcome.notifications.map(\.notificationUUID)
                } catch let error as StoreError { record.identifiers.append(error.code.rawValue) }
                try await simulator.advance(by: 6 * 86_400 + 61)
            }
            try await simulator.advance(by: Period(3, .month) ?? .year)
            record.payloads = try receiver.bodies.flatMap(content).sorted { $0.lexicographicallyPrecedes($1) }
            return record
        }
    }

    /// Returns the content of a notification body, without signatures, certificates and the receipts of version 1.
    private static func content(of body: Data) throws -> [Data] {
        guard case .object(var members) = try JSONDecoder().decode(JSONValue.self, from: body) else { return [] }
        if case .string(let text)? = members["signedPayload"] { return try bytes(text) }
        guard case .object(var unified)? = members["unified_receipt"] else { return [] }
        unified["latest_receipt"] = nil
        members["unified_receipt"] = .object(unified)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return [try encoder.encode(JSONValue.object(members))]
    }

    /// Returns the notifications with their attempts, and the states, after commands between which `advance` advances
    /// the clock by a number of hours. Notifications fail and are late at random.
    private static func run(
        advancing advance: @Sendable (Simulator, _ hours: Int) async throws -> Void
    ) async throws -> [String] {
        try await Simulator.runWithReceiver {
            $0.production.maximumRenewalLeadTime = 86_400
            $0.production.maximumRenewalDelay = 7200
            $0.production.gracePeriod = .sixteenDays
        } _: { simulator, _ in
            try simulator.add(Fault("notification:*", .unreachable, probability: 0.3))
            try simulator.add(Fault("notification:*", .reorder, probability: 0.3))
            let (monthly, news) = ("com.example.premium.monthly", "com.example.news.weekly")
            let commands: [StoreCommand] = [
                .purchase(customer: "anna", product: monthly), .purchase(customer: "ben", product: news),
                .shareWithFamily(customer: "anna", member: "carl"),
                .failBilling(customer: "ben", recovers: true),
                .schedulePriceChange(product: monthly, price: 15_990, consent: true),
                .requestRefund(customer: "ben"), .acceptPrice(customer: "anna"),
                .extendAllRenewals(product: monthly, days: 10), .cancel(customer: "anna"),
                .createExternalPurchaseToken(tokenType: .services), .approveRefund(customer: "ben"),
            ]
            for command in commands {
                // The seed decides whether a command is possible at that time.
                do { try await simulator.perform(command) } catch is StoreError {}
                try await advance(simulator, 149)
            }
            try await advance(simulator, 90 * 24)
            return simulator.core.read(.production) { store, _ in store.notifications.map(line) }
                + simulator.states().map { "\($0)" }
        }
    }

    private static func line(_ record: NotificationRecord) -> String {
        let attempts = record.attempts.map { "\($0.result.rawValue) at \($0.date.timeIntervalSince1970)" }
        return "\(record.name) \(record.uuid) \(record.signedDate.timeIntervalSince1970) \(attempts)"
    }

    @Test func `One long advance of the clock and many short ones have the same notifications, attempts and states`()
        async throws
    {
        let atOnce = try await Self.run { simulator, hours in try await simulator.advance(by: Double(hours) * 3600) }
        let inSteps = try await Self.run { simulator, hours in
            for start in stride(from: 0, to: hours, by: 7) {
                try await simulator.advance(by: Double(min(7, hours - start)) * 3600)
            }
        }
        #expect(atOnce == inSteps)
        #expect(atOnce.count > 25)
        #expect(atOnce.contains { $0.contains("NO_RESPONSE at") && $0.contains("SUCCESS at") })
    }

    @Test func `Eight concurrent simulators in one process do not influence each other`() async throws {
        let alone = try await Self.shortRun(seed: 3)
        let together = try await withThrowingTaskGroup(of: (UInt64, Record).self) { group in
            for seed in UInt64(1)...8 { group.addTask { (seed, try await Self.shortRun(seed: seed)) } }
            var records: [UInt64: Record] = [:]
            for try await (seed, record) in group { records[seed] = record }
            return records
        }
        #expect(together.count == 8)
        #expect(together[3].map { $0 == alone } == true)
        // Numeric identifiers may coincide between seeds; UUIDs must not.
        let all = together.values.flatMap { Set($0.identifiers).filter { $0.contains("-") } }
        #expect(Set(all).count == all.count)
    }

    @Test func `A simulator rejects another simulator's transactions, keys and signatures`() async throws {
        try await Simulator.run { first in
            try await Simulator.run {
                $0.seed = 2
            } _: { second in
                let id = try await first.buy("com.example.coins.100")
                let text = try await first.client().transaction(id).signedTransactionInfo
                let (own, foreign) = (try first.verifier(), try second.verifier())
                #expect(try await refusal { try await own.transaction(text) } == nil)
                #expect(try await refusal { try await foreign.transaction(text) } == .untrustedRoot)
                let unknown = await #expect(throws: AppStoreServerError.self) {
                    try await second.client().transaction(id)
                }
                #expect(unknown?.apiCode == .transactionIdNotFound)
                let key = try first.key
                let refused = await #expect(throws: AppStoreServerError.self) {
                    try await second.client(key: key).transaction(id)
                }
                #expect(refused?.code == .unauthorized)
            }
        }
    }

    @Test func `Restoring a snapshot restores purchases, time, faults and the next identifiers`() async throws {
        try await Simulator.runWithReceiver { simulator, receiver in
            let restoredID = try await simulator.buy("com.example.premium.monthly")
            try simulator.add(Fault("route:order", .status(code: 500)))
            try await simulator.snapshot("before")
            #expect(try simulator.snapshots() == ["before"])
            let discardedID = try await simulator.buy("com.example.coins.100")
            try await simulator.advance(by: .month)
            try simulator.removeFault()
            let after = receiver.bodies.count
            try await simulator.restore("before")
            #expect(simulator.now == Simulator.start)
            let client = try simulator.client()
            let status = try await client.subscriptionStatuses(of: restoredID)
            #expect(status.data.first?.lastTransactions.first?.status == .active)
            let discarded = await #expect(throws: AppStoreServerError.self) {
                try await client.transaction(discardedID)
            }
            #expect(discarded?.apiCode == .transactionIdNotFound)
            let fault = await #expect(throws: AppStoreServerError.self) { try await client.order("X") }
            #expect(fault?.status == 500)
            #expect(receiver.bodies.count == after, "nothing is sent again")
            #expect(try await simulator.buy("com.example.coins.100") == discardedID)
            let unnamed = await #expect(throws: SimulatorError.self) { try await simulator.snapshot("../x") }
            #expect(unnamed?.code == .invalidArgument)
            let unknown = await #expect(throws: SimulatorError.self) { try await simulator.restore("unknown") }
            #expect(unknown?.code == .unknownSnapshot)
        }
    }

    @Test func `A reset restores the start time and repeats the same identifiers`() async throws {
        try await Simulator.runWithReceiver { simulator, receiver in
            let first = try await simulator.buy("com.example.premium.monthly")
            try await simulator.advance(by: .year)
            try await simulator.reset()
            #expect(simulator.now == Simulator.start)
            let discarded = await #expect(throws: AppStoreServerError.self) {
                try await simulator.client().transaction(first)
            }
            #expect(discarded?.apiCode == .transactionIdNotFound)
            #expect(try await simulator.buy("com.example.premium.monthly") == first)
            // The initial settings apply again, and notifications are still sent.
            let text = try #require(try receiver.payloads.last)
            #expect(try Payload(text).body["notificationType"]?.text == "SUBSCRIBED")
        }
    }

    @Test func `A reset clears the rate limit counters`() async throws {
        try await Simulator.run { simulator in
            for _ in 0..<RateLimits.quota(of: .transaction, in: .production) {
                try simulator.core.limits.check(.transaction, in: .production, now: simulator.now)
            }
            try await simulator.reset()
            let id = try await simulator.buy("com.example.coins.100")
            _ = try await simulator.client().transaction(id)
        }
    }
}

extension Payload {
    /// Returns a signed text of the payload's `data`.
    fileprivate func nested(_ name: String) -> String? {
        if case .object(let data) = body["data"] { data[name]?.text } else { nil }
    }
}
