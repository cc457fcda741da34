import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite(.enabled(if: Fixtures.hasSignedData, "\(Fixtures.absence)"))
struct `The shape of genuine data` {
    /// What the simulator writes otherwise than the App Store, and why: `FILE: member` with a reason. None so far.
    private static let differences: [String: String] = [:]

    /// What is another one each time: identifiers and instants.
    private static let changing: Set<String> = [
        "notificationUUID", "signedDate", "signedTransactionInfo", "signedRenewalInfo", "transactionId",
        "originalTransactionId", "webOrderLineItemId", "appTransactionId", "purchaseDate", "originalPurchaseDate",
        "expiresDate", "renewalDate", "recentSubscriptionStartDate",
    ]

    private static var story: [GenuineJWS] {
        Fixtures.signedData.filter { $0.kind == "notification" && $0.type != "TEST" }
            .sorted { $0.signedDate < $1.signedDate }
    }

    @Test func `the same commands cause the same notifications in the same order`() async throws {
        let events = try await Replay.events.value
        #expect(events.map(\.type) == Self.story.map(\.type))
        #expect(Fixtures.signedData.count == 22)
    }

    @Test(arguments: Fixtures.signedData)
    func `each genuine payload has its counterpart: header, members, types and values are the same`(
        _ genuine: GenuineJWS
    ) async throws {
        let event: Replay.Event
        if genuine.type == "TEST" {
            event = try #require(try await Replay.test.value.first)
        } else {
            // A transaction and a renewal belong to the notification that was signed at the same instant.
            let index = try #require(Self.story.firstIndex { $0.signedDate == genuine.signedDate })
            let events = try await Replay.events.value
            event = try #require(events.indices.contains(index) ? events[index] : nil)
        }
        let made = try #require(event.payload(genuine.kind))
        let real = try Payload(genuine.text())
        #expect(Payload.shape(made.header) == Payload.shape(real.header))
        let (mine, theirs) = (Payload.shape(made.body), Payload.shape(real.body))
        let unlike = mine.symmetricDifference(theirs).filter { Self.differences["\(genuine.file): \($0)"] == nil }
        #expect(unlike.sorted() == [])
        #expect(
            Payload.values(made.body, without: Self.changing) == Payload.values(real.body, without: Self.changing))

        for (first, second) in [("purchaseDate", "expiresDate"), ("recentSubscriptionStartDate", "renewalDate")] {
            #expect(made.span(first, second) == real.span(first, second), "\(first) to \(second)")
        }
    }

    @Test func `identifiers look like the sandbox's`() async throws {
        let events = try await Replay.events.value
        let body = try #require(events.first?.transaction?.body)
        let real = try #require(Fixtures.signedData.first { $0.kind == "transaction" })
        let theirs = try Payload(real.text()).body
        for name in ["transactionId", "originalTransactionId", "webOrderLineItemId", "appTransactionId"] {
            let (mine, other) = (try #require(body[name]?.text), try #require(theirs[name]?.text))
            #expect(mine.count == other.count, "\(name): \(mine), \(other)")
            #expect(mine.first == other.first, "\(name): \(mine), \(other)")
        }
    }
}

extension Payload {
    /// The milliseconds between two instants; nil unless both are there.
    fileprivate func span(_ first: String, _ second: String) -> Int64? {
        guard let start = body[first]?.integer, let end = body[second]?.integer else { return nil }
        return end - start
    }
}
