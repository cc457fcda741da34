import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

@Suite struct `Responses of the App Store Server API` {
    static let environments: [AppStoreEnvironment] = [.production, .sandbox]

    @Test(arguments: environments)
    func `A transaction is found by its identifier and signed at the time of the request`(
        _ environment: AppStoreEnvironment
    ) throws {
        var shop = APIShop(environment)
        let id = try shop.buy("coins")
        shop.advance(days: 3)
        let answer = try shop.send(APIShop.request(.transaction, [id]))
        guard case .object(let members) = answer.body, case .transaction(let payload) = members.first?.1 else {
            Issue.record("no transaction in \(answer)")
            return
        }
        // A millisecond earlier, before any later change at the same instant.
        #expect(payload.signedDate == (shop.now - 0.001).wholeMilliseconds)
        #expect(payload.transactionId == id)
        let text = String(decoding: try APIShop.rendering.bytes(try #require(answer.body)), as: UTF8.self)
        #expect(text == #"{"signedTransactionInfo":"\#(id)"}"#)
    }

    @Test(arguments: environments)
    func `Only responses of production contain the app's Apple ID`(_ environment: AppStoreEnvironment) throws {
        var shop = APIShop(environment)
        let id = try shop.buy("plus")
        let number = environment == .production ? APIShop.app.appAppleID : nil
        let history = try shop.get(HistoryResponse.self, .transactionHistory, id)
        #expect(history.appAppleId == number)
        #expect(history.bundleId == APIShop.app.bundleID && history.environment == environment)
        let statuses = try shop.get(StatusResponse.self, .subscriptionStatuses, id)
        #expect(statuses.appAppleId == number)
        #expect(statuses.bundleId == APIShop.app.bundleID && statuses.environment == environment)
        let answer = try shop.send(APIShop.request(.appTransaction, [id]))
        guard case .object(let members) = answer.body, case .appTransaction(let app) = members.first?.1 else {
            Issue.record("no app transaction in \(answer)")
            return
        }
        #expect(app.appAppleId == number)
        #expect(app.appTransactionId == shop.app("anna"))
        // Each signature is dated a millisecond after the one before it.
        #expect((shop.now..<shop.now + 1).contains(app.receiptCreationDate))
        #expect(app.applicationVersion == nil && app.requestDate == nil && app.storeType == .consumer)
        let info = try shop.get(AppTransactionInfoResponse.self, .appTransaction, shop.app("anna"))
        #expect(info.signedAppTransactionInfo == shop.app("anna"))
    }

    @Test func `Subscription statuses are listed by group with the latest transaction, and can be filtered`() throws {
        var shop = APIShop()
        let plus = try shop.buy("plus")
        let trial = try shop.buy("trial")
        try shop.perform(.cancel(customer: "anna", subscription: trial))
        try shop.buy("plus", "ben")
        try shop.perform(.shareWithFamily(customer: "ben", member: "anna"))
        shop.advance(days: 33)
        let all = try shop.get(StatusResponse.self, .subscriptionStatuses, shop.app("anna"))
        #expect(all.data.map(\.subscriptionGroupIdentifier) == [APIShop.group, APIShop.other])
        #expect(all.data.map(\.lastTransactions.count) == [2, 1])
        let current = shop.store.subscriptions[plus]?.current
        #expect(current != plus)
        let first = try #require(all.data.first?.lastTransactions.first)
        #expect(first.originalTransactionId == plus && first.status == .active)
        #expect(first.signedTransactionInfo == current && first.signedRenewalInfo == plus)
        let expired = try shop.get(
            StatusResponse.self, .subscriptionStatuses, plus, query: "status=2&status=5")
        #expect(expired.data.flatMap(\.lastTransactions).map(\.originalTransactionId) == [trial])
        #expect(try shop.get(StatusResponse.self, .subscriptionStatuses, plus, query: "status=3").data.isEmpty)
    }

    @Test func `An account token applies to the running period and all later renewals`() throws {
        var shop = APIShop()
        let first = try shop.buy("plus")
        shop.advance(days: 35)
        let body = JSONFields.token.text
        let answer = try shop.send(APIShop.request(.setAppAccountToken, [first], body: body))
        #expect(answer.body == nil && answer.status == 200)
        let token = try #require(UUID(uuidString: "7b1f2c0e-0a4b-4f0e-9b7a-0d6a5c1e2f30"))
        shop.advance(days: 30)
        shop.store.run(until: shop.now)
        let ids = try #require(shop.store.customers["anna"]?.transactions)
        let tokens = ids.map { shop.store.transactions[$0]?.payload.appAccountToken }
        #expect(tokens.count == 3 && tokens.dropFirst() == [token, token])
        #expect(tokens.first != token)
        let coins = try shop.buy("coins")
        _ = try shop.send(APIShop.request(.setAppAccountToken, [coins], body: body))
        #expect(shop.store.transactions[coins]?.payload.appAccountToken == token)
    }

    @Test func `A finished consumable is missing only from version 1 of the transaction history`() throws {
        var shop = APIShop()
        let (coins, lamp) = (try shop.buy("coins"), try shop.buy("lamp"))
        for id in [coins, lamp, coins] {
            #expect(try shop.send(APIShop.request(.finishTransaction, [id])).body == nil)
        }
        #expect(try shop.get(HistoryResponse.self, .transactionHistoryV1, lamp).signedTransactions == [lamp])
        #expect(try shop.get(HistoryResponse.self, .transactionHistory, lamp).signedTransactions == [coins, lamp])
    }

    @Test func `An order lookup finds a known order, and returns the status invalid for an unknown one`() throws {
        var shop = APIShop()
        let id = try shop.buy("coins")
        let order = try #require(shop.store.transactions[id]?.order)
        let found = try shop.get(OrderLookupResponse.self, .order, order)
        #expect(found.status == .valid && found.signedTransactions == [id])
        let unknown = try shop.get(OrderLookupResponse.self, .order, "M0000")
        #expect(unknown.status == .invalid && unknown.signedTransactions == nil)
    }

    @Test func `An extension request moves the expiration date of the subscription`() throws {
        var shop = APIShop()
        let id = try shop.buy("plus")
        let end = try #require(shop.store.transactions[id]?.payload.expiresDate)
        let response = try shop.get(
            ExtendRenewalDateResponse.self, .extendRenewalDate, id, body: JSONFields.extending.text)
        #expect(response.success && response.originalTransactionId == id)
        #expect(response.effectiveDate == end + 7 * 86_400)
        #expect(response.webOrderLineItemId == shop.store.transactions[id]?.payload.webOrderLineItemId)
        #expect(shop.store.transactions[id]?.payload.expiresDate == response.effectiveDate)
    }

    @Test func `The limits of a request's values are part of their range`() throws {
        for (days, reason) in [(1, 0), (90, 3)] {
            var shop = APIShop()
            let id = try shop.buy("plus")
            let end = try #require(shop.store.transactions[id]?.payload.expiresDate)
            var body = JSONFields.extending
            body.fields["extendByDays"] = "\(days)"
            body.fields["extendReasonCode"] = "\(reason)"
            body.fields["requestIdentifier"] = "\"\(String(repeating: "a", count: 128))\""
            let response = try shop.get(ExtendRenewalDateResponse.self, .extendRenewalDate, id, body: body.text)
            #expect(response.effectiveDate == end + 86_400 * Double(days))
        }
        var shop = APIShop(.sandbox)
        for limit in ["1", "100"] {
            let page = try shop.get(
                GetGroupMembersResponse.self, .groupMembers, Store.placeholderGroup, query: "limit=\(limit)")
            #expect(page.members.count == 1)
        }
        // The history begins 180 days ago.
        try shop.buy("coins")
        shop.advance(days: 180)
        let body = JSONFields.notifications(from: APIShop.start, to: shop.now).text
        let history = try shop.get(NotificationHistoryResponse.self, .notificationHistory, body: body)
        #expect(!history.notificationHistory.isEmpty)
    }

    @Test func `A mass extension runs once for each request identifier, and its status counts the results`() throws {
        var shop = APIShop()
        try shop.buy("plus")
        try shop.buy("plus", "ben")
        let body = JSONFields.extendingAll
        let uuid = "7B1F2C0E-0A4B-4F0E-9B7A-0D6A5C1E2F30"
        for text in [body.text, body.text, body.with("requestIdentifier", "\"\(uuid.lowercased())\"")] {
            let response = try shop.get(MassExtendRenewalDateResponse.self, .extendRenewalDates, body: text)
            #expect(response.requestIdentifier.uppercased() == uuid)
        }
        func status(_ id: String) throws -> MassExtendRenewalDateStatusResponse {
            try shop.get(MassExtendRenewalDateStatusResponse.self, .renewalExtensionStatus, "plus", id)
        }
        #expect(shop.store.massExtensions.count == 1)
        #expect(try status(uuid) == .init(requestIdentifier: uuid, complete: false))
        shop.advance(days: 1)
        let done = try status(uuid.lowercased())
        #expect(done.complete && done.succeededCount == 2 && done.failedCount == 0)
        #expect(done.completeDate == APIShop.start + 3600)
        let other = APIShop.request(.renewalExtensionStatus, ["trial", uuid])
        let failure = #expect(throws: APIFailure.self) { try shop.send(other) }
        #expect(failure?.code == .statusRequestNotFound)
    }

    @Test func `In the sandbox, consumption information decides a refund only if it arrives in time`() throws {
        var shop = APIShop(.sandbox)
        var body = JSONFields.consumption
        body.fields["refundPreference"] = "\"DECLINE\""
        func answer(after seconds: TimeInterval, _ endpoint: AppStoreEndpoint, _ body: String) throws
            -> StoredTransaction.Refund.State?
        {
            let id = try shop.buy("coins")
            try shop.perform(.requestRefund(customer: "anna", transaction: id))
            shop.now += seconds
            #expect(try shop.send(APIShop.request(endpoint, [id], body: body)).status == 202)
            return shop.store.transactions[id]?.refund?.state
        }
        #expect(try answer(after: 60, .sendConsumption, body.text) == .declined)
        #expect(try answer(after: 400, .sendConsumption, body.text) == .granted)
        #expect(
            try answer(after: 60, .sendConsumptionV1, JSONFields.consumptionV1.with("refundPreference", "2"))
                == .declined)
        #expect(
            try answer(after: 60, .sendConsumptionV1, JSONFields.consumptionV1.with("appAccountToken", nil)) == .granted
        )
        // A subscription needs no consumption percentage: the App Store knows its usage.
        let plus = try shop.buy("plus")
        let prorated = APIShop.request(.sendConsumption, [plus], body: APIRefusalTests.prorated(nil))
        #expect(try shop.send(prorated).status == 202)
        // Without a refund request, consumption information has no effect.
        let id = try shop.buy("coins")
        #expect(try shop.send(APIShop.request(.sendConsumption, [id], body: body.text)).status == 202)
        #expect(shop.store.transactions[id]?.refund == nil)
    }

    @Test func `In production, the refund preference is stored if it arrives within 12 hours`() throws {
        for (hours, expected) in [(12.0, RefundPreference.grantProrated), (12.1, nil)] {
            var shop = APIShop()
            let id = try shop.buy("coins")
            try shop.perform(.requestRefund(customer: "anna"))
            shop.now += hours * 3600
            let body = APIRefusalTests.prorated("40000")
            #expect(try shop.send(APIShop.request(.sendConsumption, [id], body: body)).status == 202)
            let refund = try #require(shop.store.transactions[id]?.refund)
            #expect(refund.state == .requested && refund.preference == expected)
            #expect(refund.consumption == expected.map { _ in 40_000 })
        }
    }

    @Test func `A customer cannot join a group in production`() throws {
        var shop = APIShop(.production)
        try shop.perform(.createCustomer(customer: "anna"))
        let error = #expect(throws: StoreError.self) { try shop.perform(.joinGroup(customer: "anna", group: "77")) }
        #expect(error?.code == .impossibleTransition)
    }

    @Test func `Group members are paged, and a customer without a group has the placeholder group`() throws {
        var shop = APIShop(.sandbox)
        for index in 0..<25 {
            try shop.perform(.createCustomer(customer: "c\(index)"))
            try shop.perform(.joinGroup(customer: "c\(index)", group: "77", organization: index == 0))
        }
        try shop.buy("coins")
        let none = try shop.get(GetCustomerGroupsResponse.self, .customerGroups, shop.app("anna"))
        #expect(none.groups.map(\.groupId) == [Store.placeholderGroup])
        #expect(none.groups.first?.groupType == .organization)
        #expect(Set(none.groups.first?.roles?.map(\.role) ?? []) == [.admin, GroupRole.none])
        let organization = try shop.get(GetCustomerGroupsResponse.self, .customerGroups, shop.app("c0"))
        #expect(organization.groups.first?.roles?.map(\.productId) == ["plus", "trial"])
        let consumer = try shop.get(GetCustomerGroupsResponse.self, .customerGroups, shop.app("c1"))
        #expect(consumer.groups == [GroupEntry(groupId: "77", groupType: .consumer)])
        var (members, query): ([String], String) = ([], "limit=10")
        for count in [10, 10, 5] {
            let page = try shop.get(GetGroupMembersResponse.self, .groupMembers, "77", query: query)
            #expect(page.members.count == count && page.hasMore == (page.paginationToken != nil))
            members += page.members.map(\.appTransactionId)
            query = "limit=10&paginationToken=\(page.paginationToken ?? "")"
        }
        #expect(members == (0..<25).map { shop.app("c\($0)") }.sorted())
        let placeholder = try shop.get(GetGroupMembersResponse.self, .groupMembers, Store.placeholderGroup)
        #expect(placeholder == .init(members: [.init(appTransactionId: "700000000000000000")], hasMore: false))
    }

    @Test func `A response body is rendered as valid JSON, and a signing error is thrown`() throws {
        let text = "a\"b\\c\u{1}\n\u{1F}é🙂/"
        let body = APIBody.object([
            (text, .string(text)), ("left out", nil), ("n", .integer(.min)),
            ("b", .array([.bool(true), .bool(false)])),
            ("m", .model(["x": 1])),
        ])
        let object = try JSONSerialization.jsonObject(with: Data(APIShop.rendering.bytes(body))) as? NSDictionary
        let expected: NSDictionary = [text: text, "n": Int64.min, "b": [true, false], "m": ["x": 1]]
        #expect(object == expected)
        var failing = APIShop.rendering
        failing.notification = { _ in throw CocoaError(.featureUnsupported) }
        #expect(throws: CocoaError.self) { try failing.bytes(.array([.notification(1)])) }
    }
}
