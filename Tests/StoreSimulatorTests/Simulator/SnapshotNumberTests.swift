import AppStoreModels
import Foundation
import TestSupport
import Testing

@testable import StoreSimulator

/// People can edit the file of a snapshot, so the counts in it can be at the limits of integers.
@Suite(.timeLimit(.minutes(5))) struct `Numbers in a snapshot` {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    /// Returns a state with a subscription, a commitment and a fault.
    private static func state() throws -> SimulatorState {
        var configuration = SimulatorConfiguration(catalogue: .shop)
        configuration.clock = .frozen(start)
        configuration.production.notificationURL = "http://127.0.0.1:1/"
        var state = SimulatorState(configuration, real: start)
        _ = try state.faults.add(Fault("notification:*", .drop))
        _ = try state.production.perform(.purchase(customer: "anna", product: "news"), at: start)
        _ = try state.production.perform(
            .purchase(customer: "ben", product: "plus.yearly", billingPlan: .monthly), at: start)
        return state
    }

    /// Writes the snapshot of the state, replaces parts of its text and reads it.
    private static func edited(_ pattern: String, to replacement: String) async throws -> SimulatorState {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "x.jsonl")
            try await SnapshotFile(file).write(try state())
            let text = try String(contentsOf: file, encoding: .utf8)
            let edited = text.replacing(try Regex(pattern), with: replacement)
            try #require(edited != text)
            try Data(edited.utf8).write(to: file)
            return try await SnapshotFile(file).read()
        }
    }

    @Test(
        arguments: [
            ("revision", Int64.max), ("delivered", .max), ("failedAttempts", .max), ("lastNumber", .max),
            ("timesApplied", .max), ("renewals", .max), ("totalPeriods", Int64(Int32.max)),
            ("periodNumber", Int64(Int32.min)),
        ])
    func `A store whose snapshot has a number at its limit continues`(_ name: String, _ number: Int64) async throws {
        var state = try await Self.edited("\"\(name)\":-?[0-9]+", to: "\"\(name)\":\(number)")
        let later = Self.start + 100 * 86_400
        state.production.run(until: later)
        #expect(state.production.transactions.count > 4)
        state.production.recordAttempt(0, .success, status: 200, at: later)
        state.production.recordAttempt(1, .unsuccessfulHTTPResponseCode, status: 500, at: later)
        #expect(state.production.notifications[0].isDelivered)
        #expect(state.faults.takeEffects(["notification:*"], in: .production, at: later) == [.drop])
        _ = try state.faults.add(Fault("notification:*", .drop))
        #expect(state.faults.entries.count == 2)
    }

    @Test(arguments: [(Int64.min, Int64(20_000)), (Int64(2990), Int64.max)])
    func `A price increase continues although a snapshot has a price at its limit`(
        _ price: Int64, _ raised: Int64
    ) throws {
        var state = try Self.state()
        _ = try state.production.perform(.schedulePriceChange(product: "news", price: 20_000), at: Self.start)
        state.production.priceCampaigns = [
            PriceCampaign(
                number: 1, product: "news", price: raised, effective: Self.start, consent: nil, storefronts: nil,
                preservesPrices: false, isEffective: true)
        ]
        for (id, subscription) in state.production.subscriptions where subscription.priceProduct == "news" {
            state.production.subscriptions[id]?.price = price
        }
        state.production.run(until: Self.start + 20 * 86_400)
        #expect(state.production.notifications.map(\.type).contains(.priceIncrease))
    }

    @Test(arguments: [Int64.min, .max])
    func `A schedule whose snapshot has a number at its limit continues`(_ number: Int64) async throws {
        var state = try await Self.edited("\\],\"count\":[0-9]+", to: "],\"count\":\(number)")
        state.production.run(until: Self.start + 100 * 86_400)
        #expect(state.production.transactions.count > 4)
    }
}
