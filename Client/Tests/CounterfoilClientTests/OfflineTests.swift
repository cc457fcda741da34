import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

@Suite struct `Offline operation` {
    /// A client with a signed-in customer and one answer of the server.
    func answered(_ change: (inout CustomerResponse) -> Void, device: [DeviceTransaction] = []) -> Harness {
        var harness = Harness.signedIn()
        harness.gather(current: device)
        harness.answerAll(change)
        return harness
    }

    @Test func `The server's answer counts until the entitlement ends`() {
        var harness = answered {
            $0.entitlements = [Entitlement(key: "pro", isActive: true, until: t0 + day)]
        }
        #expect(harness.customer?.isActive("pro") == true)
        harness.pass(day)
        harness.send(.timer(.readiness))
        #expect(harness.customer?.isActive("pro") == false)
        #expect(harness.customer?["pro"]?.details == ["expired"])
    }

    @Test func `After the cached entitlement has ended, the device's purchases count`() {
        var harness = answered(
            { $0.entitlements = [Entitlement(key: "pro", isActive: true, until: t0 + hour)] },
            device: [subscription(expires: t0 + 40 * day)])
        harness.pass(2 * hour)
        harness.send(.timer(.readiness))
        #expect(harness.customer?.isActive("pro") == true)
        #expect(harness.customer?["pro"]?.source == .device)
        #expect(harness.customer?["pro"]?.until == t0 + 40 * day)
    }

    @Test func `A new purchase counts before the device lists it`() {
        var harness = Harness.launched()
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(subscription(purchased: t0 + 1)))))
        harness.send(.statusesChanged)
        harness.gather(current: [])
        #expect(harness.customer?.isActive("pro") == true)
        #expect(harness.customer?.source == .device)
    }

    @Test func `An unfinished consumable does not disable the device's entitlements`() {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [coins()], current: [subscription()])
        harness.fail(.noConnection)
        #expect(harness.customer?.isActive("pro") == true)
        #expect(harness.customer?.source == .device)
    }

    @Test func `A recent negative answer overrides the device`() {
        var harness = answered(
            { $0.entitlements = [Entitlement(key: "pro", isActive: false)] },
            device: [subscription()])
        #expect(harness.customer?.isActive("pro") == false)
        harness.pass(26 * hour)
        harness.send(.timer(.readiness))
        #expect(harness.customer?.isActive("pro") == true)
    }

    @Test func `The server's answer counts if the device lacks a renewal`() {
        let harness = answered(
            { $0.entitlements = [Entitlement(key: "pro", isActive: true, until: t0 + 20 * day)] },
            device: [subscription(purchased: t0 - 40 * day, expires: t0 - 10 * day)])
        #expect(harness.customer?.isActive("pro") == true)
        #expect(harness.customer?.source == .server)
    }

    @Test func `A purchase of another customer is not granted without the server`() {
        var harness = Harness.signedIn("anna")
        harness.gather(unfinished: [lifetime(token: nil)], current: [lifetime(token: nil)])
        harness.answerAll {
            $0.kept = []
            $0.refused = [RefusedItem(id: "5", code: "receipt_already_in_use")]
        }
        harness.relaunch(after: 60 * day)
        harness.gather(current: [lifetime(token: nil)])
        harness.fail(.noConnection)
        #expect(harness.customer?.isActive("pro") == false)
    }

    @Test func `A purchase signed for another customer is not granted`() {
        var harness = Harness.signedIn()
        harness.gather(current: [lifetime(token: UUID(uuidString: bert))])
        harness.fail(.noConnection)
        #expect(harness.customer?.isActive("pro") == false)
    }

    @Test func `A non-renewing subscription lasts as long as the catalogue says, although StoreKit lists it forever`() {
        func granted(_ age: TimeInterval, _ productID: String = "season") -> Bool? {
            var harness = Harness.signedIn()
            harness.gather(current: [
                .unsigned(3, productID, .nonRenewing, purchased: t0 - age, token: UUID(uuidString: anna))
            ])
            harness.fail(.noConnection)
            return harness.customer?.isActive("season")
        }
        #expect(granted(29 * day) == true)
        #expect(granted(31 * day) == false)
        #expect(granted(day, "unknown") == false)
    }

    @Test(arguments: [
        subscription(revoked: t0 - 60), subscription(expires: t0 - 1),
        {
            var upgraded = subscription()
            upgraded.isUpgraded = true
            return upgraded
        }(), .unsigned(9, "lifetime", .consumable, purchased: t0 - hour, token: UUID(uuidString: anna)),
    ])
    func `A revoked, upgraded, consumed or expired transaction grants nothing`(_ transaction: DeviceTransaction) {
        var harness = Harness.signedIn()
        harness.gather(current: [transaction])
        harness.fail(.noConnection)
        #expect(harness.customer?.isActive("pro") == false)
    }

    @Test func `In a grace period the device grants access and asks to fix the payment`() {
        var harness = Harness.signedIn()
        let over = subscription(purchased: t0 - 31 * day, expires: t0 - day)
        harness.gather(current: [over], statuses: [status(over, .inGracePeriod)])
        harness.fail(.noConnection)
        #expect(harness.customer?.isActive("pro") == true)
        #expect(harness.customer?["pro"]?.until == t0 + 16 * day)
        #expect(harness.customer?.nextStep == .fixPayment)
        var retrying = Harness.signedIn()
        retrying.gather(current: [over], statuses: [status(over, .inBillingRetry)])
        retrying.fail(.noConnection)
        #expect(retrying.customer?.isActive("pro") == false)
    }

    @Test func `Setting the clock back does not extend access`() {
        var harness = answered {
            $0.entitlements = [Entitlement(key: "pro", isActive: true, until: t0 + day)]
        }
        harness.pass(2 * day)
        harness.send(.timer(.readiness))
        #expect(harness.customer?.isActive("pro") == false)
        harness.pass(-10 * day)
        harness.send(.timer(.readiness))
        #expect(harness.customer?.isActive("pro") == false)
        harness.send(.statusesChanged)
        harness.relaunch(after: 1)
        #expect(harness.customer?.isActive("pro") == false)
    }

    @Test(arguments: [2 * hour, 10 * day, 2 * year])
    func `After the clock was set back, access ends when its time has passed, also after a restart`(
        _ step: TimeInterval
    ) {
        var harness = answered {
            $0.entitlements = [Entitlement(key: "pro", isActive: true, until: t0 + day)]
        }
        harness.pass(2 * hour)
        harness.send(.timer(.readiness))
        harness.relaunch(after: -step)
        harness.pass(21 * hour)
        harness.send(.timer(.readiness))
        #expect(harness.customer?.isActive("pro") == true)
        harness.pass(2 * hour)
        harness.send(.timer(.readiness))
        #expect(harness.customer?.isActive("pro") == false)
    }

    @Test func `The time up to the last publication of an earlier version counts once`() {
        var harness = answered {
            $0.entitlements = [Entitlement(key: "pro", isActive: true, until: t0 + day)]
        }
        harness.pass(10 * hour)
        harness.send(.timer(.readiness))
        #expect(harness.record?.latest == t0 + 10 * hour)
        harness.record?.latestAt = nil
        harness.relaunch(after: 10 * hour)
        #expect(harness.customer?.isActive("pro") == true)
        harness.pass(5 * hour)
        harness.send(.timer(.readiness))
        #expect(harness.customer?.isActive("pro") == false)
    }

    @Test(arguments: [-5 * year, 5 * year])
    func `A device with a clock wrong by years follows the server`(_ error: TimeInterval) {
        var harness = Harness.signedIn()
        harness.now = t0 + error
        harness.gather()
        harness.answerAll {
            $0.asOf = t0
            $0.entitlements = [Entitlement(key: "pro", isActive: true, until: t0 + day)]
        }
        #expect(harness.customer?.isActive("pro") == true)
        harness.pass(25 * hour)
        harness.send(.timer(.readiness))
        #expect(harness.customer?.isActive("pro") == false)
    }

    @Test func `Without a customer nothing is granted, whatever the device has`() {
        var harness = Harness()
        harness.start()
        harness.send(.updated(lifetime()))
        #expect(harness.customer?.entitlements.isEmpty == true)
    }

    @Test func `An older answer that arrives later is ignored`() throws {
        var harness = Harness.signedIn()
        harness.gather(current: [lifetime()])
        let first = try #require(harness.open.keys.first)
        harness.send(.recorded(subscription()))
        let second = try #require(harness.open.keys.max())
        var newer = CustomerResponse(id: anna, asOf: t0 + 5)
        newer.kept = ["1"]
        newer.entitlements = [Entitlement(key: "pro", isActive: true)]
        harness.answer(second, newer)
        var older = CustomerResponse(id: anna, asOf: t0 + 1)
        older.kept = ["5"]
        harness.answer(first, older)
        #expect(harness.customer?.isActive("pro") == true)
        #expect(harness.customer?.asOf == t0 + 5)
    }

    @Test func `An older answer that arrives later is ignored, although its request was sent later`() throws {
        var harness = Harness.launched()
        harness.send(.recorded(subscription()))
        let first = try #require(harness.open.keys.first)
        // Another transaction is reported while the server processes the purchase.
        harness.send(.updated(lifetime()))
        let second = try #require(harness.open.keys.max())
        #expect(first < second)
        var newer = CustomerResponse(id: anna, asOf: t0 + 5)
        newer.kept = ["1"]
        newer.entitlements = [Entitlement(key: "pro", isActive: true)]
        harness.answer(first, newer)
        var older = CustomerResponse(id: anna, asOf: t0 + 1)
        older.kept = ["5"]
        harness.answer(second, older)
        #expect(harness.customer?.asOf == t0 + 5 && harness.customer?["pro"]?.source == .server)
        #expect(harness.finished == [1, 5])
    }

    @Test func `An answer of a server whose clock was set back counts`() {
        var harness = answered { $0.asOf = t0 + 10 * day }
        harness.send(.statusesChanged)
        harness.gather()
        harness.answerAll { $0.asOf = t0 }
        #expect(harness.customer?.asOf == t0)
    }

    @Test func `The most urgent next step is shown`() throws {
        let json = """
            {"id": "\(anna)", "as_of": 1750000000000, "entitlements": [], "consumables": [], "groups": [
              {"subscription_group_identifier": "1", "state": "inactive", "details": [],
               "is_eligible_for_introductory_offer": false, "next_step": "promotional_offer"},
              {"subscription_group_identifier": "2", "state": "active", "details": ["in_grace_period"],
               "is_eligible_for_introductory_offer": false, "next_step": "fix_payment"}]}
            """
        let answer = try CustomerResponse.decoder.decode(CustomerResponse.self, from: Data(json.utf8))
        let harness = answered { $0 = answer }
        #expect(harness.customer?.nextStep == .fixPayment)
    }
}
