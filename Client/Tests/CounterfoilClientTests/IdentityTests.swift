import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

@Suite struct `Whose a purchase is` {
    @Test func `The account token is the customer's UUID, or the one that the server names, and no other`() {
        var harness = Harness.settled()
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        #expect(harness.purchases.last?.appAccountToken == UUID(uuidString: anna))
        harness = .settled("anna")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        #expect(harness.purchases.last?.appAccountToken == nil)
        let named = UUID()
        harness.send(.statusesChanged)
        harness.gather()
        harness.answerAll { $0.appAccountToken = named }
        harness.send(.buy(call: 2, productID: "monthly", options: PurchaseOptions()))
        #expect(harness.purchases.last?.appAccountToken == named)
    }

    @Test func `Who buys is saved before StoreKit is asked`() throws {
        var harness = Harness.settled("anna")
        let effects = harness.machine.handle(
            .buy(call: 1, productID: "monthly", options: PurchaseOptions()), at: harness.now, jitter: 1)
        let save = try #require(
            effects.firstIndex { if case .saveDevice(let d) = $0 { !d.intents.isEmpty } else { false } })
        let purchase = try #require(effects.firstIndex { if case .purchase = $0 { true } else { false } })
        #expect(save < purchase)
    }

    @Test func `A purchase that is approved days later is theirs who asked, also after a restart`() {
        var harness = Harness.settled("anna")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.pending)))
        guard case .purchase(.pending)? = harness.outcomes[1] else { return #expect(Bool(false)) as Void }
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
        #expect(harness.stuck == [1: .waitsForCustomer])
        #expect(harness.customer?.isActive("pro") == false)
        harness.send(.signedIn(customer: "anna", token: "a"))
        harness.gather(unfinished: [approved])
        let sent = harness.sent.first { $0.request.ids == [1] }?.request
        #expect(sent?.credential.customer == "anna")
        // It is a purchase: the policy decides, as if it had come at once.
        #expect(sent?.report != nil && sent?.report?.restore == nil)
        harness.answerAll()
        #expect(harness.finished == [1])
    }

    @Test func `Of two who asked for a product the later one has it`() {
        var harness = Harness.settled("anna")
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

    @Test func `An older purchase that is reported again does not use up what was started since`() {
        var harness = Harness.settled("anna")
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
    func `A purchase uses up one of two that were started at the same instant, and leaves the other its customer`() {
        var harness = Harness.settled("anna")
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
        #expect(harness.stuck == [2: .waitsForCustomer])
        #expect(!harness.sent.contains { $0.request.credential.customer == "bert" && $0.request.ids.contains(2) })
    }

    @Test func `Two who bought a product one after the other are told apart by what StoreKit returned`() {
        var harness = Harness.settled("anna")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.signedIn(customer: "bert", token: "b"))
        harness.gather()
        harness.answerAll()
        let annas = subscription(1, purchased: t0 + 50, token: nil)
        harness.send(.bought(call: 1, .success(.success(annas))))
        harness.pass(50)
        harness.send(.buy(call: 2, productID: "monthly", options: PurchaseOptions()))
        harness.send(.updated(annas))
        #expect(harness.stuck == [1: .waitsForCustomer])
    }

    @Test func `Who is answered with what another customer started is told that it waits for them, and takes nothing`()
    {
        var harness = Harness.settled("anna")
        let annas = lifetime(token: nil)
        harness.send(.buy(call: 1, productID: "lifetime", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(annas))))
        harness.fail(.noConnection)
        harness.send(.signedIn(customer: "bert", token: "b"))
        harness.gather(unfinished: [annas])
        harness.answerAll()
        // StoreKit answers with what the Apple Account has.
        harness.send(.buy(call: 2, productID: "lifetime", options: PurchaseOptions()))
        harness.send(.bought(call: 2, .success(.success(annas))))
        guard case .purchase(.purchased(_, .stuck))? = harness.outcomes[2] else { return #expect(Bool(false)) as Void }
        #expect(harness.stuck == [5: .waitsForCustomer])
        harness.send(.signedIn(customer: "anna", token: "a"))
        harness.gather(unfinished: [annas])
        harness.answerAll()
        #expect(harness.finished == [5] && harness.device?.intents.isEmpty == true)
    }

    @Test func `Who buys what belongs to another customer leaves nothing behind that keeps it from them`() {
        var harness = Harness.settled("bert")
        let annas = lifetime(token: nil)
        harness.send(.buy(call: 1, productID: "lifetime", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(annas))))
        harness.fail(BackendFailure(status: 409, code: "receipt_already_in_use"))
        #expect(harness.device?.intents.isEmpty == true)
        harness.send(.signedIn(customer: "anna", token: "a"))
        harness.gather(current: [annas])
        #expect(harness.sent.last?.request.ids == [5])
        harness.fail(.noConnection)
        #expect(harness.customer?.isActive("pro") == true)
    }

    @Test func `An intent is over after a month, and says nothing of what was bought long before`() {
        var harness = Harness.settled("anna")
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

    @Test func `A cancelled purchase is remembered for a day: an interrupted one says the same`() {
        var harness = Harness.settled("anna")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.cancelled)))
        guard case .purchase(.cancelled)? = harness.outcomes[1] else { return #expect(Bool(false)) as Void }
        #expect(harness.device?.intents.first?.expires == t0 + day)
    }

    @Test(arguments: [true, false])
    func `A purchase that fails is forgotten if the store never asked the customer`(wasStarted: Bool) {
        var harness = Harness.settled("anna")
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        #expect(harness.device?.intents.count == 1)
        harness.send(.bought(call: 1, .failure(.store("no such product")), wasStarted: wasStarted))
        #expect(harness.device?.intents.isEmpty == !wasStarted)
    }

    @Test(arguments: ["anna", "bert"])
    func `A renewal comes from no purchase that was started here, whoever is signed in`(_ customer: String) {
        var harness = Harness.settled("bert")
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
        // Bert's may have been interrupted, and still come.
        #expect(harness.device?.intents.count == 1)
    }

    @Test func `A transaction of another customer is reported without taking anything`() {
        var harness = Harness.settled()
        harness.send(.updated(subscription(token: UUID(uuidString: bert))))
        #expect(harness.lastReport?.restore == false)
        harness.answerAll()
        #expect(harness.finished == [1])
        #expect(harness.customer?.isActive("pro") == false)
    }

    @Test func `Signed out, the listener hears and nothing is sent or finished; afterwards everything is there`() {
        var harness = Harness.settled()
        harness.send(.signedOut(fresh: UUID()))
        harness.send(.updated(subscription()))
        harness.send(.recorded(coins()))
        harness.send(.foreground)
        #expect(harness.sent.isEmpty && harness.finished.isEmpty)
        #expect(harness.customer?.id == nil && harness.customer?.entitlements.isEmpty == true)
        #expect(harness.record == nil)
        harness.send(.signedIn(customer: anna, token: "token"))
        harness.gather(unfinished: [subscription(), coins()])
        harness.answerAll()
        #expect(harness.finished.sorted() == [1, 7])
    }

    @Test func `What is under way when somebody else signs in is dropped, and its answer thrown away`() throws {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        let id = try #require(harness.open.keys.first)
        harness.send(.signedIn(customer: bert, token: "b"))
        #expect(harness.open[id] == nil)
        var late = CustomerAnswer(id: anna, asOf: harness.now)
        late.kept = ["1"]
        late.entitlements = [Entitlement(key: "pro", isActive: true)]
        harness.send(.answered(request: id, late))
        #expect(harness.finished.isEmpty)
        #expect(harness.customer?.id == bert && harness.customer?.entitlements.isEmpty == true)
        #expect(harness.record?.customer == bert)
    }

    @Test func `What the device answered for another customer is thrown away`() throws {
        var harness = Harness.signedIn()
        let old = harness.gathers
        harness.gathers = []
        harness.send(.signedIn(customer: bert, token: "b"))
        let unfinished = try #require(old.first { $0.name == .unfinished })
        harness.send(.gathered(unfinished.id, .unfinished([subscription()])))
        harness.gather()
        #expect(harness.sent.allSatisfy { $0.request.ids.isEmpty })
    }

    @Test func `A token that comes for somebody who signed out is thrown away`() {
        var harness = Harness { $0.token = { _ in nil } }
        harness.start()
        harness.send(.signedIn(customer: anna, token: nil))
        harness.gather()
        harness.send(.signedIn(customer: bert, token: nil))
        harness.send(.token(customer: anna, .success(CustomerCredential(customer: anna, token: "annas"))))
        harness.gather()
        harness.send(.token(customer: anna, .success(CustomerCredential(customer: anna, token: "annas"))))
        #expect(harness.sent.isEmpty)
        harness.send(.token(customer: bert, .success(CustomerCredential(customer: bert, token: "berts"))))
        #expect(harness.sent.map(\.request.credential) == [CustomerCredential(customer: bert, token: "berts")])
    }

    @Test func `The customer is the same after a restart`() {
        var harness = Harness.settled()
        harness.relaunch()
        #expect(harness.customer?.id == anna)
    }

    @Test func `A record of somebody else is not believed`() {
        var harness = Harness.settled()
        var record = CustomerRecord(customer: bert)
        record.answer = CustomerAnswer(id: bert, asOf: t0)
        record.answer?.entitlements = [Entitlement(key: "pro", isActive: true)]
        record.receivedAt = t0
        harness.record = record
        harness.relaunch()
        #expect(harness.customer?.isActive("pro") == false)
        #expect(harness.record?.customer == anna)
    }

    @Test func `Without an account there is an anonymous customer, the same after a restart`() {
        var harness = Harness { $0.allowsAnonymousCustomers = true }
        harness.start()
        let id = harness.customer?.id
        #expect(id != nil && harness.customer?.isAnonymous == true)
        #expect(id.flatMap { UUID(uuidString: $0) } != nil)
        harness.relaunch { $0.allowsAnonymousCustomers = true }
        #expect(harness.customer?.id == id)
    }

    /// A customer without an account, who has a session.
    private static func anonymous() throws -> Harness {
        var harness = Harness { $0.allowsAnonymousCustomers = true }
        harness.start()
        harness.gather()
        let anonymous = try #require(harness.customer?.id)
        harness.send(.token(customer: anonymous, .success(CustomerCredential(customer: anonymous, token: "session"))))
        harness.answerAll()
        return harness
    }

    @Test func `What an anonymous customer bought goes to the account, before anything else is sent`() throws {
        var harness = try Self.anonymous()
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.pending)))
        harness.send(.signedIn(customer: anna, token: "a"))
        harness.sent = []
        harness.gather(current: [subscription()])
        #expect(harness.sent.count == 1 && harness.sent[0].request.isMerge)
        harness.fail(.noConnection)
        harness.fire(.retry)
        #expect(harness.sent.last?.request.isMerge == true)
        harness.answerAll()
        #expect(harness.sent.last?.request.ids == [1])
        #expect(harness.device?.anonymous == nil && harness.device?.merges?.isEmpty == true)
        #expect(harness.device?.intents.map(\.customer) == [anna])
        #expect(harness.customer?.isAnonymous == false)
    }

    @Test func `What an anonymous customer buys names no account, unless the server says which`() throws {
        var harness = try Self.anonymous()
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        #expect(harness.purchases.map(\.appAccountToken) == [nil])
        harness.send(.bought(call: 1, .success(.cancelled)))
        let token = UUID()
        harness.pass(400)
        harness.send(.foreground)
        harness.gather()
        harness.answerAll { $0.appAccountToken = token }
        harness.send(.buy(call: 2, productID: "monthly", options: PurchaseOptions()))
        #expect(harness.purchases.last?.appAccountToken == token)
    }

    @Test func `A merge that the server refuses is told and holds up nothing`() throws {
        var harness = Harness { $0.allowsAnonymousCustomers = true }
        harness.start()
        harness.send(.signedIn(customer: anna, token: "a"))
        harness.gather(unfinished: [subscription()])
        let failure = BackendFailure(status: 403, code: "forbidden")
        harness.fail(failure)
        harness.answerAll()
        #expect(harness.notices == [.notMerged(failure)])
        #expect(harness.finished == [1])
    }

    @Test func `After a merge that was refused the account has what the anonymous customer started`() throws {
        var harness = try Self.anonymous()
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.buy(call: 2, productID: "lifetime", options: PurchaseOptions()))
        harness.send(.bought(call: 2, .success(.pending)))
        let bought = subscription(purchased: t0, token: nil)
        harness.send(.bought(call: 1, .success(.success(bought))))
        harness.fail(.noConnection)
        harness.send(.signedIn(customer: anna, token: "a"))
        harness.gather(unfinished: [bought])
        harness.fail(BackendFailure(status: 403, code: "forbidden"))
        let sent = try #require(harness.sent.last { $0.request.ids == [1] }?.request)
        // It is a purchase of the account's: the policy decides.
        #expect(sent.credential.customer == anna && sent.report?.restore == nil)
        harness.answerAll()
        #expect(harness.finished == [1])
        harness.pass(2 * day)
        harness.send(.updated(.unsigned(5, "lifetime", .nonConsumable, purchased: t0 + 2 * day)))
        #expect(harness.sent.last?.request.ids == [5] && harness.lastReport?.restore == nil)
        harness.answerAll()
        #expect(harness.finished == [1, 5] && harness.stuck.isEmpty)
        #expect(harness.device?.intents.isEmpty == true)
    }

    @Test func `The button brings over what another customer bought on the device`() {
        var harness = Harness.settled("anna")
        let bought = subscription(purchased: t0, token: nil)
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.success(bought))))
        harness.fail(.noConnection)
        harness.send(.signedIn(customer: "bert", token: "b"))
        harness.gather(unfinished: [bought])
        harness.answerAll()
        #expect(harness.stuck == [1: .waitsForCustomer])
        harness.send(.restore(call: 2))
        harness.send(.synced(reachedAppStore: true))
        harness.gather(unfinished: [bought])
        #expect(harness.lastReport?.restore == true)
        #expect(harness.sent.last?.request.ids == [1])
        harness.answerAll()
        #expect(harness.finished == [1] && harness.stuck.isEmpty)
        #expect(harness.device?.intents.isEmpty == true)
    }

    @Test(arguments: [BackendFailure(status: 401, code: "unauthorized"), BackendFailure(status: 409, code: "http_409")])
    func `A merge is not given up for a missing token of the account, nor for what may not be the server's`(
        _ failure: BackendFailure
    ) {
        var harness = Harness { $0.allowsAnonymousCustomers = true }
        harness.start()
        harness.send(.signedIn(customer: anna, token: "a"))
        // The app is killed, and names the token a moment after the next start.
        harness.relaunch { $0.allowsAnonymousCustomers = true }
        harness.gather()
        #expect(harness.sent.map(\.request.isMerge) == [true])
        harness.fail(failure)
        #expect(harness.notices == [.misconfigured(failure)])
        harness.send(.signedIn(customer: anna, token: "a"))
        harness.gather()
        #expect(harness.sent.map(\.request.isMerge) == [true, true])
        #expect(harness.sent.last?.request.credential.token == "a")
        harness.answerAll()
        #expect(harness.device?.merges?.isEmpty == true)
    }

    @Test func `A merge that a sign-out overtook follows when the account signs in again, and no other`() throws {
        var harness = try Self.anonymous()
        let anonymous = try #require(harness.customer?.id)
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.pending)))
        harness.send(.signedIn(customer: anna, token: "a"))
        harness.gather()
        #expect(harness.sent.last?.request.mergesFrom == anonymous)
        let second = UUID()
        harness.send(.signedOut(fresh: second))
        harness.relaunch { $0.allowsAnonymousCustomers = true }
        harness.send(.signedIn(customer: bert, token: "b"))
        harness.gather()
        harness.answerAll()
        #expect(harness.sent.compactMap(\.request.mergesFrom) == [second.uuidString.lowercased()])
        harness.sent = []
        harness.send(.signedIn(customer: anna, token: "a"))
        harness.gather()
        harness.answerAll()
        #expect(harness.sent.compactMap(\.request.mergesFrom) == [anonymous])
        #expect(harness.device?.merges?.isEmpty == true)
        #expect(harness.device?.intents.map(\.customer) == [anna])
    }

    @Test func `The server may know the anonymous customer by another name`() throws {
        var harness = Harness { $0.allowsAnonymousCustomers = true }
        harness.start()
        harness.gather()
        let anonymous = try #require(harness.customer?.id)
        harness.send(.token(customer: anonymous, .success(CustomerCredential(customer: "known", token: "session"))))
        #expect(harness.customer?.id == "known" && harness.customer?.isAnonymous == true)
        #expect(harness.sent.last?.request.credential.customer == "known")
        harness.relaunch { $0.allowsAnonymousCustomers = true }
        #expect(harness.customer?.id == "known")
    }

    @Test func `Signing out of an account makes a new anonymous customer`() {
        var harness = Harness { $0.allowsAnonymousCustomers = true }
        harness.start()
        let first = harness.customer?.id
        harness.send(.signedIn(customer: anna, token: "a"))
        harness.send(.signedOut(fresh: UUID()))
        #expect(harness.customer?.isAnonymous == true)
        #expect(harness.customer?.id != first && harness.customer?.id != anna)
    }
}

extension ClientRequest {
    fileprivate var mergesFrom: String? { if case .merge(let anonymous, _) = kind { anonymous } else { nil } }
}
