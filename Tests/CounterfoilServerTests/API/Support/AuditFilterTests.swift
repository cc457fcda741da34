import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger

/// `GET /v1/audit` with `target`, `actor` and `action`.
@Suite struct `Filters of the audit log` {
    private static let grant = ["entitlement": "premium", "reason": "goodwill", "actor": "tests"]

    /// Returns the actions and the targets of a list, such as `POST /v1/customers/{id}/grants anna`.
    private static func list(_ query: [(String, String)], _ world: World) async throws -> [String] {
        var components = URLComponents()
        components.queryItems = query.map { URLQueryItem(name: $0.0, value: $0.1) }
        let answer = try await world.api.get("/v1/audit?" + (components.percentEncodedQuery ?? ""))
        #expect(answer.status == 200, "\(answer.text)")
        return answer.items.map { "\($0["action"] as? String ?? "") \($0["target"] as? String ?? "")" }
    }

    @Test func `The log is filtered by target, actor and action`() async throws {
        try await World.withAPI { world in
            for name in ["anna", "ben"] {
                #expect(try await world.api.post("/v1/customers/\(name)/grants", Self.grant).status == 201)
                #expect(
                    try await world.api.post("/v1/customers/\(name)/usage", ["customer_consented": true]).status < 300)
            }
            var stranger = world.api
            stranger.key = TestAPIClient.readerKey
            #expect(try await stranger.send("DELETE", "/v1/customers/anna").status == 403)
            let (grants, usage) = ("POST /v1/customers/{id}/grants", "POST /v1/customers/{id}/usage")
            let erasure = "DELETE /v1/customers/{id}"
            for (query, expected) in [
                ([("target", "anna")], ["\(erasure) anna", "\(usage) anna", "\(grants) anna"]),
                ([("actor", "reader")], ["\(erasure) anna"]),
                ([("action", grants)], ["\(grants) ben", "\(grants) anna"]),
                ([("target", "anna"), ("actor", "all")], ["\(usage) anna", "\(grants) anna"]),
                ([("target", "ben"), ("actor", "all"), ("action", usage)], ["\(usage) ben"]),
                ([("target", "ben"), ("actor", "reader")], []), ([("target", "ann")], []),
            ] as [([(String, String)], [String])] {
                let found = try await Self.list(query, world)
                #expect(found == expected, "\(query)")
            }
        }
    }

    @Test func `A customer's UUID finds the entries in either case`() async throws {
        try await World.withAPI { world in
            let id = UUID().uuidString
            for name in [id, id.lowercased()] {
                #expect(try await world.api.post("/v1/customers/\(name)/grants", Self.grant).status == 201)
            }
            let core = try world.server.core
            await core.audit.flush()
            // Older versions recorded the case of the request.
            try await core.storage.appendAudit(
                [AuditEntry(at: 1, actor: "old", action: "DELETE /v1/customers/{id}", target: id, result: "200")])
            for name in [id, id.lowercased()] {
                let found = try await Self.list([("target", name)], world)
                try #require(found.count == 3)
                #expect(found[0].hasSuffix(id))
                #expect(found[1...].allSatisfy { $0.hasSuffix(id.lowercased()) }, "\(found)")
            }
        }
    }

    @Test func `A merge is found by both customers, a transfer by its owners and its purchase`() async throws {
        try await World.withAPI { world in
            let (anna, original) = try await TransferRouteTests.bought(world)
            let path = "/v1/customers/ben/purchases/\(original)/transfer"
            #expect(try await world.api.post(path, ["reason": "ticket 4711"]).status == 200)
            #expect(try await world.api.post("/v1/customers/carl/merge", ["from": "ben"]).status == 200)
            let transfer = "POST /v1/customers/{id}/purchases/{transaction}/transfer"
            let merge = "POST /v1/customers/{id}/merge"
            for (target, expected) in [
                (anna, ["\(transfer) \(anna)"]), (original, ["\(transfer) \(original)"]),
                ("ben", ["\(merge) ben", "\(transfer) ben"]), ("carl", ["\(merge) carl"]),
            ] {
                let found = try await Self.list([("target", target)], world)
                #expect(found == expected, "\(target)")
            }
            let details = try await world.api.get("/v1/audit").items.map { $0["detail"] as? String }
            #expect(
                details == [
                    "into carl", "from ben", "\(original) to ben: ticket 4711", "to ben: ticket 4711",
                    "\(original): ticket 4711",
                ])
        }
    }

    @Test func `An extended subscription is found by its customer`() async throws {
        try await World.withAPI { world in
            let (anna, original) = try await TransferRouteTests.bought(world)
            _ = try await world.api.post(
                "/v1/subscriptions/\(original)/extend", ["days": 3, "reason": "service_issue"])
            let entry = try #require(try await world.api.get("/v1/audit?target=\(anna)").items.first)
            #expect(entry["action"] as? String == "POST /v1/subscriptions/{id}/extend")
            #expect(entry["detail"] as? String == "\(original): 3 days more, service_issue")
        }
    }

    @Test func `The creation of a webhook endpoint is found by its name`() async throws {
        try await World.withAPI { world in
            let endpoint = Data(#"{"name":"mine","url":"https://93.184.216.34/"}"#.utf8)
            #expect(try await world.api.send("POST", "/v1/webhooks", body: endpoint).status == 201)
            #expect(try await world.api.send("DELETE", "/v1/webhooks/mine").status == 204)
            let found = try await Self.list([("target", "mine")], world)
            #expect(found == ["DELETE /v1/webhooks/{name} mine", "POST /v1/webhooks mine"])
        }
    }

    @Test func `After an erasure no new entry names the customer or the stand-in`() async throws {
        try await World.withAPI { world in
            let (anna, original) = try await TransferRouteTests.bought(world)
            #expect(try await world.api.send("DELETE", "/v1/customers/\(anna)").status == 200)
            let path = "/v1/customers/ben/purchases/\(original)/transfer"
            #expect(try await world.api.post(path, ["reason": "a restore"]).status == 200)
            let items = try await world.api.get("/v1/audit").items
            let erasure = try #require(
                items.firstIndex { $0["action"] as? String == "DELETE /v1/customers/{id}" })
            let later = items[..<erasure]
            #expect(later.map { $0["target"] as? String } == [original, "ben"])
            #expect(!later.contains { "\($0)".contains(anna) || "\($0)".contains("erased:") }, "\(later)")
            // The log says who erased the customer, to those who know the whole name.
            let known = try await Self.list([("target", anna)], world)
            #expect(known == ["DELETE /v1/customers/{id} \(anna)"])
            let guessed = try await Self.list([("target", String(anna.prefix(35)))], world)
            #expect(guessed.isEmpty)
        }
    }

    @Test func `Pages of a filter, also as CSV, lead to the next page with the same filter`() async throws {
        try await World.withAPI { world in
            for number in 0..<5 {
                for name in ["an & na", "ben"] {
                    let path = "/v1/customers/\(name.replacing(" ", with: "%20").replacing("&", with: "%26"))/usage"
                    #expect(try await world.api.post(path, ["customer_consented": number > 2]).status < 300)
                }
            }
            let filter = "target=an%20%26%20na&actor=all&limit=2"
            var (page, sizes): (String?, [Int]) = ("", [])
            while let next = page, sizes.count < 9 {
                let answer = try await world.api.get("/v1/audit?\(filter)\(next)")
                #expect(answer.items.allSatisfy { $0["target"] as? String == "an & na" })
                #expect(answer.items.allSatisfy { $0["is_chained"] as? Bool == true })
                sizes.append(answer.items.count)
                page = (answer["next_page"] as? String).map { "&page=\($0)" }
            }
            #expect(sizes == [2, 2, 1])
            var (path, tables): (String?, [Int]) = ("/v1/audit?format=csv&\(filter)", [])
            while let next = path, tables.count < 9 {
                let table = try await world.api.get(next)
                let rows = table.text.split(whereSeparator: \.isNewline).dropFirst()
                #expect(rows.allSatisfy { $0.contains("an & na") })
                tables.append(rows.count)
                path = table.headers["link"].map { String($0.dropFirst().prefix { $0 != ">" }) }
            }
            #expect(tables == [2, 2, 1])
        }
    }

    @Test func `A changed entry and its successor are reported in a filtered list`() async throws {
        try await World.withAPI { world in
            for name in ["anna", "ben", "anna", "anna"] {
                #expect(try await world.api.post("/v1/customers/\(name)/grants", Self.grant).status == 201)
            }
            let ids = try await world.api.get("/v1/audit").items.compactMap {
                ($0["id"] as? String).flatMap { Int($0) }
            }
            try #require(ids.count == 4)
            let removed = ids[2]
            try await world.removeAuditEntry(removed)
            let found = try await world.api.get("/v1/audit?target=anna").items
            #expect(found.map { $0["is_chained"] as? Bool } == [true, false, true])
        }
    }

    @Test func `An action that the log cannot have, and an empty or long text, are refused`() async throws {
        try await World.withAPI { world in
            for (query, parameter) in [
                ("action=DELETE", "action"), ("action=delete%20/v1/customers/%7Bid%7D", "action"),
                ("action=DELETE%20/v1/customers/anna", "action"), ("action=DELETE%20customers", "action"),
                ("action=PATCH%20/v1/customers/%7Bid%7D", "action"), ("action=POST%20/v1/openapi", "action"),
                ("action=signin", "action"), ("action=", "action"), ("target=", "target"), ("actor=", "actor"),
                ("target=\(String(repeating: "x", count: 256))", "target"),
            ] {
                let refused = try await world.api.get("/v1/audit?\(query)")
                #expect(refused.status == 400 && refused.code == "invalid_parameter", "\(query): \(refused.text)")
                #expect(refused["param"] as? String == parameter)
            }
            for action in [
                "sign-in", "sign-out", "GET%20/metrics", "POST%20/v1/customers/%7Bid%7D/merge", "HEAD%20/v1/audit",
            ] {
                let answer = try await world.api.get("/v1/audit?action=\(action)")
                #expect(answer.status == 200 && answer.items.isEmpty, "\(action): \(answer.text)")
            }
        }
    }
}
