import Foundation
import StoreSimulator
import Testing

@testable import CounterfoilServer
@testable import LedgerServices

/// Checks every route of the API and every page and action of the console against the scopes of a key.
@Suite struct `The scopes of keys` {
    /// Typical roles of a team, and `opener`, which may only sign in.
    private static let roles: [String: Set<APIScope>] = [
        "opener": [],
        "viewer": [.operationsRead],
        "support": [.customersRead, .supportRead, .supportWrite],
        "operator": [.operationsRead, .operationsWrite, .webhooksWrite],
        "auditor": [.auditRead],
        "admin": Set(APIScope.all),
    ]

    private static func key(_ name: String, _ scopes: Set<APIScope>) -> ServerConfiguration.Key {
        .init(name: name, hash: APIKeyText.hash(of: name), scopes: scopes)
    }

    /// The operations in openapi.yaml with the scope that each requires.
    private static func operations() throws -> [(method: String, path: String, scope: APIScope)] {
        let document = try DescribedAPI.current.get().document
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        return try paths.filter { $0.key.hasPrefix("/v1/") }.flatMap { path, item in
            try item.filter { $0.key != "parameters" }.compactMap { method, operation in
                let text = try #require((operation as? [String: Any])?["description"] as? String, "\(method) \(path)")
                // Starting a session requires no scope.
                guard path != "/v1/sessions" else { return nil }
                let named = text.components(separatedBy: "Needs the scope ").dropFirst().first
                let word = try #require(named?.prefix { $0.isLowercase || $0 == ":" }, "\(method) \(path)")
                let scope = APIScope(rawValue: String(word))
                #expect(APIScope.all.contains(scope), "\(method) \(path): \(scope.rawValue)")
                return (method.uppercased(), path.replacing(/\{[a-z_]+\}/, with: "x"), scope)
            }
        }.sorted { ($0.path, $0.method) < ($1.path, $1.method) }
    }

    @Test func `Each API route requires exactly the scope that openapi.yaml names`() async throws {
        let operations = try Self.operations()
        #expect(operations.count > 50)
        try await World.withAPI { configuration in
            configuration.limits.requestsPerSecond = 100_000
            for scope in APIScope.all {
                configuration.keys.append(Self.key("only \(scope.rawValue)", [scope]))
                configuration.keys.append(
                    Self.key("all but \(scope.rawValue)", Set(APIScope.all).subtracting([scope])))
            }
        } _: { world in
            for (method, path, needed) in operations {
                let keys = APIScope.all.map { ("only \($0.rawValue)", $0 == needed) }
                for (name, isAllowed) in keys + [("all but \(needed.rawValue)", false)] {
                    let client = TestAPIClient(url: world.url, key: name)
                    let answer = try await client.send(method, path, body: method == "GET" ? nil : Data("{}".utf8))
                    let isRefused = answer.status == 403 && answer.text.contains("lacks the scope")
                    #expect(isRefused != isAllowed, "\(name): \(method) \(path) \(answer.status)")
                    if isRefused { #expect(answer.text.contains(needed.rawValue), "\(method) \(path)") }
                }
            }
        }
    }

    /// The scope that a console page requires; nil if every session may read it.
    private static let pages: [(path: String, scope: APIScope?)] = [
        ("", nil), ("customers", nil), ("customers?q=x", .supportRead), ("customers/x", .customersRead),
        ("customers/x/explain/premium", .customersRead), ("transactions/1", .supportRead), ("orders/A", .supportRead),
        ("notifications", .operationsRead), ("notifications/refused", .operationsRead),
        ("notifications/x", .operationsRead), ("completeness", .operationsRead), ("recoveries/rec_1", .operationsRead),
        ("webhooks", .webhooksWrite), ("webhooks/x", .webhooksWrite), ("webhooks/x/deliveries/1", .webhooksWrite),
        ("refunds", .supportRead), ("refunds/of?customer=x&transaction=1", .customersRead),
        ("events/evt_1", .webhooksWrite),
        ("decode", nil), ("operations", .operationsRead), ("operations/audit", .auditRead),
        ("operations/configuration", .operationsRead), ("operations/audit.csv", .auditRead),
    ]

    @Test func `Each console page requires its scope`() async throws {
        try await Self.runWithRoles { world, browsers in
            for route in ConsoleRoutes.pages(try world.server.core).map(\.path) {
                #expect(Self.pages.contains { Self.is($0.path, of: route) }, "no path of the page \(route) is tested")
            }
            for (role, browser) in browsers {
                let scopes = Self.roles[role] ?? []
                for (path, scope) in Self.pages {
                    let page = try await browser.get("/console/" + path)
                    let isAllowed = scope.map { scopes.contains($0) } ?? true
                    #expect((page.status == 403) != isAllowed, "\(role): \(path) \(page.status)")
                    if let scope, !isAllowed {
                        #expect(page.text.contains("scope \(scope.rawValue)"), "\(role): \(path)")
                    }
                }
            }
        }
    }

    @Test func `Each console action requires its scope before the form is read`() async throws {
        try await Self.runWithRoles { _, browsers in
            for (role, browser) in browsers {
                for action in ConsoleAction.all {
                    let isAllowed = Self.roles[role]?.contains(action.scope) == true
                    for path in ["/console/confirm", "/console/do"] {
                        let page = try await browser.post(path, ["action": action.name])
                        #expect((page.status == 403) != isAllowed, "\(role): \(action.name) \(page.status)")
                    }
                }
            }
        }
    }

    /// Whether a path with a query matches a route, such as `customers/{id}`.
    private static func `is`(_ path: String, of route: String) -> Bool {
        let (segments, parts) = (path.prefix { $0 != "?" }.split(separator: "/"), route.split(separator: "/"))
        return segments.count == parts.count && zip(parts, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    /// Runs `body` with a signed-in browser for each role.
    private static func runWithRoles(_ body: (World, [(String, Browser)]) async throws -> Void) async throws {
        try await `The console`.run { configuration in
            configuration.limits.requestsPerSecond = 100_000
            configuration.keys += roles.map { key($0.key, $0.value.union([.consoleOpen])) }
            configuration.keys.append(key("closed", Set(APIScope.all).subtracting([.consoleOpen])))
        } _: { world, _ in
            let closed = try await Browser(world.url).post("/console/sign-in", ["key": "closed"])
            #expect(closed.status == 403)
            var browsers: [(String, Browser)] = []
            for role in roles.keys.sorted() {
                let browser = Browser(world.url)
                try await browser.signIn(role)
                browsers.append((role, browser))
            }
            try await body(world, browsers)
        }
    }
}
