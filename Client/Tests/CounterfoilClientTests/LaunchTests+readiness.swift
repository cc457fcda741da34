import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

// When the client is ready, and when it fetches the customer again.
extension `App launch` {
    @Test func `The client is ready after the server's answer`() {
        var harness = Harness.signedIn()
        #expect(harness.customer?.readiness == .checking)
        harness.gather()
        #expect(harness.customer?.readiness == .checking)
        harness.answerAll()
        #expect(harness.customer?.readiness == .ready)
        #expect(harness.timers[.readiness] == nil)
    }

    @Test func `The client is ready after two seconds at most`() {
        var harness = Harness.signedIn()
        #expect(harness.timers[.readiness] == 2)
        harness.gather()
        harness.fire(.readiness)
        #expect(harness.customer?.readiness == .ready)
    }

    @Test func `The client is ready after a server failure`() {
        var harness = Harness.signedIn()
        harness.gather()
        harness.fail(.noConnection)
        #expect(harness.customer?.readiness == .ready)
    }

    @Test(arguments: [(24.0, true), (26.0, false)])
    func `A cached answer is shown at launch, and makes the client ready for 25 hours`(_ hours: Double, _ isValid: Bool)
    {
        var harness = Harness.signedIn()
        harness.gather()
        harness.answerAll {
            $0.entitlements = [Entitlement(key: "pro", isActive: true, until: t0 + 30 * day)]
        }
        harness.relaunch(after: hours * hour)
        #expect(harness.customer?.isActive("pro") == true)
        #expect(harness.customer?.source == .cache)
        #expect(harness.customer?.readiness == (isValid ? .ready : .checking))
        harness.gather()
        harness.answerAll { $0.entitlements = [Entitlement(key: "pro", isActive: true, until: t0 + 30 * day)] }
        #expect(harness.customer?.source == .server)
    }

    @Test func `Without a customer the client is ready at once and sends nothing`() {
        var harness = Harness()
        harness.start()
        harness.send(.updated(subscription()))
        harness.send(.foreground)
        #expect(harness.customer?.readiness == .ready)
        #expect(harness.customer?.id == nil)
        #expect(harness.sent.isEmpty && harness.gathers.isEmpty && harness.finished.isEmpty)
    }

    @Test func `In the foreground the customer is fetched again after five minutes`() {
        var harness = Harness.launched()
        harness.pass(4 * 60)
        harness.send(.foreground)
        #expect(harness.gathers.isEmpty)
        harness.pass(2 * 60)
        harness.send(.foreground)
        harness.gather()
        #expect(harness.sent.last?.request.isFetch == true)
    }

    @Test func `A changed status is reported, and otherwise the customer is fetched`() {
        var harness = Harness.launched()
        harness.send(.statusesChanged)
        harness.gather(statuses: [status(subscription(), signed: t0 + 5)])
        #expect(harness.lastReport?.signedRenewals == ["renewal-1"])
        harness.answerAll()
        harness.send(.statusesChanged)
        harness.gather(statuses: [status(subscription(), signed: t0 + 5)])
        #expect(harness.sent.last?.request.isFetch == true)
    }

    @Test func `A status change while the device is read causes another reading`() {
        var harness = Harness.signedIn()
        harness.send(.statusesChanged)
        let first = harness.gathers
        harness.gathers = []
        for (id, name) in first where name != .statuses {
            harness.send(.gathered(id, .nothing(of: name)))
        }
        #expect(harness.gathers.isEmpty)
        for (id, name) in first where name == .statuses { harness.send(.gathered(id, .statuses([]))) }
        #expect(harness.gathers.count == first.count)
        harness.gather(statuses: [status(subscription(), signed: t0 + 5)])
        harness.answerAll()
        #expect(harness.sent.contains { $0.request.report?.signedRenewals == ["renewal-1"] })
    }

    @Test func `A launch at which the same customer signs in again reads the device once`() {
        var harness = Harness.launched()
        harness.relaunch(after: hour)
        harness.send(.signedIn(customer: anna, token: "new"))
        let reading = harness.gathers
        harness.gathers = []
        for (id, name) in reading { harness.send(.gathered(id, .nothing(of: name))) }
        #expect(harness.gathers.isEmpty)
        #expect(harness.sent.map(\.request.isFetch) == [true])
        #expect(harness.sent.map(\.request.credential.token) == ["new"])
    }

    @Test func `In the foreground the device is read again, also if an earlier reading has not ended`() {
        var harness = Harness.launched()
        harness.relaunch(after: hour)
        let reading = harness.gathers
        harness.gathers = []
        // The app was suspended meanwhile.
        harness.pass(6 * 60)
        harness.send(.foreground)
        for (id, name) in reading { harness.send(.gathered(id, .nothing(of: name))) }
        #expect(!harness.gathers.isEmpty)
    }

    @Test(arguments: [true, false])
    func `A status that changes while the customer is fetched causes another fetch`(isReadFirst: Bool) {
        var harness = Harness.launched()
        harness.send(.statusesChanged)
        harness.gather()
        #expect(harness.sent.map(\.request.isFetch) == [true])
        harness.send(.statusesChanged)
        if isReadFirst { harness.gather() }
        // The server may have sent the first response before the change.
        harness.answerAll()
        harness.gather()
        harness.answerAll()
        #expect(harness.sent.map(\.request.isFetch) == [true, true])
        #expect(harness.gathers.isEmpty)
    }

    @Test func `The customer is fetched again when an entitlement ends`() {
        var harness = Harness.launched()
        harness.send(.statusesChanged)
        harness.gather()
        harness.answerAll { $0.entitlements = [Entitlement(key: "pro", isActive: true, until: t0 + hour)] }
        #expect(harness.timers[.entitlementEnd] == hour)
        harness.fire(.entitlementEnd)
        #expect(harness.customer?.isActive("pro") == false)
        harness.gather()
        #expect(harness.sent.last?.request.isFetch == true)
    }

    @Test func `In the foreground the timer for an entitlement's end is set again, because timers stop during sleep`() {
        var harness = Harness.launched()
        harness.send(.statusesChanged)
        harness.gather()
        harness.answerAll { $0.entitlements = [Entitlement(key: "pro", isActive: true, until: t0 + 10 * hour)] }
        #expect(harness.timers[.entitlementEnd] == 10 * hour)
        harness.pass(8 * hour)
        harness.send(.foreground)
        #expect(harness.timers[.entitlementEnd] == 2 * hour)
    }

    @Test func `The timer for an entitlement's end follows the time of each answer`() {
        var harness = Harness.launched()
        for ahead in [0, hour] {
            harness.send(.statusesChanged)
            harness.gather()
            harness.answerAll {
                $0.asOf = t0 + ahead
                $0.entitlements = [Entitlement(key: "pro", isActive: true, until: t0 + 10 * hour)]
            }
            #expect(harness.timers[.entitlementEnd] == 10 * hour - ahead)
        }
    }

    @Test func `A timer that fires early fetches nothing`() {
        var harness = Harness.launched()
        harness.send(.statusesChanged)
        harness.gather()
        harness.answerAll { $0.entitlements = [Entitlement(key: "pro", isActive: true, until: t0 + 3 * day)] }
        harness.pass(day)
        harness.timers[.entitlementEnd] = nil
        harness.send(.timer(.entitlementEnd))
        #expect(harness.gathers.isEmpty)
        #expect(harness.timers[.entitlementEnd] == 2 * day)
    }
}
