import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

@Suite struct `App launch` {
    @Test func `A launch sends everything in one report without restore`() throws {
        var harness = Harness.signedIn()
        #expect(harness.sent.isEmpty)
        harness.gather(
            unfinished: [coins()], current: [subscription()], all: [subscription(), lifetime()],
            statuses: [status(subscription())])
        #expect(harness.sent.count == 1)
        let foundLastReport = harness.lastReport
        let report = try #require(foundLastReport)
        #expect(report.restore == false)
        #expect(Set(harness.sent[0].request.ids) == [1, 5, 7])
        #expect(report.signedRenewals == ["renewal-1"])
        #expect(report.appTransaction == "e30.e30.e30")
        #expect(report.environment == "Sandbox")
    }

    @Test func `A launch without purchases sends an empty list and the app transaction`() throws {
        var harness = Harness.signedIn()
        harness.gather()
        let foundLastReport = harness.lastReport
        let report = try #require(foundLastReport)
        #expect(report.signedTransactions.isEmpty && report.appTransaction != nil)
    }

    @Test func `A second launch without changes fetches the customer only if the answer is old`() {
        var harness = Harness.signedIn()
        let list = [subscription()]
        harness.gather(current: list, statuses: [status(subscription())])
        harness.answerAll()
        harness.relaunch(after: 60)
        harness.gather(current: list, statuses: [status(subscription())])
        #expect(harness.sent.isEmpty)
        harness.relaunch(after: 6 * 60)
        harness.gather(current: list, statuses: [status(subscription())])
        #expect(harness.sent.count == 1 && harness.sent.first?.request.isFetch == true)
    }

    @Test func `Transactions are reported again after a day`() {
        var harness = Harness.signedIn()
        harness.gather(current: [subscription()])
        harness.answerAll()
        harness.relaunch(after: day)
        harness.gather(current: [subscription()])
        #expect(harness.sent.last?.request.ids == [1])
        #expect(harness.lastReport?.appTransaction != nil)
    }

    @Test func `A newer transaction or renewal info is reported`() {
        var harness = Harness.signedIn()
        harness.gather(current: [subscription()], statuses: [status(subscription())])
        harness.answerAll()
        harness.relaunch(after: 60)
        harness.gather(
            current: [subscription(signed: t0 + 50)], statuses: [status(subscription(), signed: t0 + 50)])
        #expect(harness.sent.first?.request.ids == [1])
        #expect(harness.lastReport?.signedRenewals == ["renewal-1"])
        harness.answerAll()
        harness.relaunch(after: 60)
        harness.gather(current: [subscription(signed: t0 + 50)], statuses: [status(subscription(), signed: t0 + 50)])
        #expect(harness.sent.isEmpty)
    }

    /// A client whose server knows a purchase, an hour after the report. It has requested the customer again.
    private static func reported() -> Harness {
        var harness = Harness.signedIn()
        harness.gather(current: [lifetime()], all: [lifetime(), subscription()])
        harness.answerAll {
            var entitlement = Entitlement(key: "pro", isActive: true)
            entitlement.originalTransactionID = "5"
            $0.entitlements = [entitlement]
        }
        harness.relaunch(after: hour)
        harness.gather(current: [lifetime()])
        return harness
    }

    @Test func `Everything is reported again, once, if the server no longer knows a purchase`() {
        var harness = Self.reported()
        #expect(harness.sent.map(\.request.isFetch) == [true])
        // The server was restored from a backup.
        harness.answerAll { $0.entitlements = [Entitlement(key: "pro", isActive: false)] }
        harness.gather(current: [lifetime()], all: [lifetime(), subscription()])
        #expect(harness.sent.last?.request.ids == [1, 5])
        #expect(harness.lastReport?.appTransaction != nil && harness.lastReport?.restore == false)
        // The response to the report still lacks the purchase, for example because another customer has restored it.
        harness.answerAll()
        #expect(harness.sent.count == 2 && harness.gathers.isEmpty)
        harness.pass(6 * 60)
        harness.send(.foreground)
        harness.gather(current: [lifetime()])
        #expect(harness.sent.map(\.request.isFetch) == [true, false, true])
    }

    @Test(arguments: [(0, true), (1, true), (2, false), (3, false)])
    func `Everything is reported again if the server knows fewer consumables`(_ quantity: Int, _ isLost: Bool) throws {
        func totals(_ quantity: Int) throws -> [ConsumableTotals] {
            let text = #"[{"product_id": "coins", "quantity": \#(quantity), "revoked_quantity": 0}]"#
            return try CustomerResponse.decoder.decode([ConsumableTotals].self, from: Data(text.utf8))
        }
        let (before, after) = try (totals(2), quantity == 0 ? [] : totals(quantity))
        var harness = Harness.signedIn(anna) { $0.deliver = { _, _ in } }
        harness.gather(all: [coins(7), coins(8)])
        harness.answerAll { $0.consumables = before }
        harness.relaunch(after: hour) { $0.deliver = { _, _ in } }
        harness.gather()
        harness.answerAll { $0.consumables = after }
        #expect(harness.gathers.isEmpty != isLost)
        // StoreKit lists finished consumables if the app's Info.plist requests it.
        harness.gather(all: [coins(7), coins(8)])
        #expect(harness.sent.last?.request.ids == (isLost ? [7, 8] : []))
        harness.answerAll { $0.consumables = before }
        #expect(harness.delivered.isEmpty && harness.finished.isEmpty)
    }

    @Test func `Purchases that end or that are of another environment are not reported again`() {
        var harness = Self.reported()
        harness.answerAll {
            var entitlement = Entitlement(key: "pro", isActive: false)
            entitlement.originalTransactionID = "5"
            $0.entitlements = [entitlement]
        }
        #expect(harness.gathers.isEmpty && harness.sent.count == 1)
        harness.send(.updated(subscription(2, environment: "Production")))
        harness.answerAll()
        #expect(harness.sent.map(\.request.environment) == ["Sandbox", "Production"] && harness.gathers.isEmpty)
    }

    @Test func `After a change from TestFlight to the App Store, only what was bought in production counts`() {
        func appTransaction(_ environment: String) -> String {
            "e30.\(Data(#"{"receiptType": "\#(environment)"}"#.utf8).base64EncodedString()).e30"
        }
        var harness = Harness.signedIn()
        harness.gather(appTransaction: appTransaction("Sandbox"))
        harness.answerAll { $0.entitlements = [Entitlement(key: "pro", isActive: true)] }
        #expect(harness.record?.answer?.environment == "Sandbox")
        harness.relaunch(after: hour)
        #expect(harness.customer?.isActive("pro") == true)
        harness.gather(appTransaction: appTransaction("Production"))
        // Purchases in TestFlight are free. They do not count without a server either.
        #expect(harness.customer?.isActive("pro") == false && harness.record?.answer == nil)
        #expect(harness.lastReport?.environment == "Production")
        harness.answerAll()
        #expect(harness.record?.answer?.environment == "Production")
        harness.relaunch(after: hour)
        harness.gather(appTransaction: appTransaction("Production"))
        #expect(harness.sent.map(\.request.isFetch) == [true])
    }

    @Test func `The whole history is sent once per installation`() {
        var harness = Harness.signedIn()
        #expect(harness.gathers.contains { $0.name == .all })
        harness.gather(all: [lifetime()])
        harness.answerAll()
        harness.relaunch(after: 6 * 60)
        #expect(!harness.gathers.contains { $0.name == .all })
    }

    @Test func `The whole history is sent again if the server did not receive it`() {
        var harness = Harness.signedIn()
        harness.gather(all: [lifetime()])
        harness.fail(.noConnection)
        harness.relaunch(after: 60)
        #expect(harness.gathers.contains { $0.name == .all })
    }

    @Test func `A system without app transactions sends its receipt once`() {
        let receipt = Data("receipt".utf8)
        var harness = Harness.signedIn()
        harness.gather(appTransaction: nil, receipt: receipt)
        #expect(harness.lastReport?.receipt == receipt)
        harness.answerAll()
        harness.relaunch(after: 60)
        harness.gather(current: [subscription()], appTransaction: nil, receipt: receipt)
        #expect(harness.sent.count == 1 && harness.lastReport?.receipt == nil)
    }

    @Test func `A receipt waits while another customer's purchase is pending, unless the customer restores`() {
        var harness = Harness.launched(bert)
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.pending)))
        harness.send(.signedIn(customer: anna, token: "token"))
        harness.gather(appTransaction: nil, receipt: Data("receipt".utf8))
        #expect(harness.open.values.allSatisfy { $0.report?.receipt == nil })
        harness.answerAll()
        #expect(harness.record?.wasReceiptSent == false)
        harness.send(.restore(call: 2))
        harness.send(.synced(call: 2, reachedAppStore: true))
        harness.gather(appTransaction: nil, receipt: Data("receipt".utf8))
        #expect(harness.lastReport?.receipt != nil)
        harness.answerAll()
        // Bert's purchase was approved and he signed in for it, or his intent has expired after a month.
        harness.relaunch(after: 31 * day)
        harness.send(.signedOut(fresh: UUID()))
        harness.send(.signedIn(customer: anna, token: "token"))
        harness.gather(appTransaction: nil, receipt: Data("receipt".utf8))
        #expect(harness.lastReport?.receipt != nil)
    }

    @Test(
        arguments: [
            ("ProductionSandbox", "Sandbox"), ("ProductionVPPSandbox", "Sandbox"), ("Production", nil),
            ("ProductionVPP", nil),
        ] as [(String, String?)])
    func `A receipt names the environment of a report without transactions`(_ kind: String, _ environment: String?) {
        var harness = Harness.signedIn()
        harness.gather(appTransaction: nil, receipt: Data([4, 0x1F, 0xFF, 0x0C]) + Data(kind.utf8) + Data([0]))
        #expect(harness.lastReport?.receipt != nil && harness.lastReport?.environment == environment)
        harness.answerAll()
        let answered = environment ?? "Production"
        #expect(harness.record?.answer?.environment == answered)
    }

    @Test func `A receipt that was not delivered is sent again`() {
        let receipt = Data("receipt".utf8)
        var harness = Harness.signedIn()
        harness.gather(appTransaction: nil, receipt: receipt)
        harness.fail(.noConnection)
        harness.fire(.retry)
        #expect(harness.lastReport?.receipt == receipt)
    }

    @Test func `A device that does not answer delays the report for two seconds, and late answers follow`() throws {
        var harness = Harness.signedIn()
        harness.gather(current: [subscription()], without: [.unfinished, .statuses])
        #expect(harness.sent.isEmpty)
        let timer = try #require(harness.timers.keys.first { if case .gathering = $0 { true } else { false } })
        #expect(harness.timers[timer] == 2)
        harness.fire(timer)
        #expect(harness.sent.last?.request.ids == [1])
        harness.answerAll()
        guard case .gathering(let id) = timer else { return }
        harness.send(.gathered(id, .unfinished([coins()])))
        #expect(harness.sent.last?.request.ids == [7])
        harness.answerAll()
        #expect(harness.finished == [7])
    }
}
