import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

/// Refunds, their reversal and other ends of access that an update reports.
extension `Offline operation` {
    @Test func `A revocation in an update counts at once, against device and server`() {
        var harness = answered(
            {
                var entitlement = Entitlement(key: "pro", isActive: true, until: t0 + 30 * day)
                entitlement.originalTransactionID = "1"
                $0.entitlements = [entitlement]
            }, device: [subscription()])
        #expect(harness.customer?.isActive("pro") == true)
        harness.pass(60)
        harness.send(.updated(subscription(revoked: t0 + 30, signed: t0 + 30)))
        #expect(harness.customer?.isActive("pro") == false)
        #expect(harness.customer?["pro"]?.details == ["revoked"])
        harness.fail(.noConnection)
        harness.pass(30 * hour)
        harness.send(.foreground)
        harness.gather(current: [subscription()])
        #expect(harness.customer?.isActive("pro") == false)
    }

    @Test(arguments: [true, false])
    func `A reversed refund stays reversed when the refund's update is repeated`(hasAnswer: Bool) {
        func text(revoked: Date? = nil, signed: Date) -> DeviceTransaction {
            .unsigned(
                5, "lifetime", .nonConsumable, purchased: t0 - hour, revoked: revoked, token: UUID(uuidString: anna),
                signed: signed)
        }
        var harness = Harness.signedIn()
        harness.gather(current: [text(signed: t0 - hour)])
        if hasAnswer { harness.answerAll { $0.entitlements = [unlocked] } }
        #expect(harness.customer?.isActive("pro") == true)
        let (refund, reversal) = (text(revoked: t0 + 10, signed: t0 + 10), text(signed: t0 + 20))
        harness.send(.updated(refund))
        #expect(harness.customer?.isActive("pro") == false)
        harness.send(.updated(reversal))
        #expect(harness.customer?.isActive("pro") == true)
        harness.send(.updated(refund))
        #expect(harness.customer?.isActive("pro") == true)
        // A response from before the refund.
        harness.answerAll {
            $0.asOf = t0
            $0.entitlements = [unlocked]
        }
        #expect(harness.customer?["pro"]?.source == .server)
    }

    /// What the server says of `lifetime()`.
    private var unlocked: Entitlement {
        var entitlement = Entitlement(key: "pro", isActive: true)
        entitlement.originalTransactionID = "5"
        return entitlement
    }

    private var refund: DeviceTransaction {
        var refund = lifetime()
        (refund.revocationDate, refund.signedDate) = (t0 + 10, t0 + 10)
        return refund
    }

    @Test func `A refunded unlock stays inactive after a restart without the server`() {
        var harness = answered({ $0.entitlements = [unlocked] }, device: [lifetime()])
        harness.pass(60)
        harness.send(.updated(refund))
        harness.fail(.noConnection)
        harness.relaunch(after: hour)
        harness.gather()
        harness.fail(.noConnection)
        #expect(harness.customer?["pro"]?.details == ["revoked"])
        #expect(harness.customer?.isActive("pro") == false)
    }

    @Test func `After a refund another purchase with the same entitlement counts without the server`() {
        var harness = answered({ $0.entitlements = [unlocked] }, device: [lifetime(), subscription()])
        harness.pass(60)
        harness.send(.updated(refund))
        #expect(harness.customer?.isActive("pro") == true)
        #expect(harness.customer?["pro"]?.productID == "monthly")
    }

    /// The first period of a subscription for id 1, otherwise the second.
    private func period(_ id: UInt64, revoked: Date? = nil) -> DeviceTransaction {
        let purchased = id == 1 ? t0 - 31 * day : t0 - day
        return subscription(
            id, purchased: purchased, expires: purchased + 30 * day, revoked: revoked, signed: revoked)
    }

    @Test(arguments: [(5, false), (1, true)] as [(UInt64, Bool)])
    func `Without the server, a refund ends access only if it concerns the current period`(
        _ refunded: UInt64, _ isActive: Bool
    ) {
        let current = period(5)
        var harness = answered(
            {
                var entitlement = Entitlement(key: "pro", isActive: true, until: current.expirationDate)
                entitlement.originalTransactionID = "1"
                $0.entitlements = [entitlement]
            }, device: [current])
        harness.pass(60)
        harness.send(.updated(period(refunded, revoked: t0 + 30)))
        harness.fail(.noConnection)
        #expect(harness.customer?.isActive("pro") == isActive)
        #expect(harness.customer?["pro"]?.source == .server)
    }

    @Test(arguments: [false, true])
    func `Without the server, a refund of a renewal that has not begun leaves access until then`(_ both: Bool) {
        let end = t0 + hour
        var harness = answered {
            var entitlement = Entitlement(key: "pro", isActive: true, until: end + 30 * day)
            entitlement.originalTransactionID = "1"
            $0.entitlements = [entitlement]
        }
        harness.pass(60)
        if both {
            harness.send(.updated(subscription(expires: end, revoked: t0 + 30, signed: t0 + 30)))
            #expect(harness.customer?.isActive("pro") == true)
        }
        let renewal = subscription(
            2, purchased: end, expires: end + 30 * day, revoked: t0 + 30, signed: t0 + 30, isRenewal: true)
        harness.send(.updated(renewal))
        harness.fail(.noConnection)
        #expect(harness.customer?.isActive("pro") == !both)
        #expect(harness.customer?["pro"]?.until == (both ? t0 : end))
        harness.pass(hour)
        harness.send(.timer(.readiness))
        #expect(harness.customer?.isActive("pro") == false)
        #expect(harness.customer?["pro"]?.details == [both ? "revoked" : "expired"])
    }
}
