import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

@Suite struct `Purchases without an account` {
    /// A started client without an account, whose device has answered.
    private func launched(
        unfinished: [DeviceTransaction] = [], appTransaction: String? = "e30.e30.e30", receipt: Data? = nil
    ) -> Harness {
        var harness = Harness { $0.allowsAnonymousCustomers = true }
        harness.start()
        harness.gather(unfinished: unfinished, appTransaction: appTransaction, receipt: receipt)
        return harness
    }

    @Test func `An app transaction that is missing, as without a network, is requested again`() throws {
        var harness = launched(unfinished: [subscription(token: nil)], appTransaction: nil)
        let anonymous = try #require(harness.tokenRequests.first)
        harness.send(.token(customer: anonymous, .failure(.noToken)))
        #expect(harness.notices.isEmpty && harness.sent.isEmpty)
        harness.fire(.retry)
        #expect(harness.tokenRequests == [anonymous, anonymous])
        harness.send(.token(customer: anonymous, .success(CustomerCredential(customer: anonymous, token: "session"))))
        harness.answerAll()
        #expect(harness.finished == [1])
    }

    @Test func `A missing token for an anonymous customer halts the client`() throws {
        var harness = Harness {
            $0.allowsAnonymousCustomers = true
            $0.token = { _ in nil }
        }
        harness.start()
        harness.gather()
        let anonymous = try #require(harness.tokenRequests.first)
        harness.send(.token(customer: anonymous, .failure(.noToken)))
        #expect(harness.notices == [.misconfigured(.noToken)])
    }

    @Test func `An anonymous session reports no receipt, but the account does`() throws {
        let receipt = Data("receipt".utf8)
        var harness = launched(unfinished: [subscription(token: nil)], appTransaction: nil, receipt: receipt)
        let anonymous = try #require(harness.tokenRequests.first)
        harness.send(.token(customer: anonymous, .success(CustomerCredential(customer: anonymous, token: "session"))))
        #expect(harness.sent.map(\.request.ids) == [[1]])
        #expect(harness.lastReport?.receipt == nil)
        harness.answerAll()
        harness.send(.signedIn(customer: anna, token: "a"))
        harness.gather(appTransaction: nil, receipt: receipt)
        harness.answerAll()
        #expect(harness.lastReport?.receipt == receipt)
    }

    @Test func `A purchase that began before the session waits for the server's answer`() throws {
        var harness = launched()
        let anonymous = try #require(harness.tokenRequests.first)
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.token(customer: anonymous, .success(CustomerCredential(customer: "known", token: "session"))))
        harness.answerAll()
        harness.send(.bought(call: 1, .success(.success(subscription(purchased: t0, token: nil)))))
        #expect(harness.outcomes.isEmpty)
        harness.answerAll()
        #expect(harness.outcomes[1]?.confirmation == .stored)
        #expect(harness.device?.intents.isEmpty == true)
    }

    @Test func `Another Apple Account is another customer, for whom everything is reported`() throws {
        var harness = launched(unfinished: [lifetime(token: nil)])
        let anonymous = try #require(harness.tokenRequests.first)
        harness.send(.token(customer: anonymous, .success(CustomerCredential(customer: "first", token: "session"))))
        harness.answerAll { $0.entitlements = [Entitlement(key: "premium", isActive: true)] }
        harness.relaunch(after: hour) { $0.allowsAnonymousCustomers = true }
        #expect(harness.customer?.isActive("premium") == true)
        harness.gather(current: [lifetime(token: nil)])
        #expect(harness.tokenRequests == ["first"])
        harness.send(.token(customer: "first", .success(CustomerCredential(customer: "second", token: "session"))))
        #expect(harness.customer?.id == "second" && harness.customer?.isActive("premium") == false)
        #expect(harness.record?.customer == "second" && harness.record?.reported.isEmpty == true)
        harness.gather(current: [lifetime(token: nil)])
        #expect(harness.sent.map(\.request.ids) == [[5]])
        #expect(harness.sent.last?.request.credential.customer == "second")
    }

    @Test func `A purchase that began before the session of another Apple Account is reported in it`() throws {
        var harness = launched()
        let anonymous = try #require(harness.tokenRequests.first)
        harness.send(.token(customer: anonymous, .success(CustomerCredential(customer: "first", token: "session"))))
        harness.answerAll()
        harness.relaunch(after: hour) { $0.allowsAnonymousCustomers = true }
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.gather()
        harness.send(.token(customer: "first", .success(CustomerCredential(customer: "second", token: "session"))))
        harness.gather()
        harness.answerAll()
        harness.send(.bought(call: 1, .success(.success(subscription(purchased: t0 + hour, token: nil)))))
        #expect(harness.sent.last?.request.ids == [1])
        #expect(harness.sent.last?.request.credential.customer == "second")
        harness.answerAll()
        #expect(harness.finished == [1] && harness.stuck.isEmpty)
        #expect(harness.outcomes[1]?.confirmation == .stored)
        #expect(harness.device?.intents.isEmpty == true)
    }

    @Test func `A purchase that the store did not start is forgotten, even if a session began meanwhile`() throws {
        var harness = launched()
        let anonymous = try #require(harness.tokenRequests.first)
        harness.send(.buy(call: 1, productID: "monthly", options: PurchaseOptions()))
        harness.send(.token(customer: anonymous, .success(CustomerCredential(customer: "known", token: "session"))))
        harness.send(.bought(call: 1, .failure(PurchaseClientError(.purchaseRefused, "no such product"))))
        #expect(harness.device?.intents.isEmpty == true)
    }
}
