import AppStoreModels
import AppStoreServer
import Foundation
import HTTPTypes
import LedgerServices
import StoreSimulator
import TestSupport
import Testing

@testable import CounterfoilServer

@Suite struct `Support requests to the App Store` {
    private static let monthly = "com.example.premium.monthly"

    @Test func `A refund look-up finds and stores refunds that no notification reported`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            try world.simulator.add(Fault("notification:*", .drop))
            try await world.simulator.perform(.approveRefund(customer: "anna"))
            let path = "/v1/customers/\(anna)"
            #expect(try await world.api.get(path + "/entitlements/premium")["is_active"] as? Bool == true)
            let refunds = try await world.api.get(path + "/refunds")
            #expect(refunds.status == 200 && refunds.items.count == 1, "\(refunds.text)")
            #expect(refunds.items.first?["revocation_date"] as? Int != nil)
            #expect(refunds.items.first?["customers"] as? [String] == [anna])
            // The server has stored the App Store's answer.
            #expect(try await world.api.get(path + "/entitlements/premium")["is_active"] as? Bool == false)
            #expect(try await world.api.get("/v1/customers/nobody/refunds").isEmptyList)
        }
    }

    @Test func `Support can refresh a customer and recover an unknown transaction`() async throws {
        try await World.withAPI { world in
            try world.simulator.add(Fault("notification:*", .drop))
            let token = UUID()
            let anna = token.uuidString.lowercased()
            let outcome = try await world.simulator.perform(
                .purchase(customer: "anna", product: Self.monthly, appAccountToken: AppAccountToken(token)))
            let id = try #require(outcome.transactionID)
            #expect(try await world.api.get("/v1/transactions/\(id)").status == 404)
            let found = try await world.api.post("/v1/transactions/\(id)/recover", [:])
            #expect(found.status == 200 && found["customers"] as? [String] == [anna], "\(found.text)")
            try await world.simulator.perform(.purchase(customer: "anna", product: "com.example.unlock"))
            let refreshed = try await world.api.post("/v1/customers/\(anna)/refresh", [:])
            #expect(refreshed.status == 200 && refreshed["refreshed"] as? Int == 1)
            #expect((refreshed["purchases"] as? [Any])?.count == 1)
            #expect(try await world.api.post("/v1/transactions/1/recover", [:]).status == 404)
            let none = try await world.api.post("/v1/customers/nobody/refresh", [:])
            #expect(none.status == 200 && none["refreshed"] as? Int == 0)
        }
    }

    @Test(arguments: [401, 500])
    func `If the App Store answers with an error, support is not told that it did not answer`(_ status: Int)
        async throws
    {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            try world.simulator.add(Fault("route:*", .status(code: status)))
            let answer = try await world.api.post("/v1/customers/\(anna)/refresh", [:])
            #expect(answer.status == 503 && answer.code == "app_store_unavailable", "\(answer.text)")
            let message = answer["message"] as? String ?? ""
            #expect(message.hasPrefix("The App Store did not return the purchase history;"), "\(message)")
            guard status == 401 else { return }
            let refunds = try await world.api.get("/v1/customers/\(anna)/refunds")
            #expect(refunds.status == 502 && refunds.code == "app_store_unauthorized", "\(refunds.text)")
            let hint = refunds["message"] as? String ?? ""
            #expect(hint.contains("does not accept the app's key"), "\(hint)")
        }
    }

    @Test(.timeLimit(.minutes(10))) func `A request to an App Store that does not answer ends after its timeout`()
        async throws
    {
        let appStore = try LoopbackServer(answer: nil)
        defer { appStore.stop() }
        let host = try AppStoreHost(url: "http://127.0.0.1:\(appStore.port)", environment: .production)
        try await World.withAPI(server: {
            $0.apps[0].hosts[.production] = host
            $0.limits.appStoreTimeout = .milliseconds(50)
            $0.limits.requestTimeout = .seconds(600)
        }) { world in
            let anna = try await world.subscribe("anna")
            let refunds = try await world.api.get("/v1/customers/\(anna)/refunds")
            #expect(refunds.status == 503 && refunds.code == "app_store_timeout", "\(refunds.text)")
        }
    }

    @Test(arguments: [(APIErrorCode.accountNotFoundRetryable, true), (.accountNotFound, false)])
    func `A refusal that the App Store calls retryable is not blamed on the identifier`(
        _ code: APIErrorCode, _ isRetryable: Bool
    ) {
        let error = AppStoreServerError(.refused, "refused", status: 404, apiCode: code)
        for failure in [APIFailure(error), APIFailure(namingRejectionOf: error)] {
            #expect(failure.status == (isRetryable ? .serviceUnavailable : .badRequest))
            #expect(failure.code == (isRetryable ? "app_store_unavailable" : "refused_by_app_store"))
            #expect(failure.isRetryable == isRetryable)
        }
    }

    @Test(arguments: [400, 403, 404])
    func `A refusal without the App Store's reason is not blamed on the identifier`(_ status: Int) {
        let error = AppStoreServerError(.refused, "refused", status: status)
        for failure in [APIFailure(error), APIFailure(namingRejectionOf: error)] {
            #expect(failure.status == .badGateway && failure.code == "app_store_unexpected_status")
            #expect(failure.parameter == nil && !failure.isRetryable)
        }
        #expect(OnlineCheck.Finding(error, keyID: "K").code == "wrong_base_url")
    }

    @Test func `Support can extend one subscription or all subscriptions of a product`() async throws {
        try await World.withAPI { world in
            let token = UUID()
            let anna = token.uuidString.lowercased()
            // A free trial cannot be extended.
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: Self.monthly, introductory: false,
                    appAccountToken: AppAccountToken(token)))
            try await world.waitUntilIdle()
            let before = try await world.api.get("/v1/customers/\(anna)/entitlements/premium")
            let end = try #require(before["until"] as? Int)
            let original = try #require(before["original_transaction_id"] as? String)
            let path = "/v1/subscriptions/\(original)/extend"
            let extended = try await world.api.post(path, ["days": 3, "reason": "service_issue"])
            #expect(extended["success"] as? Bool == true, "\(extended.text)")
            try await world.waitUntilIdle()
            let after = try await world.api.get("/v1/customers/\(anna)/entitlements/premium")
            #expect(after["until"] as? Int == end + 3 * 86_400_000)
            for (body, type) in [
                (["days": 0, "reason": "other"] as [String: Any], "invalid_days"),
                (["days": 91, "reason": "other"], "invalid_days"),
                (["days": 3, "reason": "why not"], "invalid_reason"),
                (["days": 3], "bad_json"),
                (["days": 3, "reason": "other", "request_identifier": "a b"], "invalid_identifier"),
            ] {
                let refused = try await world.api.post(path, body)
                #expect(refused.status == 400 && refused.code == type, "\(refused.text)")
            }
            // Foundation parses this text as a UUID.
            let signedNumber = "+b1f2c0e-0a4b-4f0e-9b7a-0d6a5c1e2f30"
            let refused = try await world.api.post(
                "/v1/extensions",
                [
                    "product_id": Self.monthly, "days": 2, "reason": "service_issue",
                    "request_identifier": signedNumber,
                ])
            #expect(refused.code == "invalid_identifier", "\(refused.text)")
            let all = try await world.api.post(
                "/v1/extensions", ["product_id": Self.monthly, "days": 2, "reason": "service_issue"])
            #expect(all.status == 202, "\(all.text)")
            let id = try #require(all["request_identifier"] as? String)
            try await world.simulator.advance(by: 86_400)
            let status = try await world.api.get("/v1/extensions/\(id)?product_id=\(Self.monthly)")
            #expect(status["is_complete"] as? Bool == true && status["succeeded_count"] as? Int == 1, "\(status.text)")
            #expect(try await world.api.get("/v1/extensions/\(id)").code == "missing_parameter")
        }
    }

    @Test func `The audit log describes an extension for all subscribers of a product`() async throws {
        try await World.withAPI { world in
            let body: [String: Any] = [
                "product_id": Self.monthly, "days": 2, "reason": "service_issue", "storefronts": ["USA", "DEU"],
            ]
            let answer = try await world.api.post("/v1/extensions", body)
            #expect(answer.status == 202, "\(answer.text)")
            let entry = try #require(try await world.api.get("/v1/audit").items.first)
            #expect(entry["action"] as? String == "POST /v1/extensions")
            #expect(entry["detail"] as? String == "2 days more, service_issue: \(Self.monthly) in USA, DEU")
        }
    }

    @Test func `Unclaimed purchases are listed page by page`() async throws {
        try await World.withAPI { world in
            for name in ["anna", "ben", "carl"] {
                try await world.simulator.perform(
                    .purchase(customer: name, product: Self.monthly, appAccountToken: .absent))
            }
            _ = try await world.subscribe("dora")
            try await world.waitUntilIdle()
            func unclaimed() async throws -> [String] {
                var found: [String] = []
                var page = ""
                for _ in 0..<9 {
                    let answer = try await world.api.get("/v1/purchases?claimed=false&limit=1" + page)
                    #expect(answer.status == 200 && answer.items.count <= 1)
                    found += answer.items.compactMap { $0["original_transaction_id"] as? String }
                    guard let next = answer["next_page"] as? String else { return found }
                    page = "&page=" + next
                }
                Issue.record("The list does not end: \(found)")
                return found
            }
            let all = try await unclaimed()
            #expect(all.count == 3 && all == all.sorted())
            let first = try #require(all.first)
            let texts = try await world.signedTransactions(of: first)
            _ = try await world.api.post("/v1/customers/anna/purchases", ["signed_transactions": texts])
            #expect(try await unclaimed() == Array(all.dropFirst()))
            for query in ["", "?claimed=true", "?claimed=no"] {
                #expect(try await world.api.get("/v1/purchases" + query).status == 400)
            }
        }
    }

    @Test func `An unclaimed subscription that was migrated is listed without access`() async throws {
        try await World.withAPI { world in
            let bought = try await world.simulator.perform(
                .purchase(customer: "anna", product: Self.monthly, appAccountToken: .absent))
            let old = try #require(bought.originalTransactionID)
            try await world.waitUntilIdle()
            func hasAccess() async throws -> Bool? {
                let items = try await world.api.get("/v1/purchases?claimed=false").items
                return items.first { $0["original_transaction_id"] as? String == old }?["has_access"] as? Bool
            }
            #expect(try await hasAccess() == true)
            try await world.simulator.trigger(TriggerRequest(.migration, customer: "anna"))
            try await world.waitUntilIdle()
            #expect(try await hasAccess() == false)
            #expect(try await world.api.get("/v1/subscriptions/\(old)")["has_access"] as? Bool == false)
        }
    }

    @Test func `Notifications can be filtered by subscription`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            _ = try await world.subscribe("ben")
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.waitUntilIdle()
            let entitlement = try await world.api.get("/v1/customers/\(anna)/entitlements/premium")
            let original = try #require(entitlement["original_transaction_id"] as? String)
            let path = "/v1/notifications?original_transaction_id=\(original)"
            let all = try await world.api.get(path)
            #expect(all.items.map { $0["type"] as? String } == ["DID_CHANGE_RENEWAL_STATUS", "SUBSCRIBED"])
            let first = try await world.api.get(path + "&limit=1")
            let next = try #require(first["next_page"] as? String)
            #expect(
                try await world.api.get(path + "&limit=1&page=\(next)").items.first?["type"] as? String == "SUBSCRIBED")
            #expect(try await world.api.get(path + "&type=SUBSCRIBED").items.count == 1)
            #expect(try await world.api.get(path + "&state=failed").isEmptyList)
            #expect(try await world.api.get(path + "&environment=Sandbox").isEmptyList)
            #expect(try await world.api.get("/v1/notifications?original_transaction_id=1").isEmptyList)
        }
    }
}
