import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite(.enabled(if: Fixtures.hasSignedData, "\(Fixtures.absence)"))
struct `The shape of genuine data` {
    /// Intended differences from the App Store's data: `FILE: member` with a reason. None so far.
    private static let differences: [String: String] = [:]

    /// Members whose value differs each time: identifiers and instants.
    private static let changing: Set<String> = [
        "notificationUUID", "signedDate", "signedTransactionInfo", "signedRenewalInfo", "transactionId",
        "originalTransactionId", "webOrderLineItemId", "appTransactionId", "purchaseDate", "originalPurchaseDate",
        "expiresDate", "renewalDate", "recentSubscriptionStartDate",
    ]

    private static var recordedNotifications: [GenuineJWS] {
        Fixtures.signedData.filter { $0.kind == "notification" && $0.type != "TEST" }
            .sorted { $0.signedDate < $1.signedDate }
    }

    @Test func `The recorded commands cause the recorded notifications in the same order`() async throws {
        let events = try await Replay.events.value
        #expect(events.map(\.type) == Self.recordedNotifications.map(\.type))
        #expect(Fixtures.signedData.count == 22)
    }

    @Test(arguments: Fixtures.signedData)
    func `The simulator's payloads have the headers, members, types and values of Apple's`(
        _ genuine: GenuineJWS
    ) async throws {
        let event: Replay.Event
        if genuine.type == "TEST" {
            event = try #require(try await Replay.test.value.first)
        } else {
            // A transaction and a renewal belong to the notification with the same signing date.
            let index = try #require(Self.recordedNotifications.firstIndex { $0.signedDate == genuine.signedDate })
            let events = try await Replay.events.value
            event = try #require(events.indices.contains(index) ? events[index] : nil)
        }
        let made = try #require(event.payload(genuine.kind))
        let real = try Payload(genuine.text())
        #expect(Payload.shape(made.header) == Payload.shape(real.header))
        let (simulated, recorded) = (Payload.shape(made.body), Payload.shape(real.body))
        let different = simulated.symmetricDifference(recorded).filter {
            Self.differences["\(genuine.file): \($0)"] == nil
        }
        #expect(different.sorted() == [])
        #expect(
            Payload.values(made.body, without: Self.changing) == Payload.values(real.body, without: Self.changing))

        for (first, second) in [("purchaseDate", "expiresDate"), ("recentSubscriptionStartDate", "renewalDate")] {
            #expect(made.span(first, second) == real.span(first, second), "\(first) to \(second)")
        }
    }

    @Test func `Identifiers have the length and the first digit of the sandbox's`() async throws {
        let events = try await Replay.events.value
        let body = try #require(events.first?.transaction?.body)
        let real = try #require(Fixtures.signedData.first { $0.kind == "transaction" })
        let recorded = try Payload(real.text()).body
        for name in ["transactionId", "originalTransactionId", "webOrderLineItemId", "appTransactionId"] {
            let (simulated, other) = (try #require(body[name]?.text), try #require(recorded[name]?.text))
            #expect(simulated.count == other.count, "\(name): \(simulated), \(other)")
            #expect(simulated.first == other.first, "\(name): \(simulated), \(other)")
        }
    }
}

extension Payload {
    /// Returns the milliseconds between two instants; nil if one of them is missing.
    fileprivate func span(_ first: String, _ second: String) -> Int64? {
        guard let start = body[first]?.integer, let end = body[second]?.integer else { return nil }
        return end - start
    }
}
