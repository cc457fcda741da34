import AppStoreModels
import AppStoreServer
import Crypto
import Foundation
import StoreSimulator
import Testing

@Suite struct `Read requests of AppStoreServerClient to the simulator` {
    private static let product = "com.example.premium.monthly"

    @Test(arguments: [AppStoreEnvironment.production, .sandbox])
    func `Transaction, status, history pages and app transaction from the simulator verify`(
        _ environment: AppStoreEnvironment
    ) async throws {
        try await Simulator.run { simulator in
            let subscription = try await simulator.buy(Self.product, in: environment)
            var ids = [subscription]
            for _ in 0..<44 { ids.append(try await simulator.buy("com.example.coins.100", in: environment)) }
            let (client, verifier) = (try simulator.client(environment), try simulator.verifier())

            let one = try await verifier.transaction(client.transaction(subscription).signedTransactionInfo).payload
            #expect(one.transactionId == subscription)
            #expect(one.environment == environment)

            let status = try await client.subscriptionStatuses(of: subscription)
            let last = try #require(status.data.first?.lastTransactions.first)
            #expect(last.status == .active)
            let renewal = try await verifier.renewalInfo(last.signedRenewalInfo).payload
            #expect(renewal.autoRenewProductId == Self.product)

            var sizes: [Int] = []
            var found: [String] = []
            for try await page in client.transactionHistory(of: subscription) {
                sizes.append(page.signedTransactions.count)
                for text in page.signedTransactions {
                    found.append(try await verifier.transaction(text).payload.transactionId)
                }
            }
            #expect(sizes == [20, 20, 5])
            #expect(found == ids)

            let app = try await client.appTransaction(of: subscription).signedAppTransactionInfo
            #expect(try await verifier.appTransaction(app).payload.appTransactionId == one.appTransactionId)
        }
    }

    @Test func `The client reads the transactions that changed since a stored revision`() async throws {
        try await Simulator.run { simulator in
            let coins = [
                try await simulator.buy("com.example.coins.100"), try await simulator.buy("com.example.coins.100"),
            ]
            let client = try simulator.client()
            var revision: String?
            for try await page in client.transactionHistory(of: coins[0]) { revision = page.revision }
            try await simulator.perform(.approveRefund(customer: "anna", transaction: coins[0]))
            var changed: [String] = []
            for try await text in client.transactionHistory(of: coins[1], after: revision).items {
                changed.append(try Payload(text).body["transactionId"]?.text ?? "")
            }
            #expect(changed == [coins[0]])
            var refunds: [String] = []
            for try await text in client.refundHistory(of: coins[1]).items {
                refunds.append(try Payload(text).body["transactionId"]?.text ?? "")
            }
            #expect(refunds == [coins[0]])
        }
    }

    @Test func `Documented errors reach the client with their code and status`() async throws {
        try await Simulator.run { simulator in
            let coin = try await simulator.buy("com.example.coins.100")
            let (client, sandbox) = (try simulator.client(), try simulator.client(.sandbox))
            let days = ExtendRenewalDateRequest(extendByDays: 1, extendReasonCode: .other, requestIdentifier: "r")
            let calls: [(APIErrorCode, Int, () async throws -> Void)] = [
                (.transactionIdNotFound, 404, { _ = try await client.transaction("1") }),
                (.transactionIdNotFound, 404, { _ = try await sandbox.transaction(coin) }),
                (.invalidTransactionId, 400, { _ = try await client.transaction("abc") }),
                (.serverNotificationUrlNotFound, 404, { _ = try await client.requestTestNotification() }),
                (.subscriptionExtensionIneligible, 403, { _ = try await client.extendRenewalDate(of: coin, days) }),
            ]
            for (code, status, call) in calls {
                let error = await #expect(throws: AppStoreServerError.self) { try await call() }
                #expect(error?.apiCode == code)
                #expect(error?.status == status)
                #expect(error?.code == .refused)
                #expect(error?.apiMessage?.isEmpty == false)
            }
        }
    }

    @Test func `Tokens with another key, issuer or app, and expired tokens, are refused with 401`() async throws {
        try await Simulator.run { simulator in
            let coin = try await simulator.buy("com.example.coins.100")
            let (key, information) = (try simulator.key, simulator.information)
            let host = try AppStoreHost(url: information.baseURLs.production, environment: .production)
            let yesterday: @Sendable () -> Date = { Date() - 86_400 }
            let sources = [
                try APITokenSource(
                    key: SigningKey(P256.Signing.PrivateKey(), keyID: information.keyID),
                    issuerID: information.issuerID, bundleID: information.bundleID),
                try APITokenSource(
                    key: SigningKey(
                        pem: String(contentsOfFile: information.privateKey, encoding: .utf8), keyID: "OTHER"),
                    issuerID: information.issuerID, bundleID: information.bundleID),
                try APITokenSource(key: key, issuerID: "other", bundleID: information.bundleID),
                try APITokenSource(key: key, issuerID: information.issuerID, bundleID: "com.example.other"),
                try APITokenSource(
                    key: key, issuerID: information.issuerID, bundleID: information.bundleID, now: yesterday),
            ]
            for source in sources {
                let client = AppStoreServerClient(tokens: source, host: host)
                let error = await #expect(throws: AppStoreServerError.self) { try await client.transaction(coin) }
                #expect(error?.code == .unauthorized)
                #expect(error?.status == 401)
                // The client retries once with a new token.
                #expect(error?.attempts == 2)
            }
            _ = try await simulator.client().transaction(coin)
        }
    }

    @Test func `A request above the hourly quota is refused until the hour ends, in one environment only`() async throws
    {
        try await Simulator.run { simulator in
            let coin = try await simulator.buy("com.example.coins.100")
            let inSandbox = try await simulator.buy("com.example.coins.100", in: .sandbox)
            for _ in 0..<RateLimits.quota(of: .transaction, in: .production) {
                try simulator.core.limits.check(.transaction, in: .production, now: simulator.now)
            }
            let client = try simulator.client()
            let error = await #expect(throws: AppStoreServerError.self) { try await client.transaction(coin) }
            #expect(error?.code == .rateLimited)
            #expect(error?.apiCode == .rateLimitExceeded)
            let end = try #require(error?.retryAfter)
            #expect((Simulator.start + 3600..<Simulator.start + 3601).contains(end))
            _ = try await simulator.client(.sandbox).transaction(inSandbox)
            try await simulator.advance(by: 3600)
            _ = try await client.transaction(coin)
        }
    }
}
