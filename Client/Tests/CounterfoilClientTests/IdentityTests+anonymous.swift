import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

// Anonymous customers, and their merge into an account.
extension `Ownership of purchases` {
    @Test func `Without an account there is an anonymous customer, who stays the same after a restart`() {
        var harness = Harness { $0.allowsAnonymousCustomers = true }
        harness.start()
        let id = harness.customer?.id
        #expect(id != nil && harness.customer?.isAnonymous == true)
        #expect(id.flatMap { UUID(uuidString: $0) } != nil)
        harness.relaunch { $0.allowsAnonymousCustomers = true }
        #expect(harness.customer?.id == id)
    }

    /// An anonymous customer with a session.
    private static func anonymous() throws -> Harness {
        var harness = Harness { $0.allowsAnonymousCustomers = true }
        harness.start()
        harness.gather()
        let anonymous = try #require(harness.customer?.id)
        harness.send(.token(customer: anonymous, .success(CustomerCredential(customer: anonymous, token: "session"))))
        harness.answerAll()
        return harness
    }

    @Test func `An anonymous customer's purchases are merged into the account before anything else is sent`() throws {
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

    @Test func `An anonymous customer's purchase has no account token unless the server names one`() throws {
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

    @Test func `A refused merge is reported and blocks nothing`() throws {
        var harness = Harness { $0.allowsAnonymousCustomers = true }
        harness.start()
        harness.send(.signedIn(customer: anna, token: "a"))
        harness.gather(unfinished: [subscription()])
        let failure = BackendFailure(status: 403, code: "forbidden")
        harness.fail(failure)
        harness.answerAll()
        #expect(harness.notices == [.mergeFailed(failure)])
        #expect(harness.finished == [1])
    }

    @Test func `After a refused merge, the account owns the purchases that the anonymous customer started`() throws {
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
        // It is reported as a purchase of the account, so the policy decides.
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

    @Test(arguments: [BackendFailure(status: 401, code: "unauthorized"), BackendFailure(status: 409, code: "http_409")])
    func `A merge is retried after a missing account token or an error that may not be the server's`(
        _ failure: BackendFailure
    ) {
        var harness = Harness { $0.allowsAnonymousCustomers = true }
        harness.start()
        harness.send(.signedIn(customer: anna, token: "a"))
        // The app is killed, and provides the token a moment after the next start.
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

    @Test(arguments: [BackendFailure(status: 404, code: "http_404"), .invalidResponse])
    func `A merge that a proxy or a backend never accepts does not hold up reports, and is repeated after a launch`(
        _ failure: BackendFailure
    ) throws {
        var harness = try Self.anonymous()
        harness.send(.signedIn(customer: anna, token: "a"))
        harness.gather(unfinished: [subscription()])
        for _ in 0..<5 {
            harness.fail(failure)
            #expect(harness.open.isEmpty)
            harness.fire(.retry)
            #expect(harness.sent.last?.request.isMerge == true)
        }
        harness.fail(failure)
        #expect(harness.notices.last == .mergeFailed(failure))
        #expect(harness.sent.last?.request.ids == [1])
        harness.answerAll()
        #expect(harness.finished == [1] && harness.device?.merges?.isEmpty == false)
        harness.relaunch { $0.allowsAnonymousCustomers = true }
        harness.gather()
        #expect(harness.sent.map(\.request.isMerge) == [true])
    }

    @Test(arguments: [false, true])
    func `A merge without an app transaction is repeated after a launch, but not one without a token of the app's`(
        _ providesTokens: Bool
    ) {
        func change(_ rules: inout PurchaseClientConfiguration) {
            rules.allowsAnonymousCustomers = true
            if providesTokens { rules.token = { _ in nil } }
        }
        var harness = Harness(change)
        harness.start()
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.pending)))
        harness.send(.signedIn(customer: anna, token: "a"))
        harness.gather(appTransaction: nil)
        #expect(harness.sent.map(\.request.isMerge) == [true])
        harness.fail(.noToken)
        #expect(harness.notices == [.mergeFailed(.noToken)])
        #expect(harness.device?.intents.map(\.customer) == [anna])
        harness.answerAll()
        #expect(harness.sent.map(\.request.isMerge) == [true, false])
        harness.relaunch(after: hour, change)
        harness.send(.signedIn(customer: anna, token: "a"))
        harness.gather()
        harness.answerAll()
        #expect(harness.sent.first?.request.isMerge == !providesTokens)
        #expect(harness.device?.merges?.isEmpty == true)
    }

    @Test func `A merge that a sign-out interrupted is repeated when the same account signs in again`() throws {
        var harness = try Self.anonymous()
        let anonymous = try #require(harness.customer?.id)
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.bought(call: 1, .success(.pending)))
        harness.send(.signedIn(customer: anna, token: "a"))
        harness.gather()
        #expect(harness.sent.last?.request.mergesFrom == anonymous)
        harness.send(.signedOut(fresh: UUID()))
        harness.relaunch { $0.allowsAnonymousCustomers = true }
        // Without a session, the server does not know this customer: a merge would move what waits for the account.
        harness.send(.buy(call: 2, productID: "lifetime", options: PurchaseOptions()))
        harness.send(.bought(call: 2, .success(.pending)))
        harness.send(.signedIn(customer: bert, token: "b"))
        harness.gather()
        harness.answerAll()
        #expect(!harness.sent.isEmpty && harness.sent.compactMap(\.request.mergesFrom).isEmpty)
        #expect(harness.device?.intents.map(\.customer) == [anonymous, bert])
        harness.sent = []
        harness.send(.signedIn(customer: anna, token: "a"))
        harness.gather()
        harness.answerAll()
        #expect(harness.sent.compactMap(\.request.mergesFrom) == [anonymous])
        #expect(harness.device?.merges?.isEmpty == true)
        #expect(harness.device?.intents.map(\.customer) == [anna, bert])
    }

    @Test func `A merge that waits for an account is not replaced when another account signs in`() throws {
        var harness = try Self.anonymous()
        let anonymous = try #require(harness.customer?.id)
        harness.send(.signedIn(customer: anna, token: "a"))
        harness.gather()
        harness.fail(.noConnection)
        // The session names the anonymous customer of the Apple Account as before.
        let second = UUID()
        harness.send(.signedOut(fresh: second))
        harness.gather()
        let session = CustomerCredential(customer: anonymous, token: "session")
        harness.send(.token(customer: second.uuidString.lowercased(), .success(session)))
        harness.answerAll()
        #expect(harness.customer?.id == anonymous)
        harness.send(.signedIn(customer: bert, token: "b"))
        harness.gather()
        harness.answerAll()
        #expect(harness.sent.compactMap(\.request.mergesFrom) == [anonymous])
        #expect(harness.device?.merges == [anonymous: anna])
        harness.send(.signedIn(customer: anna, token: "a"))
        harness.gather()
        harness.answerAll()
        #expect(harness.sent.compactMap(\.request.mergesFrom) == [anonymous, anonymous])
        let merge = harness.sent.last { $0.request.isMerge }?.request
        #expect(merge?.credential.customer == anna)
        #expect(harness.device?.merges?.isEmpty == true)
    }

    @Test func `The server may name the anonymous customer differently`() throws {
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

    @Test func `Signing out creates a new anonymous customer`() {
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
