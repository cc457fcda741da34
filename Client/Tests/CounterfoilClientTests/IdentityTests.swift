import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

@Suite struct `Ownership of purchases` {
    @Test func `A purchase's account token is the customer's UUID or the one that the server names`() {
        var harness = Harness.launched()
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        #expect(harness.purchases.last?.appAccountToken == UUID(uuidString: anna))
        harness = .launched("anna")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        #expect(harness.purchases.last?.appAccountToken == nil)
        let named = UUID()
        harness.send(.statusesChanged)
        harness.gather()
        harness.answerAll { $0.appAccountToken = named }
        harness.send(.buy(call: 2, productID: "monthly", options: PurchaseOptions()))
        #expect(harness.purchases.last?.appAccountToken == named)
    }

    @Test func `The purchase intent is saved before StoreKit is called`() throws {
        var harness = Harness.launched("anna")
        let effects = harness.machine.handle(
            .buy(call: 1, productID: "monthly", options: PurchaseOptions()), at: harness.now, jitter: 1)
        let save = try #require(
            effects.firstIndex { if case .saveDevice(let d) = $0 { !d.intents.isEmpty } else { false } })
        let purchase = try #require(effects.firstIndex { if case .purchase = $0 { true } else { false } })
        #expect(save < purchase)
    }

    @Test func `A purchase approved days later belongs to the customer who asked for it, even after a restart`() {
        var harness = Harness.launched("anna")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.pending)))
        #expect(harness.outcomes[1]?.purchaseOutcome == .pending)
        harness.send(.signedIn(customer: "bert", token: "b"))
        harness.gather()
        harness.answerAll()
        harness.relaunch(after: 3 * day)
        harness.gather()
        harness.answerAll()
        harness.sent = []
        let approved = subscription(purchased: t0 + 3 * day, token: nil)
        harness.send(.updated(approved))
        #expect(harness.sent.isEmpty && harness.finished.isEmpty)
        #expect(harness.stuck == [1: .awaitingSignIn])
        #expect(harness.customer?.isActive("pro") == false)
        harness.send(.signedIn(customer: "anna", token: "a"))
        harness.gather(unfinished: [approved])
        let sent = harness.sent.first { $0.request.ids == [1] }?.request
        #expect(sent?.credential.customer == "anna")
        // It is reported as a purchase, so the policy decides as if it had been approved at once.
        #expect(sent?.report != nil && sent?.report?.restore == nil)
        harness.answerAll()
        #expect(harness.finished == [1])
    }

    @Test(arguments: [Ownership.familyShared, .assigned])
    func `A purchase of the family or an organisation does not wait for the customer who asked for the product`(
        _ ownership: Ownership
    ) {
        var harness = Harness.launched("carl")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.pending)))
        harness.send(.signedIn(customer: "dora", token: "token"))
        harness.gather()
        harness.answerAll()
        harness.pass(hour)
        var shared = subscription(purchased: t0 + hour, token: nil)
        shared.ownership = ownership
        harness.send(.updated(shared))
        #expect(harness.sent.last?.request.ids == [1] && harness.lastReport?.restore == false)
        harness.answerAll()
        #expect(harness.finished == [1] && harness.stuck.isEmpty)
        #expect(harness.device?.intents.map(\.customer) == ["carl"])
    }

    @Test func `Of two customers who asked for a product, the later one gets the purchase`() {
        var harness = Harness.launched("anna")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.pending)))
        harness.send(.signedIn(customer: "bert", token: "b"))
        harness.gather()
        harness.pass(60)
        harness.send(.buy(call: 2, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 2, .success(.pending)))
        harness.answerAll()
        harness.send(.updated(subscription(purchased: t0 + 120, token: nil)))
        #expect(harness.sent.last?.request.credential.customer == "bert")
        #expect(harness.sent.last?.request.ids == [1])
    }

    @Test func `An older purchase that is reported again does not consume a newer intent`() {
        var harness = Harness.launched("anna")
        harness.send(.updated(subscription(1, purchased: t0 - 60, token: nil)))
        harness.answerAll()
        // The device's clock is a little behind the App Store's.
        harness.pass(-120)
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.pending)))
        harness.send(.updated(subscription(1, purchased: t0 - 60, token: nil, signed: t0)))
        harness.answerAll()
        #expect(harness.device?.intents.count == 1)
    }

    @Test
    func `A purchase consumes one of two intents from the same instant`() {
        var harness = Harness.launched("anna")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.pending)))
        harness.send(.updated(subscription(1, purchased: t0, token: nil)))
        harness.send(.buy(call: 2, productID: "monthly", options: PurchaseOptions()))
        harness.answerAll()
        #expect(harness.device?.intents.count == 1)
        let second = subscription(2, purchased: t0, token: nil)
        harness.send(.bought(call: 2, .success(.success(second))))
        harness.fail(.noConnection)
        harness.send(.signedIn(customer: "bert", token: "b"))
        harness.gather(unfinished: [second])
        #expect(harness.stuck == [2: .awaitingSignIn])
        #expect(!harness.sent.contains { $0.request.credential.customer == "bert" && $0.request.ids.contains(2) })
    }

    @Test func `Purchases of a product by two customers are distinguished by StoreKit's results`() {
        var harness = Harness.launched("anna")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.signedIn(customer: "bert", token: "b"))
        harness.gather()
        harness.answerAll()
        let annas = subscription(1, purchased: t0 + 50, token: nil)
        harness.send(.bought(call: 1, .success(.success(annas))))
        harness.pass(50)
        harness.send(.buy(call: 2, productID: "monthly", options: PurchaseOptions()))
        harness.send(.updated(annas))
        #expect(harness.stuck == [1: .awaitingSignIn])
    }

    @Test func `Buying a purchase that waits for another customer is reported as stuck, and takes nothing`() {
        var harness = Harness.launched("anna")
        let annas = lifetime(token: nil)
        harness.send(.buy(call: 1, productID: "lifetime", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(annas))))
        harness.fail(.noConnection)
        harness.send(.signedIn(customer: "bert", token: "b"))
        harness.gather(unfinished: [annas])
        harness.answerAll()
        // StoreKit returns what the Apple Account owns.
        harness.send(.buy(call: 2, productID: "lifetime", options: PurchaseOptions()))
        harness.send(.bought(call: 2, .success(.success(annas))))
        #expect(harness.outcomes[2]?.confirmation == .stuck)
        #expect(harness.stuck == [5: .awaitingSignIn])
        harness.send(.signedIn(customer: "anna", token: "a"))
        harness.gather(unfinished: [annas])
        harness.answerAll()
        #expect(harness.finished == [5] && harness.device?.intents.isEmpty == true)
    }

    @Test func `Buying another customer's purchase leaves no intent that would block its owner`() {
        var harness = Harness.launched("bert")
        let annas = lifetime(token: nil)
        harness.send(.buy(call: 1, productID: "lifetime", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(annas))))
        harness.fail(BackendFailure(status: 409, code: "receipt_already_in_use"))
        harness.refuseAsInUse([5])
        #expect(harness.device?.intents.isEmpty == true)
        harness.send(.signedIn(customer: "anna", token: "a"))
        harness.gather(current: [annas])
        #expect(harness.sent.last?.request.ids == [5])
        harness.fail(.noConnection)
        #expect(harness.customer?.isActive("pro") == true)
    }

    @Test func `An intent expires after a month, and does not concern earlier purchases`() {
        var harness = Harness.launched("anna")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.pending)))
        harness.send(.signedIn(customer: "bert", token: "b"))
        harness.gather(current: [subscription(2, purchased: t0 - 20 * day, token: nil)])
        #expect(harness.sent.last?.request.ids == [2])
        harness.answerAll()
        harness.pass(31 * day)
        harness.send(.updated(subscription(purchased: t0 + 31 * day, token: nil)))
        #expect(harness.sent.last?.request.ids == [1])
    }

    @Test func `An intent survives a launch while the device's clock is ahead`() {
        var harness = Harness.launched("anna")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.pending)))
        harness.send(.signedIn(customer: "bert", token: "b"))
        harness.gather()
        harness.answerAll()
        harness.relaunch(after: 365 * day)
        harness.relaunch(after: -364 * day)
        harness.gather()
        harness.answerAll()
        harness.send(.updated(subscription(purchased: t0 + day, token: nil)))
        #expect(harness.stuck == [1: .awaitingSignIn])
    }

    @Test func `The intent of a cancelled purchase is kept for a day, because interrupted ones look the same`() {
        var harness = Harness.launched("anna")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.cancelled)))
        #expect(harness.outcomes[1]?.purchaseOutcome == .cancelled)
        #expect(harness.device?.intents.first?.expires == t0 + day)
    }

    @Test(arguments: [PurchaseClientError.Code.storeFailed, .productNotLoaded, .purchaseRefused])
    func `An intent is removed if no transaction can follow`(_ code: PurchaseClientError.Code) {
        var harness = Harness.launched("anna")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        #expect(harness.device?.intents.count == 1)
        harness.send(.bought(call: 1, .failure(PurchaseClientError(code, "no such product"))))
        #expect(harness.device?.intents.isEmpty == (code != .storeFailed))
    }

    @Test(arguments: ["anna", "bert"])
    func `A renewal consumes no intent, whoever is signed in`(_ customer: String) {
        var harness = Harness.launched("bert")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.cancelled)))
        if customer != "bert" { harness.send(.signedIn(customer: customer, token: "a")) }
        harness.gather()
        harness.answerAll()
        harness.send(.updated(subscription(2, purchased: t0 + 60, token: nil, isRenewal: true)))
        #expect(harness.sent.last?.request.ids == [2])
        #expect(harness.lastReport?.restore == false)
        harness.answerAll()
        #expect(harness.finished == [2])
        // Bert's purchase may have been interrupted, and may still arrive.
        #expect(harness.device?.intents.count == 1)
    }

    @Test func `A transaction signed for another customer is reported without restore`() {
        var harness = Harness.launched()
        harness.send(.updated(subscription(token: UUID(uuidString: bert))))
        #expect(harness.lastReport?.restore == false)
        harness.answerAll()
        #expect(harness.finished == [1])
        #expect(harness.customer?.isActive("pro") == false)
    }

    @Test func `Restore moves a purchase that waits for another customer`() {
        var harness = Harness.launched("anna")
        let bought = subscription(purchased: t0, token: nil)
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(bought))))
        harness.fail(.noConnection)
        harness.send(.signedIn(customer: "bert", token: "b"))
        harness.gather(unfinished: [bought])
        harness.answerAll()
        #expect(harness.stuck == [1: .awaitingSignIn])
        harness.send(.restore(call: 2))
        harness.send(.synced(call: 2, reachedAppStore: true))
        harness.gather(unfinished: [bought])
        #expect(harness.lastReport?.restore == true)
        #expect(harness.sent.last?.request.ids == [1])
        harness.answerAll()
        #expect(harness.finished == [1] && harness.stuck.isEmpty)
        #expect(harness.device?.intents.isEmpty == true)
    }
}
