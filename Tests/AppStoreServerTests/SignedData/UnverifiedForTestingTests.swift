import AppStoreServer
import Foundation
import TestSupport
import Testing

@Suite struct `Values that nobody verified` {
    private static let payload = JWSTransactionDecodedPayload(
        transactionId: "2", originalTransactionId: "1", bundleId: TestStore.bundleId, productId: "pro.month",
        purchaseDate: TestStore.now, originalPurchaseDate: TestStore.now, quantity: 1, type: .autoRenewableSubscription,
        inAppOwnershipType: .purchased, signedDate: TestStore.now, environment: .production)

    @Test func `A test can pass a payload of its own to a function that takes a verified one`() {
        func subscription(_ transaction: Verified<JWSTransactionDecodedPayload>) -> String {
            transaction.payload.originalTransactionId
        }
        #expect(subscription(Verified(unverifiedForTesting: Self.payload)) == "1")
    }

    @Test func `A value for a test does not claim a verification, and its text verifies nowhere`() async throws {
        let value = Verified(unverifiedForTesting: Self.payload)
        #expect(value.trace == .unverified)
        #expect(value.trace.anchor == "unverified" && value.trace.certificates.isEmpty)
        #expect(value.trace.revocation.status == .notChecked)
        let verifier = try TestStore.verifier()
        await #expect(throws: VerificationError(.malformedCompactForm, "")) {
            _ = try await verifier.transaction(value.text)
        }
    }

    @Test func `Contents of notifications are equal if payloads, texts and traces are equal`() {
        let trace = VerificationTrace(anchor: "Apple Root CA - G3", validatedAt: TestStore.now)
        let one = Verified(unverifiedForTesting: Self.payload, text: "a.b.c", trace: trace)
        let same = Verified(unverifiedForTesting: Self.payload, text: "a.b.c", trace: trace)
        let other = Verified(unverifiedForTesting: Self.payload, text: "a.b.d", trace: trace)
        #expect(NotificationContent.purchase(one, renewal: nil) == .purchase(same, renewal: nil))
        #expect(NotificationContent.purchase(one, renewal: nil) != .purchase(other, renewal: nil))
        #expect(Set([one, same, other]).count == 2)
    }
}
