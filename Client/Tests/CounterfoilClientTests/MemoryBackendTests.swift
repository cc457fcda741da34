import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Testing

@Suite struct `A backend in memory` {
    @Test func `Of two versions of a transaction the one that was signed later counts, in any order`() async throws {
        let backend = MemoryBackend([ProductEntitlements("monthly", ["pro"])], scheduler: ManualScheduler(t0))
        let refunded = subscription(revoked: t0, signed: t0)
        var report = PurchaseReport()
        for (version, isActive) in [(subscription(), true), (refunded, false), (subscription(), false)] {
            report.signedTransactions = [version.jws]
            let answer = try await backend.report(report, for: CustomerCredential(customer: anna, token: nil))
            #expect(answer.kept == ["1"] && answer.entitlements.map(\.isActive) == [isActive])
        }
    }
}
