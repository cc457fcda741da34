import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

/// A subscription changes its product when it renews.
extension `Offline operation` {
    private func signedIn() -> Harness {
        Harness.signedIn { $0.productEntitlements.append(ProductEntitlements("basic", ["basic"])) }
    }

    /// A renewal of `subscription()` as another product.
    private func basic(purchased: Date, expires: Date) -> DeviceTransaction {
        .unsigned(
            2, "basic", originalID: 1, purchased: purchased, expires: expires, token: UUID(uuidString: anna),
            isRenewal: true)
    }

    @Test func `A grace period extends only the latest period, not that of the former product`() {
        let former = subscription(purchased: t0 - 62 * day, expires: t0 - 31 * day)
        let latest = basic(purchased: t0 - 31 * day, expires: t0 - day)
        var harness = signedIn()
        harness.gather(current: [former, latest], statuses: [status(latest, .inGracePeriod)])
        harness.fail(.noConnection)
        #expect(harness.customer?.isActive("basic") == true)
        #expect(harness.customer?.isActive("pro") == false)
    }

    @Test func `A renewal that was charged ahead changes the product when its period begins`() {
        let end = t0 + 12 * hour
        var harness = signedIn()
        harness.gather(current: [basic(purchased: end, expires: end + 30 * day)])
        harness.answerAll {
            $0.entitlements = [
                Entitlement(key: "basic", isActive: false), Entitlement(key: "pro", isActive: true, until: end),
            ]
        }
        #expect(harness.customer?.isActive("basic") == false)
        #expect(harness.customer?.isActive("pro") == true)
        harness.pass(12 * hour)
        harness.send(.timer(.readiness))
        #expect(harness.customer?.isActive("basic") == true)
        #expect(harness.customer?.isActive("pro") == false)
    }

    @Test func `After an old response a renewal that was charged ahead counts, because the device may list no other`() {
        var harness = answered { $0.entitlements = [Entitlement(key: "pro", isActive: false)] }
        harness.pass(26 * hour)
        let begin = harness.now + hour
        harness.send(
            .updated(subscription(2, purchased: begin, expires: begin + 30 * day, signed: t0 + day, isRenewal: true)))
        #expect(harness.customer?.isActive("pro") == true)
    }
}
