import AppStoreServer
import Foundation
import StoreSimulator
import Testing
import Yams

@Suite struct `The description of the control API` {
    private typealias Object = [String: Any]

    private static func document() throws -> [String: Any] {
        try #require(try Yams.load(yaml: ControlDescription.text) as? [String: Any])
    }

    @Test func `The OpenAPI description has exactly the operations of the control API`() throws {
        let paths = try #require(try Self.document()["paths"] as? Object)
        var described: Set<String> = []
        for (path, item) in paths {
            let item = try #require(item as? Object)
            for method in item.keys where method != "parameters" { described.insert("\(method.uppercased()) \(path)") }
        }
        #expect(described == Set(ControlDescription.operations))
        #expect(described.count == ControlDescription.operations.count)
    }

    @Test func `The operations take exactly the query parameters of the OpenAPI description`() throws {
        let document = try Self.document()
        var described: Set<String> = []
        for (path, item) in try #require(document["paths"] as? Object) {
            for (method, operation) in try #require(item as? Object) where method != "parameters" {
                for parameter in (operation as? Object)?["parameters"] as? [Object] ?? [] {
                    let reference = parameter["$ref"] as? String
                    let found = try reference.map { try Self.resolve($0, in: document) } ?? parameter
                    guard found["in"] as? String == "query", let name = found["name"] as? String else { continue }
                    described.insert("\(method.uppercased()) \(path) \(name)")
                }
            }
        }
        #expect(described.count > 10)
        #expect(described == Set(ControlDescription.parameters))
    }

    @Test func `The OpenAPI description has every command under its JSON name`() throws {
        let components = try #require(try Self.document()["components"] as? Object)
        let schemas = try #require(components["schemas"] as? Object)
        let command = try #require(schemas["StoreCommand"] as? Object)
        let properties = try #require(command["properties"] as? Object)
        #expect(Set(properties.keys) == Set(StoreCommand.names))
        for name in StoreCommand.names {
            // The name is known; a required member of the command may be missing.
            do { _ = try JSONDecoder().decode(StoreCommand.self, from: Data(#"{"\#(name)":{}}"#.utf8)) } catch {
                guard case DecodingError.keyNotFound(_, let context) = error else {
                    Issue.record("\(name): \(error)")
                    continue
                }
                #expect(context.codingPath.first?.stringValue == name)
            }
        }
    }

    @Test func `Every reference in the OpenAPI description resolves`() throws {
        let document = try Self.document()
        var count = 0
        func walk(_ value: Any) throws {
            if let object = value as? Object {
                if let reference = object["$ref"] as? String {
                    _ = try Self.resolve(reference, in: document)
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

    private static func resolve(_ reference: String, in document: Object) throws -> Object {
        var object = document
        for part in reference.split(separator: "/").dropFirst() {
            object = try #require(object[String(part)] as? Object, "\(reference)")
        }
        return object
    }

    /// Operations, each with a request that succeeds on a simulator in which anna has a subscription.
    private static let calls: [(operation: String, path: String, body: String?)] = [
        ("GET /simulator", "", nil), ("GET /simulator/clock", "/clock", nil),
        ("POST /simulator/clock/advance", "/clock/advance", #"{"by":"1d"}"#),
        ("POST /simulator/wait-until-idle", "/wait-until-idle", nil),
        (
            "POST /simulator/{environment}/commands", "/production/commands",
            #"{"purchase":{"customer":"ben","product":"com.example.unlock"}}"#
        ),
        ("POST /simulator/{environment}/trigger", "/production/trigger", #"{"notificationType":"REFUND"}"#),
        ("GET /simulator/{environment}/customers", "/production/customers", nil),
        ("GET /simulator/{environment}/customers/{customer}", "/production/customers/anna", nil),
        (
            "GET /simulator/{environment}/customers/{customer}/purchases", "/production/customers/anna/purchases", nil
        ),
        (
            "GET /simulator/{environment}/customers/{customer}/devices/{device}",
            "/production/customers/anna/devices/phone", nil
        ),
        (
            "GET /simulator/{environment}/customers/{customer}/devices/{device}/updates",
            "/production/customers/anna/devices/phone/updates?after=0&wait=1", nil
        ),
        ("GET /simulator/{environment}/catalogue", "/production/catalogue", nil),
        ("GET /simulator/{environment}/settings", "/production/settings", nil),
        ("PATCH /simulator/{environment}/settings", "/production/settings", #"{"maximumRenewalLeadTime":0}"#),
        ("GET /simulator/{environment}/notifications", "/production/notifications?customer=anna", nil),
        ("GET /simulator/faults", "/faults", nil),
        ("POST /simulator/faults", "/faults", #"{"target":"route:*","effect":{"drop":{}},"count":1}"#),
        ("DELETE /simulator/faults/{number}", "/faults/1", nil), ("DELETE /simulator/faults", "/faults", nil),
        ("PUT /simulator/ocsp", "/ocsp", #"{"status":"good"}"#),
        ("POST /simulator/authority/rotate", "/authority/rotate", nil),
        ("POST /simulator/snapshots", "/snapshots", #"{"name":"x"}"#), ("GET /simulator/snapshots", "/snapshots", nil),
        ("POST /simulator/snapshots/{name}/restore", "/snapshots/x/restore", nil),
        ("PUT /simulator/{environment}/notification-url", "/production/notification-url", #"{"url":null}"#),
        ("POST /simulator/scenarios", "/scenarios", #"{"yaml":"name: x\nsteps: [{advance: 1d}]"}"#),
        ("POST /simulator/reset", "/reset", nil),
    ]

    @Test func `Responses have the status and the required members of the OpenAPI description`() async throws {
        let document = try Self.document()
        let paths = try #require(document["paths"] as? Object)
        let expected = try Self.calls.map { call in
            let parts = call.operation.split(separator: " ").map(String.init)
            let item = try #require(paths[parts[1]] as? Object)
            let operation = try #require(item[parts[0].lowercased()] as? Object, "\(call.operation)")
            let responses = try #require(operation["responses"] as? Object)
            let status = try #require(responses.keys.filter { $0 != "default" }.min())
            var response = try #require(responses[status] as? Object)
            if let shared = response["$ref"] as? String { response = try Self.resolve(shared, in: document) }
            let content = (response["content"] as? Object)?["application/json"] as? Object
            let reference = (content?["schema"] as? Object)?["$ref"] as? String
            return (
                method: parts[0], status: Int(status), members: try reference.map { try Self.required($0, document) }
            )
        }
        try await withSimulator { simulator in
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            let transport = AsyncHTTPClientTransport()
            for (call, expected) in zip(Self.calls, expected) {
                let answer = try await transport.send(
                    HTTPTransportRequest(
                        method: expected.method, url: simulator.information.controlURL + call.path,
                        headers: call.body == nil ? [] : [("Content-Type", "application/json")],
                        body: call.body.map { Data($0.utf8) }, timeout: .seconds(600)))
                #expect(
                    answer.status == expected.status,
                    "\(call.operation) \(String(decoding: answer.body, as: UTF8.self))")
                guard let members = expected.members else { continue }
                let object = try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
                #expect(members.subtracting(object.keys).isEmpty, "\(call.operation)")
                if let items = object["items"] as? [Any], call.path.hasPrefix("/production") { #expect(!items.isEmpty) }
            }
            // Errors have the described members as well.
            let refused = try await transport.send(
                HTTPTransportRequest(
                    method: "GET", url: simulator.information.controlURL + "/production/customers/zoe",
                    timeout: .seconds(600))
            )
            #expect(refused.status == 404)
            let object = try #require(try JSONSerialization.jsonObject(with: refused.body) as? [String: Any])
            #expect(Set(object.keys).isSuperset(of: ["object", "code", "message", "retryable"]))
        }
    }

    @Test func `The OpenAPI schemas match the members of settings, customers and outcomes`() async throws {
        var settings = StoreSettings()
        (settings.renewalCap, settings.notificationURL) = (12, "http://127.0.0.1")
        try Self.expect(settings, "StoreSettings", isWhole: true)
        try await withSimulator { simulator in
            let outcome = try await simulator.perform(
                .purchase(customer: "anna", product: "com.example.premium.monthly"))
            try Self.expect(outcome, "StoreOutcome")
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.unlock"))
            let state = try simulator.state(of: "anna")
            try Self.expect(state, "CustomerState")
            try Self.expect(try #require(state.subscriptions.first), "SubscriptionState")
            try Self.expect(try #require(state.purchases.first), "PurchaseState")
            try Self.expect(try await simulator.advance(by: Period.month), "AdvanceReport", isWhole: true)
        }
    }

    private static func members(of value: some Encodable) throws -> Set<String> {
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? Object
        return Set(try #require(json).keys)
    }

    /// Expects that a value has every member that the schema requires, and no member that it does not describe.
    private static func expect(_ value: some Encodable, _ schema: String, isWhole: Bool = false) throws {
        let members = try members(of: value)
        let document = try document()
        let object = try resolve("#/components/schemas/\(schema)", in: document)
        var parts = [object]
        for part in object["allOf"] as? [Object] ?? [] {
            parts.append(try (part["$ref"] as? String).map { try resolve($0, in: document) } ?? part)
        }
        let described = Set(parts.flatMap { ($0["properties"] as? Object ?? [:]).keys })
        #expect(members.subtracting(described).isEmpty, "\(schema) lacks \(members.subtracting(described))")
        let required = Set(parts.flatMap { $0["required"] as? [String] ?? [] })
        #expect(required.subtracting(members).isEmpty, "\(schema) requires \(required.subtracting(members))")
        if isWhole { #expect(described == members, "\(schema)") }
    }

    static func call(
        _ simulator: Simulator, _ method: String, _ path: String, _ body: Data? = nil
    ) async throws -> HTTPTransportResponse {
        try await AsyncHTTPClientTransport().send(
            HTTPTransportRequest(
                method: method, url: simulator.information.controlURL + path,
                headers: body == nil ? [] : [("Content-Type", "application/json")], body: body, timeout: .seconds(600)))
    }

    /// Returns the members that a schema requires.
    private static func required(_ reference: String, _ document: [String: Any]) throws -> Set<String> {
        Set((try resolve(reference, in: document)["required"] as? [String]) ?? [])
    }
}
