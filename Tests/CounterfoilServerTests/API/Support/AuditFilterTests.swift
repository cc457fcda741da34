import AppStoreModels
import CounterfoilServer
import Foundation
import GRDB
import StoreSimulator
import TestSupport
import Testing

@testable import LedgerSQLite
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
            try await world.sqlite.pool.write { db in
                try db.execute(sql: "DELETE FROM audit WHERE id = ?", arguments: [removed])
            }
            let found = try await world.api.get("/v1/audit?target=anna").items
            #expect(found.map { $0["is_chained"] as? Bool } == [true, false, true])
        }
    }

    @Test func `An action that the log cannot have, and an empty or long text, are refused`() async throws {
        try await World.withAPI { world in
            for (query, parameter) in [
                ("action=DELETE", "action"), ("action=delete%20/v1/customers/%7Bid%7D", "action"),
                ("action=DELETE%20/v1/customers/anna", "action"), ("action=DELETE%20customers", "action"),
                ("action=signin", "action"), ("action=", "action"), ("target=", "target"), ("actor=", "actor"),
                ("target=\(String(repeating: "x", count: 256))", "target"),
            ] {
                let refused = try await world.api.get("/v1/audit?\(query)")
                #expect(refused.status == 400 && refused.code == "invalid_parameter", "\(query): \(refused.text)")
                #expect(refused["param"] as? String == parameter)
            }
            for action in ["sign-in", "sign-out", "GET%20/metrics", "POST%20/v1/customers/%7Bid%7D/merge"] {
                let answer = try await world.api.get("/v1/audit?action=\(action)")
                #expect(answer.status == 200 && answer.items.isEmpty, "\(action): \(answer.text)")
            }
        }
    }

    @Test func `The log of an older ledger can be searched by target`() async throws {
        try await Tool.inTemporaryFolder { folder in
            var ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            let entry = AuditEntry(at: 1, actor: "all", action: "POST /v1/x", target: "anna", result: "200")
            try await ledger.storage.appendAudit([entry], dropping: .min)
            try await ledger.storage.pool.write { db in
                try db.execute(
                    sql: """
                        DROP INDEX audit_by_target;
                        DELETE FROM grdb_migrations WHERE identifier = '21';
                        """)
            }
            try ledger.storage.close()
            ledger = try await TestLedger(in: folder, name: "ledger.sqlite")
            var filter = AuditFilter()
            filter.targets = [ExactText("anna")]
            let found = try await ledger.storage.audit(filter, before: .max, limit: 9).items
            #expect(found.map(\.entry) == [entry])
            try ledger.storage.close()
        }
    }
}
