import Foundation
import StoreSimulator
import Testing

@testable import CounterfoilServer

@Suite struct `Parameters of the query` {
    private typealias Object = [String: Any]

    @Test func `The server knows exactly the query parameters that openapi.yaml describes`() async throws {
        let document = try DescribedAPI.current.get().document
        let shared = (document["components"] as? Object)?["parameters"] as? Object ?? [:]
        let paths = try #require(document["paths"] as? Object).filter { $0.key.hasPrefix("/v1") }
        try #require(paths.count > 40)
        try await World.withAPI { world in
            for (path, item) in paths {
                for (method, operation) in try #require(item as? Object) where method != "parameters" {
                    let parameters = (operation as? Object)?["parameters"] as? [Object] ?? []
                    let names = parameters.compactMap { parameter -> String? in
                        let name = (parameter["$ref"] as? String)?.split(separator: "/").last.map { String($0) }
                        let found = name.flatMap { shared[$0] as? Object } ?? parameter
                        return found["in"] as? String == "query" ? found["name"] as? String : nil
                    }
                    let known = KnownParameters.byRoute["\(method.uppercased()) \(path)"] ?? []
                    #expect(Set(names) == Set(known), "\(method) \(path)")
                    let filledPath = path.replacing(/\{[a-z]+\}/, with: "x")
                    for name in names + ["unheard_of"] {
                        let answer = try await world.api.send(method.uppercased(), "\(filledPath)?\(name)=x")
                        let isUnknown = answer.code == "unknown_parameter"
                        #expect(isUnknown == (name == "unheard_of"), "\(method) \(path) \(name): \(answer.text)")
                    }
                }
            }
        }
    }

    @Test func `The include parameter accepts only parts that the answer can have`() async throws {
        try await World.withAPI { world in
            let path = "/v1/customers/anna"
            for query in [
                "?include=period", "?include=", "?include=spend,signed_data", "?include=spend&include=signed_data",
                "/entitlements/premium/explain?include=periods",
            ] {
                let answer = try await world.api.get(path + query)
                #expect(answer.status == 400 && answer.code == "invalid_parameter", "\(query): \(answer.text)")
                #expect(answer["param"] as? String == "include")
            }
            // Many clients repeat the parameter for a list.
            let both = try await world.api.get(path + "?include=periods&include=spend")
            #expect(both["periods"] is [Any] && both["spend"] is Object, "\(both.text)")
        }
    }

    @Test func `A repeated query parameter is refused with its name`() async throws {
        try await World.withAPI { world in
            for (path, name) in [
                ("/v1/webhooks/x/deliveries?limit=1&limit=2", "limit"),
                ("/v1/segments?app=a&environment=b&app=a", "app"), ("/v1/customers/anna?at=1&at=2", "at"),
                ("/v1/events?topics=overview&topics=inbox", "topics"),
            ] {
                let answer = try await world.api.get(path)
                #expect(answer.status == 400 && answer.code == "invalid_parameter", "\(path): \(answer.text)")
                #expect(answer["param"] as? String == name)
            }
        }
    }

    @Test func `An unknown query parameter is refused with its name`() async throws {
        try await World.withAPI { world in
            for path in [
                "/v1/customers/anna?att=1", "/v1/notifications?tpye=X", "/v1/webhooks?limit=1", "/v1/events?after=1",
                "/v1/customers/anna/timeline?limits=1", "/health/live?x=1", "/v1/completeness?apps=x",
            ] {
                let answer = try await world.api.get(path)
                #expect(answer.status == 400 && answer.code == "unknown_parameter", "\(path): \(answer.text)")
                let name = path.split(separator: "?").last?.split(separator: "=").first.map { String($0) }
                #expect(answer["param"] as? String == name)
            }
            let hint = try await world.api.get("/v1/customers/anna?att=1")
            #expect(hint.text.contains(#"did you mean \"at\""#))
            // URLs in App Store Connect or in old apps may have any parameters.
            #expect(
                try await world.api.send("POST", "/apple/notifications?from=apple", body: Data("{}".utf8)).code
                    == "bad_json")
            #expect(try await world.api.get("/verifyReceipt?x=1").status == 200)
        }
    }

    @Test func `A plus sign in a query is no space`() async throws {
        try await World.withAPI { world in
            #expect(try await world.api.get("/v1/search?q=anna+shop")["query"] as? String == "anna+shop")
            #expect(try await world.api.get("/v1/search?q=anna%20shop")["query"] as? String == "anna shop")
            let offset = try await world.api.get("/v1/customers/anna?at=2026-03-01T02:00:00+02:00")
            #expect(offset["as_of"] as? Int64 == 1_772_323_200_000, "\(offset.text)")
        }
    }

    @Test func `A path above 16 KiB is answered with 400 and no body`() async throws {
        try await World.withAPI { world in
            let path = "/v1/search?q=" + String(repeating: "a", count: 16_000)
            let long = try await world.api.get(path)
            #expect(long.code == "invalid_parameter" && long.headers["x-request-id"] != nil, "\(long.text)")
            let tooLong = try await world.api.get(path + String(repeating: "a", count: 1_000))
            #expect(tooLong.status == 400 && tooLong.body.isEmpty)
        }
    }

    @Test func `A page has at most 100 items, and 1000 as CSV`() async throws {
        try await World.withAPI { world in
            for (path, largest) in [
                ("/v1/notifications?", 100), ("/v1/refused?", 100), ("/v1/recoveries?", 100), ("/v1/events?", 100),
                ("/v1/consumption?", 100), ("/v1/purchases?claimed=false&", 100), ("/v1/audit?", 100),
                ("/v1/customers/anna/claims?", 100), ("/v1/customers/anna/grants?", 100),
                ("/v1/customers/anna/timeline?", 100), ("/v1/segments/refunded?", 100),
                ("/v1/audit?format=csv&", 1000), ("/v1/segments/refunded?format=csv&", 1000),
            ] {
                for limit in [1, largest] {
                    #expect(try await world.api.get("\(path)limit=\(limit)").status == 200, "\(path) \(limit)")
                }
                for limit in ["-1", "0", "\(largest + 1)", "1.0", ""] {
                    let answer = try await world.api.get("\(path)limit=\(limit)")
                    #expect(answer.status == 400 && answer.code == "invalid_limit", "\(path) \(limit): \(answer.text)")
                }
            }
        }
    }

    @Test func `A value of a filter, or a page, that cannot exist is refused`() async throws {
        try await World.withAPI { world in
            let numbered = [
                "notifications", "refused", "audit", "consumption", "recoveries", "events", "customers/anna/grants",
            ]
            let negative = numbered.map { ("/v1/\($0)?page=-5", "invalid_page") }
            for (path, code) in negative + [
                ("/v1/notifications?app=x", "unknown_app"), ("/v1/events?app=x", "unknown_app"),
                ("/v1/notifications?environment=Xcode", "unknown_environment"),
                ("/v1/notifications?state=done", "invalid_state"), ("/v1/consumption?state=sent", "invalid_state"),
                ("/v1/notifications?page=x", "invalid_page"), ("/v1/refused?page=x", "invalid_page"),
                ("/v1/audit?page=x", "invalid_page"), ("/v1/consumption?page=x", "invalid_page"),
                ("/v1/consumption?state=pending&page=1", "invalid_page"),
                ("/v1/consumption?state=pending&page=refunded.1.2", "invalid_page"),
                ("/v1/segments/refunded?page=1.2", "invalid_page"),
                ("/v1/segments/refunded?page=pending.1.2", "invalid_page"),
                ("/v1/segments/refunded?page=will_not_renew.1.2", "invalid_page"),
                ("/v1/customers/anna/claims?page=", "invalid_page"),
                ("/v1/customers/anna/claims?page=a%20b", "invalid_page"),
                ("/v1/customers/anna/claims?page=a%2Fb", "invalid_page"),
                ("/v1/customers/anna/grants?page=x", "invalid_page"),
                ("/v1/purchases?claimed=false&page=", "invalid_page"),
                ("/v1/purchases?claimed=false&page=a%20b", "invalid_page"),
                ("/v1/purchases?claimed=false&page=\(String(repeating: "1", count: 65))", "invalid_page"),
            ] {
                let answer = try await world.api.get(path)
                #expect(answer.status == 400 && answer.code == code, "\(path): \(answer.text)")
            }
        }
    }
}
