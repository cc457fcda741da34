import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import Logging
import NIOHTTP1
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Secrets in the log` {
    @Test(arguments: ServerConfiguration.LogFormat.allCases)
    func `The log at level "trace" contains no secret and no customer data`(_ format: ServerConfiguration.LogFormat)
        async throws
    {
        let lines = LogCapture()
        var log = ServerConfiguration.Log()
        (log.level, log.format) = (.trace, format)
        let key = APIKeyText.make()
        let secret = "whsec_" + Data(repeating: 77, count: 32).base64EncodedString()
        let token = UUID()
        var secrets: [String] = [key, APIKeyText.hexadecimalHash(of: key), secret, "cfk_wrong", "ann@example.com"]
        try await World.run(
            simulator: { $0.createsReceiptAuthorityAtStart = true },
            server: { configuration in
                configuration.keys = [.init(name: "all", hash: APIKeyText.hash(of: key), scopes: Set(APIScope.all))]
                configuration.webhooks = [
                    .init(name: "backend", url: "http://127.0.0.1:9/", secrets: [Secret(secret)])
                ]
            }, logger: lines.logger(log)
        ) { world in
            try await world.simulator.perform(
                .purchase(
                    customer: "anna", product: "com.example.premium.monthly", appAccountToken: AppAccountToken(token)))
            try await world.waitUntilIdle()
            try await world.simulator.advance(by: Period.year)
            try await world.waitUntilIdle()
            try await Self.sendRequests(world, key: key, customer: token.uuidString.lowercased())
            let core = try world.server.core
            let customer = try await core.customers.customer(
                token.uuidString.lowercased(), in: world.appEnvironment(), at: nil)
            secrets += [token.uuidString, token.uuidString.lowercased()]
            secrets += try await Self.restore(
                world, key: key, customer.lineages.flatMap(\.transactions).map(\.transactionID))
            try #require(!customer.lineages.isEmpty)
            for lineage in customer.lineages {
                secrets.append(lineage.originalTransactionID)
                secrets += lineage.transactions.map(\.transactionID)
                let stored = try await core.storage.notifications(
                    about: lineage.originalTransactionID, in: world.appEnvironment().id, limit: 100)
                #expect(!stored.isEmpty)
                secrets += stored.map { String($0.text.suffix(80)) }
            }
            // Check each line of the key: the log escapes line breaks, so it never contains the whole text.
            let pem = try String(contentsOfFile: world.simulator.information.privateKey, encoding: .utf8)
            let keyLines = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.map(String.init)
            try #require(keyLines.count > 1)
            secrets += keyLines
        }
        let text = lines.text
        #expect(text.contains("/v1/customers/{id}"), "requests are logged")
        #expect(text.contains("LedgerWriter") && !text.contains("LedgerWriter("), "services are not described")
        for secret in secrets { #expect(!text.contains(secret), "\(secret) is in the log") }
    }

    @Test func `The log has the request ID of the response`() async throws {
        let lines = LogCapture()
        var log = ServerConfiguration.Log()
        log.level = .debug
        try await World.run(logger: lines.logger(log)) { world in
            let answer = try await world.request("/health/live")
            let requestID = try #require(answer.headers["x-request-id"].first)
            #expect(requestID.count >= 8)
            let line = lines.text.split(separator: "\n").first { $0.contains("request=\(requestID)") }
            #expect(line?.contains("method=GET") == true)
            #expect(line?.contains("route=/health/live status=200") == true)
            #expect(try await world.request("/x").headers["x-request-id"].first != requestID)
        }
    }

    /// Sends valid and invalid requests that contain personal data or secrets.
    private static func sendRequests(_ world: World, key: String, customer: String) async throws {
        let authorization = ["Authorization": "Bearer \(key)"]
        for path in [
            "/v1/customers/\(customer)", "/v1/customers/\(customer)?at=1", "/v1/customers/ann@example.com?at=x",
            "/v1/customers/ann@example.com?environment=ann@example.com", "/nothing/ann@example.com?k=\(key)",
            "/v1/customers/ann@example.com/timeline", "/v1/orders/ann@example.com", "/metrics", "/health/ready",
        ] {
            _ = try await world.request(path, headers: authorization)
            _ = try await world.request(path, headers: ["Authorization": "Bearer cfk_wrong"])
        }
        for body in ["{\"signedPayload\":\"ann@example.com\"}", "ann@example.com", "{\"ann@example.com\":1}"] {
            _ = try await world.request(.POST, "/apple/notifications", body: body)
            _ = try await world.request(
                .POST, "/v1/customers/ann@example.com/purchases", headers: authorization, body: body)
            _ = try await world.request(.POST, "/verifyReceipt", headers: authorization, body: body)
        }
    }

    /// Restores purchases from an app. Returns the end of each signed text and of the receipt.
    private static func restore(_ world: World, key: String, _ transactions: [String]) async throws -> [String] {
        let signed = try await world.signedTransactions(of: #require(transactions.first))
        let receipt = try world.simulator.receipt(of: "anna")
        var statuses: [Int] = []
        for body in [
            "{\"signed_transactions\":[\"\(try #require(signed.first))\"],\"restore\":true}",
            "{\"receipt\":\"\(receipt)\",\"restore\":true}",
            "{\"signed_transactions\":[\"\(receipt)\"],\"receipt\":\"\(signed[0])\"}",
        ] {
            let answer = try await world.request(
                .POST, "/v1/customers/ann@example.com/purchases", headers: ["Authorization": "Bearer \(key)"],
                body: body)
            statuses.append(answer.status)
        }
        #expect(statuses == [200, 200, 400])
        return (signed + [receipt]).map { String($0.suffix(80)) }
    }
}
