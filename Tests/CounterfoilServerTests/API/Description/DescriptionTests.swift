import AppStoreModels
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing
import WebConsole

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

@Suite struct `The description of the API` {
    typealias Object = [String: Any]

    private static func document() throws -> [String: Any] {
        try DescribedAPI.current.get().document
    }

    private static func operations(_ document: [String: Any]) throws -> [String: Any] {
        var operations: Object = [:]
        for (path, item) in try #require(document["paths"] as? Object) {
            for (method, operation) in try #require(item as? Object) where method != "parameters" {
                operations["\(method.uppercased()) \(path)"] = operation
            }
        }
        return operations
    }

    @Test func `openapi.yaml describes every route of the server and no other`() async throws {
        let described = Set(try Self.operations(Self.document()).keys)
        try await World.run { world in
            let operations = try world.server.operations
            #expect(operations == described)
        }
    }

    @Test func `Every reference in openapi.yaml resolves`() throws {
        let document = try Self.document()
        var count = 0
        func walk(_ value: Any) throws {
            if let object = value as? Object {
                if let reference = object["$ref"] as? String {
                    _ = try DescribedAPI.resolve(reference, document)
                    count += 1
                }
                for member in object.values { try walk(member) }
            } else if let list = value as? [Any] {
                for item in list { try walk(item) }
            }
        }
        try walk(document)
        #expect(count > 100)
    }

    /// Runs a world with a webhook endpoint named `backend`.
    private static func withEndpoint(_ body: (World) async throws -> Void) async throws {
        try await WebhookReceiver.run { receiver in
            let webhook = World.webhook("backend", receiver.url + "/backend")
            try await World.withAPI(
                server: { configuration in
                    configuration.webhooks = [webhook]
                    configuration.apps[0].responseSigningKey = .init(base64: String(repeating: "A", count: 43) + "=")
                }, body)
        }
    }

    /// The headers that every answer may have without being described.
    private static let undescribedHeaders = [
        "cache-control", "connection", "content-length", "content-type", "date", "transfer-encoding",
        "x-content-type-options", "x-request-id",
    ]

    @Test(.timeLimit(.minutes(10)))
    func `The answers of all operations match openapi.yaml in status, headers and members`() async throws {
        let described = try DescribedAPI.current.get()
        let operations = try Self.operations(described.document)
        try await Self.withEndpoint { world in
            let placeholders = try await Self.placeholders(world)
            for call in Self.calls {
                let operation = try #require(operations[call.operation] as? Object, "\(call.operation)")
                let responses = try #require(operation["responses"] as? Object)
                let status = try #require(responses.keys.filter { $0 != "default" }.min())
                func filled(_ text: String) -> String {
                    placeholders.reduce(text) { $0.replacingOccurrences(of: $1.name, with: $1.value) }
                }
                let answer = try await world.api.send(
                    String(call.operation.prefix { $0 != " " }), filled(call.path),
                    body: call.body.map { Data(filled($0).utf8) })
                #expect(answer.status == Int(status), "\(call.operation): \(answer.text.prefix(300))")
                let headers = ((responses[status] as? Object)?["headers"] as? Object ?? [:]).keys.map {
                    $0.lowercased()
                }
                #expect(
                    Set(answer.headers.keys).subtracting(Self.undescribedHeaders + headers) == [], "\(call.operation)")
                let content = (responses[status] as? Object)?["content"] as? Object
                let type = (answer.headers["content-type"]?.prefix { $0 != ";" }).map { String($0) }
                #expect(type == content?.keys.first { $0 == type }, "\(call.operation)")
                #expect((type == nil) == (content == nil), "\(call.operation)")
                guard type == "application/json",
                    let schema = (content?["application/json"] as? Object)?["schema"] as? Object
                else { continue }
                described.check(answer.json, schema, "\(call.operation)")
            }
            // Each operation was requested.
            #expect(Set(Self.calls.map(\.operation)) == Set(operations.keys))
            let refused = try await world.api.get("/v1/customers/x?at=y")
            described.check(refused.json, ["$ref": "#/components/schemas/Error"], "error")
        }
    }

    @Test func `Every request schema in openapi.yaml has the members that the server accepts`() async throws {
        let document = try Self.document()
        let operations = try Self.operations(document)
        try await Self.withEndpoint { world in
            #expect(try await world.api.send("POST", "/v1/webhooks", body: Data(Self.mine.utf8)).status == 201)
            let placeholders = [("$ID", "anna")]
            var checked = 0
            for call in Self.calls {
                let operation = try #require(operations[call.operation] as? Object)
                guard call.body != nil, call.path.hasPrefix("/v1/"), let schema = try Self.body(of: operation, document)
                else { continue }
                checked += 1
                #expect(schema["additionalProperties"] as? Bool == false, "\(call.operation)")
                let method = String(call.operation.prefix { $0 != " " })
                let path = placeholders.reduce(call.path) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
                for name in try #require(schema["properties"] as? Object, "\(call.operation)").keys {
                    let answer = try await world.api.send(method, path, body: Data(#"{"x\#(name)":1}"#.utf8))
                    #expect(
                        answer.status == 400 && answer.code == "unknown_member", "\(call.operation): \(answer.text)")
                    #expect(answer.json["param"] as? String == "x" + name)
                    // A short name may be nearest to another member.
                    #expect(name.count < 4 || answer.text.contains(#"did you mean \"\#(name)\"?"#), "\(answer.text)")
                }
            }
            #expect(checked > 10)
        }
    }

    @Test func `An optional member of a request that is null counts as omitted`() async throws {
        try await World.withAPI { world in
            let from = world.simulator.now.milliseconds - 600_000
            let plan = try await world.api.send(
                "POST", "/v1/recoveries",
                body: Data(#"{"from":\#(from),"to":null,"types":null,"dry_run":true}"#.utf8))
            #expect(plan.status == 200, "\(plan.text)")
            let reprocessed = try await world.api.send(
                "POST", "/v1/notifications/reprocess", body: Data(#"{"code":"none","dry_run":null}"#.utf8))
            #expect(reprocessed.status == 200 && reprocessed["dry_run"] as? Bool == false, "\(reprocessed.text)")
        }
    }

    private static func placeholders(_ world: World) async throws -> [(name: String, value: String)] {
        let anna = try await world.subscribe("anna")
        let core = try world.server.core
        let transaction = try #require(
            try await core.customers.customer(anna, in: world.appEnvironment(), at: nil).facts.transactions.first?
                .transactionID)
        let order = try #require(
            world.simulator.core.read(.production) { store, _ in store.transactions[transaction]?.order })
        let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
        let signed = try #require(try await world.signedTransactions(of: transaction).first)
        _ = try await world.api.send("POST", "/apple/notifications", body: Data("{}".utf8))
        _ = try await world.refusals()
        // The consumption request is answered asynchronously; every state is described.
        try await world.simulator.perform(.requestRefund(customer: "anna"))
        try await world.waitUntilIdle()
        let stored = try #require(try await core.storage.notification(uuid))
        let now = world.simulator.now.milliseconds
        // A free trial cannot be extended.
        let paid = try await world.simulator.perform(
            .purchase(customer: "paul", product: "com.example.premium.monthly", introductory: false))
        let recovery = try await world.api.post("/v1/recoveries", ["from": now - 600_000, "to": now])
        var delivery: Any?
        try await waitUntil("the first event has a delivery") {
            delivery = try await world.api.get("/v1/webhooks/backend/deliveries").items.first?["id"]
            return delivery != nil
        }
        let grant = try await world.api.post(
            "/v1/customers/\(anna)/grants", ["entitlement": "premium", "reason": "goodwill", "actor": "tests"])
        let session = core.sessions.start(key: "tests", digest: Data(), address: "192.0.2.1").session
        return [
            ("$SESSION", session.id),
            ("$PAID", try #require(paid.transactionID)), ("$GRANT", try #require(grant["id"] as? String)),
            ("$DELIVERY", "\(try #require(delivery))"), ("$RECOVERY", try #require(recovery["id"] as? String)),
            ("$TRANSACTION", transaction), ("$ORDER", order), ("$UUID", uuid), ("$ID", anna), ("$TEXT", stored.text),
            ("$QUESTION", try world.retentionRequest()), ("$SIGNED", signed), ("$FROM", "\(now - 600_000)"),
            ("$NOW", "\(now)"),
            ("$LATER", "\(now + 600_000)"), ("$DOWNLOAD", try await world.appTransaction(of: transaction)),
        ]
    }
}

extension World {
    /// A signed request of the App Store for a retention message.
    func retentionRequest() throws -> String {
        try simulator.core.authority.signer.sign(
            DecodedRealtimeRequestBody(
                originalTransactionId: "1", appAppleId: simulator.information.appAppleID, productId: "p",
                userLocale: "en-US", requestIdentifier: UUID(), environment: .production, signedDate: World.start))
    }
}
