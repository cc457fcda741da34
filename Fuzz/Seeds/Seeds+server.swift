import AppStoreModels
import AppStoreTrust
import Entitlements
import Foundation
import FuzzSupport
import Ledger
import LedgerSQLite
import StoreSimulator

extension Seeds {
    /// Input of the server: configurations, packed records and texts of the ledger, and input of the console.
    static func server() throws -> [Seed] { configurations() + (try packed()) + consoleInput() }

    private static func configurations() -> [Seed] {
        [
            seed("configurations", "least.yaml", "apps: [{bundle_id: com.example, apple_id: 41}]\n"),
            seed(
                "configurations", "more.yaml",
                """
                listen: {address: 127.0.0.1, port: 8080, public_url: "https://purchases.example"}
                apps:
                  - bundle_id: com.example
                    apple_id: 41
                    environments: [production, sandbox]
                    entitlements: {pro: {products: [monthly, yearly]}}
                storage: {path: ledger.db}
                webhooks: [{name: hooks, url: "https://receiver.example", secrets: [whsec_c2VjcmV0]}]
                console: {enabled: true}
                log: {level: info, format: json}

                """),
            seed("configurations", "wrong.yaml", "lisen: 1\napps:\n  - bundle_id: com.example\nlog: {level: [1}\n"),
        ]
    }

    /// A record with two periods in the first version's format, without prices.
    private static let firstVersion =
        "AQIHbW9udGhseRI3MDQwMDAwMDAwMDAwMDAwMDECgQQBMUABCQAAQYCA5oK5ZgCA8LJSfj+yC0zbR8yTbZnWX2CBOIEIATJAAQkAAEGA8JjVuWYAgPCyUgACBAA="

    private static func packed() throws -> [Seed] {
        var record = LineageRecord("1")
        let account = UUID(uuidString: "7e3fb20b-4cdb-47cc-936d-99d65f608138")
        for (number, id) in ["1", "2"].enumerated() {
            let bought = present + Double(number) * 86_400
            let fact = TransactionFact(
                transactionID: id, originalTransactionID: "1", productID: "monthly", type: .autoRenewableSubscription,
                purchaseDate: bought, expiresDate: bought + 86_400, signedDate: bought, appAccountToken: account,
                appTransactionID: "704000000000000001", price: 9_990, currency: "USD")
            _ = try record.add(fact, .init(id: Int64(number) + 1) { _ in false })
        }
        let twoPeriods = PackedLineage.pack(record)
        guard let former = Data(base64Encoded: firstVersion) else { throw CocoaError(.coderReadCorrupt) }
        _ = record.addMention(of: 1, signedDate: 1_760_000_000_000)
        let text = try Authority(now: present).sign(json: Data((PayloadSeeds.all["transaction"] ?? "").utf8))
        return [
            seed("packed-records", "empty", PackedLineage.pack(LineageRecord("1"))),
            seed("packed-records", "two-periods", twoPeriods),
            seed("packed-records", "first-version", former),
            seed("packed-records", "with-a-notification", PackedLineage.pack(record)),
            seed("packed-texts", "transaction.jws", text), seed("packed-texts", "plain", "no signed text"),
            seed("packed-texts", "packed", HeaderRegistry().pack("plain").bytes),
        ]
    }

    private static func consoleInput() -> [Seed] {
        let token = "eyJhbGciOiJFUzI1NiIsImtpZCI6IktFWSJ9.eyJhdWQiOiJhcHBzdG9yZWNvbm5lY3QtdjEiLCJleHAiOjF9.AAAA"
        let texts = [
            "transaction": "2000000012345678", "order": "MQ1234ABCD", "event": "evt_1", "customer": " anna\n",
            "uuid": "48C8B92D-CE0D-4229-BEDF-E61B4F9CFC92", "token": token,
            "wrapped.json": #"{"signedPayload":"\#(token)"}"#,
            "receipt-answer.json": #"{"status":0,"latest_receipt":"MIIB"}"#,
            "receipt.json": #"{"receipt-data":"MIIB"}"#,
            "webhook":
                "webhook-id: msg_1\r\nwebhook-timestamp: 1760000000\nwebhook-signature: v1,AAAA\n\n{\"type\":\"a\"}",
            "certificate.pem": "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
            // The claims are UTF-16.
            "utf-16": "e30.ewAiAGEAIgA6ADEAfQA.AAAA",
        ]
        return texts.map { seed("console-input", $0.key, $0.value) }
    }
}
