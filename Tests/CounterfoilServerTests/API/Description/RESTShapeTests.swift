import AppStoreModels
import Basics
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing
import WebConsole

@testable import CounterfoilServer
@testable import Ledger

@Suite struct `Shape of API responses` {
    @Test func `A request with another method is answered with 405 and the allowed methods`() async throws {
        try await World.withAPI { world in
            for (method, path, allowed) in [
                ("PUT", "/v1/customers/anna", "DELETE, GET, HEAD"), ("GET", "/v1/customers/anna/merge", "POST"),
                ("GET", "/apple/notifications", "POST"), ("POST", "/health/live", "GET, HEAD"),
                ("DELETE", "/v1/webhooks", "GET, HEAD, POST"), ("HEAD", "/v1/customers/anna/merge", "POST"),
                // The path of this route also has the form of /v1/notifications/{id}.
                ("GET", "/v1/notifications/reprocess", "POST"),
            ] {
                let answer = try await world.api.send(method, path)
                #expect(answer.status == 405, "\(method) \(path)")
                #expect(answer.headers["allow"] == allowed, "\(method) \(path)")
                // An answer to HEAD has no body.
                let code: String? = method == "HEAD" ? nil : "method_not_allowed"
                #expect(answer.code == code, "\(method) \(path)")
            }
        }
    }

    @Test func `HEAD is answered like GET, without a body`() async throws {
        try await World.withAPI { world in
            for (path, status) in [
                ("/health/live", 200), ("/openapi.yaml", 200), ("/v1/customers/anna?include=spend", 200),
                ("/v1/segments/refunded?format=csv", 200), ("/v1/webhooks/none", 404), ("/v1/webhooks?x=1", 400),
                ("/v1/orders/%2F", 400), ("/nothing", 404),
            ] {
                let (get, head) = (try await world.api.get(path), try await world.api.send("HEAD", path))
                #expect(get.status == status && head.status == status, "\(path): \(get.text)")
                #expect(!get.body.isEmpty && head.body.isEmpty, "\(path)")
                for name in ["content-type", "content-disposition", "cache-control"] {
                    #expect(head.headers[name] == get.headers[name], "\(path): \(name)")
                }
            }
            // A stream would never end.
            let stream = try await world.api.send("HEAD", "/v1/events?topics=overview")
            #expect(stream.status == 200 && stream.headers["content-type"] == "text/event-stream")
            #expect(try world.server.core.changes.count == 0)
        }
    }

    @Test func `An unknown path is answered with 404 whatever the method`() async throws {
        try await World.withAPI { world in
            for path in ["/v1/customers", "/v1/customers/anna/nothing/here", "/nothing", "/v1", "/"] {
                let answer = try await world.api.send("PUT", path)
                #expect(answer.status == 404 && answer.code == "not_found" && answer.headers["allow"] == nil, "\(path)")
            }
        }
    }

    /// Over a connection of its own: the HTTP client would replace such a path.
    @Test func `A path that cannot be decoded is refused as such`() async throws {
        try await World.withAPI { world in
            for path in ["customers/%FF", "customers/%C3/timeline", "webhooks/%FF", "subscriptions/%FF"] {
                let connection = try RawConnection(url: world.url)
                connection.send(
                    "GET /v1/\(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(TestAPIClient.key)\r\n"
                        + "Connection: close\r\n\r\n")
                let answer = await connection.read()
                #expect(answer.hasPrefix("HTTP/1.1 400") && answer.contains(#""code":"invalid_request""#), "\(path)")
                #expect(answer.contains("The path is not percent-encoded UTF-8."), "\(path): \(answer)")
            }
        }
    }

    @Test func `A path with an empty segment is answered with 404`() async throws {
        try await World.withAPI { world in
            for path in [
                "/v1/customers//timeline", "/v1/webhooks//test", "/v1//customers/anna", "/v1/customers/anna//",
            ] {
                let answer = try await world.api.get(path)
                #expect(answer.status == 404 && answer.code == "not_found", "\(path): \(answer.text)")
            }
        }
    }

    @Test func `Answers forbid caching`() async throws {
        try await World.withAPI { world in
            for path in ["/v1/customers/anna", "/v1/customers/anna?at=never", "/health/ready", "/nothing"] {
                let answer = try await world.api.get(path)
                #expect(answer.headers["cache-control"] == "no-store", "\(path)")
            }
        }
    }

    @Test func `An error has the request ID of the header`() async throws {
        try await World.withAPI { world in
            for path in ["/v1/customers/anna?at=never", "/nothing", "/v1/transactions/1"] {
                let answer = try await world.api.get(path)
                let number = try #require(answer.headers["x-request-id"])
                #expect(answer["request_id"] as? String == number && !number.isEmpty && number != "none")
                #expect(answer["type"] == nil && answer.code != nil)
            }
        }
    }

    @Test func `An instant is accepted in milliseconds and in ISO 8601 with an offset`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let path = "/v1/customers/\(anna)?at="
            let expected = try await world.api.get(path + "1780000000000")["as_of"] as? Int
            #expect(expected == 1_780_000_000_000)
            for text in [
                "2026-05-28T20:26:40Z", "2026-05-28T20:26:40.000Z", "2026-05-28T22:26:40%2B02:00",
                "2026-05-28T22:26:40+02:00",
            ] {
                #expect(try await world.api.get(path + text)["as_of"] as? Int == expected, "\(text)")
            }
            for text in ["2026-05-28", "2026-05-28T20:26:40", "today", "1e3", "99999999999999999999", ""] {
                let answer = try await world.api.get(path + text)
                #expect(answer.status == 400 && answer.code == "invalid_instant", "\(text): \(answer.text)")
                #expect(answer.text.contains("ISO 8601 with time and zone"), "\(text): \(answer.text)")
            }
            let grant = try await world.api.post(
                "/v1/customers/\(anna)/grants",
                ["entitlement": "premium", "reason": "r", "actor": "a", "until": "2036-01-01T00:00:00Z"])
            #expect(grant.status == 201 && grant["until"] as? Int == 2_082_758_400_000)
        }
    }

    @Test func `The environment parameter ignores case`() async throws {
        try await World.withAPI { world in
            for name in ["sandbox", "SANDBOX", "Sandbox"] {
                let answer = try await world.api.get("/v1/customers/anna?environment=\(name)")
                #expect(answer.status == 200 && answer["environment"] as? String == "Sandbox", "\(name)")
                #expect(try await world.api.get("/v1/notifications?environment=\(name)").status == 200, "\(name)")
            }
        }
    }

    @Test func `Customers and events have a subscription's status as number and name`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let customer = try await world.api.get("/v1/customers/\(anna)")
            let subscription = try #require((customer["subscriptions"] as? [[String: Any]])?.first)
            #expect(subscription["status"] as? Int == 1 && subscription["status_name"] as? String == "active")
            let event = try #require(try await world.api.get("/v1/events").items.first?["data"] as? [String: Any])
            #expect(event["status"] as? Int == 1 && event["status_name"] as? String == "active")
        }
    }

    @Test func `The enumerations in openapi.yaml equal those of the code`() throws {
        let document = try DescribedAPI.current.get().document
        let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: Any])
        func words(_ name: String) throws -> Set<String> {
            let schema = try #require(schemas[name] as? [String: Any], "\(name)")
            return Set(try #require(schema["enum"] as? [String], "\(name)"))
        }
        // `webhook.test` is sent on request; endpoints cannot subscribe to it.
        #expect(try words("KnownEventType") == Set(EventType.all + ["webhook.test"]))
        #expect(try words("SegmentName") == Set(Segment.allCases.map(\.name)))
        #expect(try words("DeliveryState") == Set(WebhookDelivery.State.allCases.map(\.name)))
        #expect(try words("VerificationCode") == Self.codes("Sources/AppStoreTrust/VerificationError.swift"))
        #expect(try words("StateDetail") == Self.details())
    }

    /// A client with a closed enumeration refuses whole pages once the App Store adds a type.
    @Test func `The schema of event types allows types that the App Store may add`() throws {
        let document = try DescribedAPI.current.get().document
        let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: Any])
        let choices = (schemas["EventType"] as? [String: Any])?["anyOf"] as? [[String: Any]] ?? []
        let patterns = choices.compactMap { $0["pattern"] as? String }
        let added = EventType(NotificationTypeV2(rawValue: "LATER"), nil)
        #expect(patterns.contains { added.rawValue.range(of: $0, options: .regularExpression) != nil })
    }

    /// The enumerated values of a member, by a path such as `RefusedDelivery.code`.
    private static func words(of member: String) throws -> Set<String> {
        let document = try DescribedAPI.current.get().document
        let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: Any])
        let path = member.split(separator: ".").map(String.init)
        var schema = try #require(schemas[path[0]] as? [String: Any])
        for name in path.dropFirst() {
            let properties = try #require(schema["properties"] as? [String: Any])
            schema = try #require(properties[name] as? [String: Any], "\(member)")
            schema = schema["items"] as? [String: Any] ?? schema
        }
        let choices = schema["anyOf"] as? [[String: Any]] ?? [schema]
        let words: [String] = choices.flatMap { choice in
            let name = (choice["$ref"] as? String)?.split(separator: "/").last.map(String.init)
            return (name.flatMap { schemas[$0] as? [String: Any] } ?? choice)["enum"] as? [String] ?? []
        }
        try #require(!words.isEmpty, "\(member)")
        return Set(words)
    }

    /// The codes of an error type, read from its source file.
    private static func codes(_ path: String) throws -> Set<String> {
        let text = try Fixtures.file(path)
        return Set(text.matches(of: /Code\("([a-z0-9_]+)"\)/).map { String($0.output.1) })
    }

    private static func details() throws -> Set<String> {
        let text = try Fixtures.file("Sources/Entitlements/States/StateValues.swift")
        let body = try #require(text.firstMatch(of: /struct StateDetail[\s\S]*?\n}/)).output
        return Set(body.matches(of: /Self\(rawValue: "([a-z_]+)"\)/).map { String($0.output.1) })
    }

    /// The error codes in a source file: the argument of a failure after the status, or the first one.
    private static func failures(_ path: String) throws -> Set<String> {
        let text = try Fixtures.file(path)
        return Set(text.matches(of: /(?:\.[a-zA-Z]+, |APIFailure\(\s*)"([a-z0-9_]+)"/).map { String($0.output.1) })
    }

    @Test func `openapi.yaml lists every code of refusals, failures and problems`() throws {
        let verification = try Self.codes("Sources/AppStoreTrust/VerificationError.swift")
        #expect(verification.count > 20)
        let receiving = try Self.failures("Sources/CounterfoilServer/API/Notifications/NotificationRoutes.swift")
            .union(Self.failures("Sources/LedgerServices/Receipts/NotificationV1Receiver.swift"))
        #expect(receiving.isSuperset(of: ["forbidden_network", "wrong_secret"]))
        #expect(try Self.words(of: "RefusedDelivery.code") == verification.union(receiving))
        let verificationOrDamage = verification.union([StorageError.Code.damaged.rawValue])
        #expect(try Self.words(of: "Notification.failure") == verificationOrDamage)
        let reporting = ["VerifiedPurchases", "RestoreService"].map { "Sources/LedgerServices/Restore/\($0).swift" }
        let reported = try Self.words(of: "RefusedTransaction.code").subtracting(verification)
        try #require(!reported.isEmpty)
        for code in reported {
            let texts = try reporting.map { try Fixtures.file($0) }
            #expect(texts.contains { $0.contains("\"\(code)\"") }, "\(code)")
        }
        #expect(try Self.words(of: "SegmentMember.reason") == Self.details())
        #expect(
            try Self.words(of: "DecodedNotification.problems.part")
                == Set(DecodedNotification.Part.allCases.map { "\($0.name)" }))
        #expect(try Self.words(of: "DecodedNotification.problems.code") == verificationOrDamage)
        #expect(try Self.words(of: "UnverifiedText.code") == verificationOrDamage)
    }

    @Test func `openapi.yaml lists the codes of all errors`() throws {
        func source(_ path: String) throws -> String { try Fixtures.file("Sources/" + path) }
        var text = ""
        for folder in ["API", "Operations", "Server"].map({ "CounterfoilServer/" + $0 }) + ["LedgerServices"] {
            let root = Fixtures.package.appending(path: "Sources/" + folder).path
            for file in try FileManager.default.subpathsOfDirectory(atPath: root)
            // The findings of `server check --online` are no responses.
            where file.hasSuffix(".swift") && !file.contains("OnlineCheck") { text += try source("\(folder)/\(file)") }
        }
        let failure = /(?:Failure|self\.init)\(\s*(?:[a-zA-Z]*\.[a-zA-Z]+,\s*)?"([a-z0-9_]+)"/
        let codes = Set(text.matches(of: failure).map { String($0.output.1) })
        #expect(codes.count > 80)
        let api = try DescribedAPI.current.get()
        #expect(codes.subtracting(api.errorCodes) == [])
        // Each listed code is in the sources, whole or after a prefix.
        for path in [
            "Ledger/StorageError", "AppStoreServer/Signatures/SigningError",
            "AppStoreServer/Client/AppStoreServerError",
        ] {
            text += try source(path + ".swift")
        }
        let schema = try DescribedAPI.resolve("#/components/schemas/ErrorCode", api.document)
        for code in try #require(schema["examples"] as? [String]) {
            let names =
                [code]
                + ["app_store_", "invalid_"].filter { code.hasPrefix($0) }.map { String(code.dropFirst($0.count)) }
            #expect(names.contains { text.contains("\"\($0)\"") }, "\(code)")
        }
    }

    @Test func `The names of instants in openapi.yaml follow the stated rule`() throws {
        let document = try DescribedAPI.current.get().document
        let rule = try #require((document["info"] as? [String: Any])?["description"] as? String)
        let exceptions = Set(rule.matches(of: /`([a-z_]+)`/).map { String($0.output.1) })
        var names: Set<String> = []
        func walk(_ value: Any) {
            if let list = value as? [Any] { list.forEach(walk) }
            guard let object = value as? [String: Any] else { return }
            for (name, member) in object["properties"] as? [String: Any] ?? [:] {
                let reference = (member as? [String: Any])?["$ref"] as? String ?? ""
                if reference.hasSuffix("/Instant") || reference.hasSuffix("/RequestInstant") { names.insert(name) }
            }
            object.values.forEach(walk)
        }
        walk(document)
        #expect(names.count > 30)
        let unnamed = names.filter { name in
            !["_date", "_at", "_since", "_until"].contains { name.hasSuffix($0) } && !exceptions.contains(name)
        }
        #expect(unnamed == [])
        #expect(exceptions.isSuperset(of: ["since", "until", "from", "to"]))
    }
}
