import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing
import Yams

@Suite struct `The description of the API` {
    private typealias Object = [String: Any]

    private static func document() throws -> [String: Any] {
        try #require(try Yams.load(yaml: APIDescription.text) as? [String: Any])
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

    @Test func `has every route, and no other`() async throws {
        let described = Set(try Self.operations(Self.document()).keys)
        try await World.run { world in
            let operations = try world.server.operations
            #expect(operations == described)
        }
    }

    @Test func `refers to nothing that is not in it`() throws {
        let document = try Self.document()
        func walk(_ value: Any) throws {
            if let object = value as? Object {
                if let reference = object["$ref"] as? String { _ = try Self.resolve(reference, document) }
                for member in object.values { try walk(member) }
            } else if let list = value as? [Any] {
                for item in list { try walk(item) }
            }
        }
        try walk(document)
    }

    private static func resolve(_ reference: String, _ document: [String: Any]) throws -> [String: Any] {
        var object = document
        for part in reference.split(separator: "/").dropFirst() {
            object = try #require(object[String(part)] as? [String: Any], "\(reference)")
        }
        return object
    }

    /// Requests of a server where anna, called ID, has a subscription with the transaction TRANSACTION of the order ORDER,
    /// told by the notification UUID.
    private static let calls: [(operation: String, path: String, body: String?)] = [
        ("GET /health/live", "/health/live", nil), ("GET /openapi.yaml", "/openapi.yaml", nil),
        ("GET /v1/customers/{id}", "/v1/customers/ID", nil),
        ("GET /v1/customers/{id}/timeline", "/v1/customers/ID/timeline", nil),
        (
            "GET /v1/customers/{id}/entitlements/{key}/explain",
            "/v1/customers/ID/entitlements/premium/explain?include=signed_data", nil
        ),
        ("GET /v1/notifications", "/v1/notifications", nil),
        ("GET /v1/notifications/{id}", "/v1/notifications/UUID?include=signed_data", nil),
        ("POST /v1/notifications/{id}/reprocess", "/v1/notifications/UUID/reprocess", nil),
        ("GET /v1/refused", "/v1/refused", nil),
        ("GET /v1/transactions/{id}", "/v1/transactions/TRANSACTION", nil),
        ("GET /v1/orders/{id}", "/v1/orders/ORDER", nil),
        ("POST /apple/notifications", "/apple/notifications", #"{"signedPayload":"TEXT"}"#),
        ("POST /apple/retention", "/apple/retention", #"{"signedPayload":"QUESTION"}"#),
    ]

    @Test func `says what the answers are`() async throws {
        let document = try Self.document()
        let operations = try Self.operations(document)
        try await World.withAPI { world in
            let names = try await Self.names(world)
            for call in Self.calls {
                let operation = try #require(operations[call.operation] as? Object, "\(call.operation)")
                let responses = try #require(operation["responses"] as? Object)
                let status = try #require(responses.keys.first { $0 != "default" })
                func filled(_ text: String) -> String {
                    names.reduce(text) { $0.replacingOccurrences(of: $1.name, with: $1.value) }
                }
                let answer = try await world.api.send(
                    String(call.operation.prefix { $0 != " " }), filled(call.path),
                    body: call.body.map { Data(filled($0).utf8) })
                #expect(answer.status == Int(status), "\(call.operation): \(answer.text.prefix(300))")
                let content = (responses[status] as? Object)?["content"] as? Object
                #expect(answer.headers["content-type"] == content?.keys.first, "\(call.operation)")
                guard let schema = (content?["application/json"] as? Object)?["schema"] as? Object else { continue }
                Self.check(answer.json, schema, document, "\(call.operation)")
            }
            // What no test calls is not proven.
            #expect(Set(Self.calls.map(\.operation)) == Set(operations.keys))
            let refused = try await world.api.get("/v1/customers/x?at=y")
            Self.check(refused.json, ["$ref": "#/components/schemas/Error"], document, "error")
        }
    }

    private static func names(_ world: World) async throws -> [(name: String, value: String)] {
        let anna = try await world.subscriber("anna")
        let core = try world.server.core
        let transaction = try #require(
            try await core.customer(anna, in: world.scope(), at: nil).facts.transactions.first?.transactionId)
        let order = try #require(
            world.simulator.core.read(.production) { store, _ in store.transactions[transaction]?.order })
        let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
        _ = try await world.api.send("POST", "/apple/notifications", body: Data("{}".utf8))
        await core.refusals.keep()
        let kept = try #require(try await core.storage.notification(uuid))
        return [
            ("TRANSACTION", transaction), ("QUESTION", try world.question()), ("ORDER", order), ("UUID", uuid),
            ("TEXT", kept.text), ("ID", anna),
        ]
    }

    /// Says where a value is not what a schema says, and which members the schema does not know.
    private static func check(_ value: Any, _ schema: [String: Any], _ document: [String: Any], _ path: String) {
        var schema = schema
        if let reference = schema["$ref"] as? String {
            guard let found = try? resolve(reference, document) else {
                Issue.record("\(path): \(reference)")
                return
            }
            schema = found
        }
        var properties = schema["properties"] as? Object ?? [:]
        var required = Set(schema["required"] as? [String] ?? [])
        for part in schema["allOf"] as? [Object] ?? [] {
            guard let name = part["$ref"] as? String, let base = try? resolve(name, document) else { continue }
            properties.merge(base["properties"] as? Object ?? [:]) { first, _ in first }
            required.formUnion(base["required"] as? [String] ?? [])
        }
        if let constant = schema["const"] as? String { #expect(value as? String == constant, "\(path)") }
        if let words = schema["enum"] as? [String] { #expect(words.contains(value as? String ?? ""), "\(path)") }
        let types = schema["type"] as? [String] ?? [schema["type"] as? String].compactMap(\.self)
        if !types.isEmpty { #expect(types.contains { isOf($0, value) }, "\(path): \(value) is not \(types)") }
        if let object = value as? Object {
            #expect(required.subtracting(object.keys).isEmpty, "\(path)")
            for (name, member) in object where !properties.isEmpty {
                guard let property = properties[name] as? Object else {
                    Issue.record("\(path).\(name) is not described")
                    continue
                }
                check(member, property, document, "\(path).\(name)")
            }
        }
        if let items = schema["items"] as? Object {
            for item in value as? [Any] ?? [] { check(item, items, document, "\(path)[]") }
        }
    }

    private static func isOf(_ type: String, _ value: Any) -> Bool {
        switch type {
        case "object": value is Object
        case "array": value is [Any]
        case "string": value is String
        case "boolean": value is Bool
        case "integer": value is Int
        case "null": value is NSNull
        default: false
        }
    }
}

extension World {
    /// A genuine question for a retention message.
    func question() throws -> String {
        try simulator.core.authority.signer.sign(
            DecodedRealtimeRequestBody(
                originalTransactionId: "1", appAppleId: simulator.information.appAppleId, productId: "p",
                userLocale: "en-US", requestIdentifier: UUID(), environment: .production, signedDate: World.start))
    }
}
