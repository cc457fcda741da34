import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

// What a sign-in, a sign-out and a restart change.
extension `Ownership of purchases` {
    @Test func `While signed out nothing is sent or finished, and everything is after the sign-in`() {
        var harness = Harness.launched()
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

    @Test func `A sign-in cancels the requests of the previous customer and ignores their answers`() throws {
        var harness = Harness.signedIn()
        harness.gather(unfinished: [subscription()])
        let id = try #require(harness.open.keys.first)
        harness.send(.signedIn(customer: bert, token: "b"))
        #expect(harness.open[id] == nil)
        var late = CustomerResponse(id: anna, asOf: harness.now)
        late.kept = ["1"]
        late.entitlements = [Entitlement(key: "pro", isActive: true)]
        harness.send(.answered(request: id, late))
        #expect(harness.finished.isEmpty)
        #expect(harness.customer?.id == bert && harness.customer?.entitlements.isEmpty == true)
        #expect(harness.record?.customer == bert)
    }

    @Test func `Device answers gathered for the previous customer are ignored`() throws {
        var harness = Harness.signedIn()
        let old = harness.gathers
        harness.gathers = []
        harness.send(.signedIn(customer: bert, token: "b"))
        let unfinished = try #require(old.first { $0.name == .unfinished })
        harness.send(.gathered(unfinished.id, .unfinished([subscription()])))
        harness.gather()
        #expect(harness.sent.allSatisfy { $0.request.ids.isEmpty })
    }

    @Test func `A token for a signed-out customer is ignored`() {
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

    @Test func `The customer stays signed in after a restart`() {
        var harness = Harness.launched()
        harness.relaunch()
        #expect(harness.customer?.id == anna)
    }

    @Test func `A saved record of another customer is ignored`() {
        var harness = Harness.launched()
        var record = CustomerRecord(customer: bert)
        record.answer = CustomerResponse(id: bert, asOf: t0)
        record.answer?.entitlements = [Entitlement(key: "pro", isActive: true)]
        record.receivedAt = t0
        harness.record = record
        harness.relaunch()
        #expect(harness.customer?.isActive("pro") == false)
        #expect(harness.record?.customer == anna)
    }
}
