import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Faults on notifications` {
    private static let coins = "com.example.coins.100"

    private func identifiers(_ receiver: Receiver) throws -> [String] {
        try receiver.payloads.map { try Payload($0).body["notificationUUID"]?.text ?? "" }
    }

    private func results(_ simulator: Simulator) async throws -> [[SendAttemptResult]] {
        var results: [[SendAttemptResult]] = []
        let request = NotificationHistoryRequest(startDate: Simulator.start - 60, endDate: simulator.now + 60)
        for try await item in try simulator.client().notificationHistory(request).items {
            results.append(item.sendAttempts.map(\.sendAttemptResult))
        }
        return results
    }

    @Test func `A duplicated notification is delivered twice with the same bytes`() async throws {
        try await Simulator.runWithReceiver { simulator, receiver in
            try simulator.add(Fault("notification:ONE_TIME_CHARGE", .duplicate, count: 1))
            try await simulator.buy(Self.coins)
            try await simulator.buy(Self.coins)
            #expect(receiver.bodies.count == 3)
            #expect(receiver.bodies[0] == receiver.bodies[1])
            #expect(try await results(simulator) == [[.success], [.success]])
        }
    }

    @Test func `A dropped notification is never delivered, but is in the notification history`() async throws {
        try await Simulator.runWithReceiver { simulator, receiver in
            try simulator.add(Fault("notification:*", .drop, count: 1))
            try await simulator.buy(Self.coins)
            try await simulator.advance(by: 200 * 3600)
            #expect(receiver.bodies == [])
            #expect(try await results(simulator) == [[.noResponse]])
        }
    }

    @Test func `A reordered notification is delivered after the next one, within ten minutes`() async throws {
        try await Simulator.runWithReceiver { simulator, receiver in
            try simulator.add(Fault("notification:*", .reorder, count: 1))
            let first = try await simulator.perform(.purchase(customer: "anna", product: Self.coins))
            let second = try await simulator.perform(.purchase(customer: "anna", product: Self.coins))
            try await simulator.advance(by: 601)
            let wanted = (second.notifications + first.notifications).map(\.notificationUUID)
            #expect(try identifiers(receiver) == wanted)
        }
    }

    @Test func `A notification to an unreachable receiver is retried until it is delivered`() async throws {
        try await Simulator.runWithReceiver { simulator, receiver in
            try simulator.add(
                Fault("notification:SUBSCRIBED.INITIAL_BUY", .unreachable, until: simulator.now + 2 * 3600))
            try await simulator.buy("com.example.premium.monthly")
            try await simulator.buy(Self.coins)
            #expect(receiver.bodies.count == 1)
            try await simulator.advance(by: 14 * 3600)
            #expect(receiver.bodies.count == 2)
            #expect(try await results(simulator) == [[.noResponse, .noResponse, .success], [.success]])
        }
    }

    @Test func `A notification with an invalid signature or chain is refused, and its retry verifies`()
        async throws
    {
        let cases: [(Fault.Effect, VerificationError.Code)] = [
            (.invalidSignature, .badSignature), (.wrongChain, .untrustedRoot),
        ]
        for (effect, code) in cases {
            try await Simulator.runWithReceiver { simulator, receiver in
                let verifier = try simulator.verifier()
                try simulator.add(Fault("notification:*", effect, count: 1))
                receiver.answer(.status(401))
                try await simulator.buy(Self.coins)
                let bad = try #require(try receiver.payloads.first)
                #expect(try await refusal { try await verifier.notification(bad) } == code)
                try await simulator.advance(by: 3600)
                let good = try #require(try receiver.payloads.last)
                #expect(try await refusal { try await verifier.notification(good) } == nil)
                #expect(try Payload(bad).body["notificationUUID"] == Payload(good).body["notificationUUID"])
            }
        }
    }

    @Test func `A notification with unknown values is decoded, and a truncated one is refused`() async throws {
        try await Simulator.runWithReceiver { simulator, receiver in
            let verifier = try simulator.verifier()
            try simulator.add(Fault("notification:*", .unknownValues, count: 1))
            try simulator.add(Fault("notification:*", .extraFields, count: 1))
            try await simulator.buy(Self.coins)
            let text = try #require(try receiver.payloads.first)
            let payload = try await verifier.notification(text).payload
            #expect(payload.notificationType.rawValue == "VALUE_OF_THE_FUTURE")
            let inner = try await verifier.transaction(#require(payload.data?.signedTransactionInfo)).payload
            #expect(inner.type.rawValue == "VALUE_OF_THE_FUTURE")

            try simulator.add(Fault("notification:*", .truncate, count: 1))
            try await simulator.buy(Self.coins)
            let half = try #require(try receiver.payloads.last)
            let code = try await refusal { try await verifier.notification(half) }
            #expect(code != nil)
        }
    }
}
