import AppStoreModels
import Foundation
import Ledger
import Testing

/// Filters of the audit log. They detect engines that compare texts by a collation, page each target by itself, or look
/// for an entry's predecessor among the entries of the page.
@Suite struct `The contract of the audit log's filters` {
    private static func entry(
        _ target: String?, by actor: String = "backend", session: String? = nil, _ action: String = "GET /v1/audit"
    ) -> AuditEntry {
        AuditEntry(at: 1, actor: actor, session: session, action: action, target: target, result: "200")
    }

    private static func filter(
        _ targets: [String]? = nil, actor: String? = nil, action: String? = nil, scanLimit: Int = 99
    ) -> AuditFilter {
        var filter = AuditFilter()
        filter.targets = targets.map { Set($0.map { ExactText($0) }) }
        (filter.actor, filter.action, filter.scanLimit) = (actor, action, scanLimit)
        return filter
    }

    /// Returns the entries of all pages, and the number of pages.
    private static func pages(
        _ filter: AuditFilter, limit: Int, _ ledger: any LedgerEngine
    ) async throws -> (ids: [Int64], count: Int) {
        var (ids, count, next): ([Int64], Int, Int64?) = ([], 0, Int64.max)
        while let before = next, count < 50 {
            let page = try await ledger.audit(filter, before: before, limit: limit)
            ids += page.items.map(\.id)
            count += 1
            next = page.next
        }
        return (ids, count)
    }

    @Test(arguments: Engine.allCases)
    func `A filter compares targets, actors, sessions and actions by their bytes`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, _ in
            let entries = [
                Self.entry("anna"), Self.entry("Anna"), Self.entry("anna "), Self.entry(nil), Self.entry(""),
                Self.entry("\u{E9}"), Self.entry("e\u{301}"), Self.entry("anna", by: "maria", session: "0011aabb"),
                Self.entry("ben", by: "0011aabb", "DELETE /v1/customers/{id}"), Self.entry("anna", by: "Maria"),
            ]
            try await ledger.appendAudit(entries)
            let all = try await ledger.audit(AuditFilter(), before: .max, limit: 99).items
            try #require(all.count == entries.count)
            let ids = Array(all.map(\.id).reversed())
            for (filter, expected) in [
                (Self.filter(["anna"]), [0, 7, 9]), (Self.filter(["Anna"]), [1]), (Self.filter(["anna "]), [2]),
                (Self.filter([""]), [4]), (Self.filter(["\u{E9}"]), [5]), (Self.filter(["e\u{301}"]), [6]),
                (Self.filter(["ann"]), []), (Self.filter(["%"]), []), (Self.filter([]), []),
                (Self.filter(["anna", "ben", "zoe"]), [0, 7, 8, 9]), (Self.filter(actor: "maria"), [7]),
                (Self.filter(actor: "0011aabb"), [7, 8]), (Self.filter(actor: ""), []),
                (Self.filter(action: "DELETE /v1/customers/{id}"), [8]), (Self.filter(action: "DELETE"), []),
                (Self.filter(["anna"], actor: "backend"), [0]),
                (Self.filter(["ben"], actor: "0011aabb", action: "DELETE /v1/customers/{id}"), [8]),
                (Self.filter(["ben"], actor: "maria"), []),
            ] as [(AuditFilter, [Int])] {
                let page = try await ledger.audit(filter, before: .max, limit: 99)
                #expect(page.items.map(\.id) == expected.reversed().map { ids[$0] }, "\(filter)")
                #expect(page.next == nil)
                // The entries of the page do not follow one another.
                let isChained = page.items.allSatisfy(\.isChained)
                #expect(isChained, "\(filter)")
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `Pages of a filter have each entry once, the newest first`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, _ in
            let targets = ["a", "b", "b", "c", "a", "a", "c", "b", "a"]
            let actors = ["x", "y", "x", "y", "x", "x", "x", "y", "x"]
            try await ledger.appendAudit(zip(targets, actors).map { Self.entry($0, by: $1) })
            let all = try await ledger.audit(AuditFilter(), before: .max, limit: 99).items
            try #require(all.count == targets.count)
            for scanLimit in [1, 2, 3, 99] {
                for limit in 1...4 {
                    for names in [nil, [], ["a"], ["a", "b"], ["c", "zoe"]] as [[String]?] {
                        for actor in [nil, "x", "zoe"] as [String?] {
                            let filter = Self.filter(names, actor: actor, scanLimit: scanLimit)
                            let found = try await Self.pages(filter, limit: limit, ledger)
                            let expected = all.filter { stored in
                                (names?.contains(stored.entry.target ?? "") ?? true)
                                    && (actor.map { $0 == stored.entry.actor } ?? true)
                            }
                            #expect(found.ids == expected.map(\.id), "\(filter), \(limit) on a page")
                        }
                    }
                }
            }
            // No page searches more entries than the limit.
            let search = try await Self.pages(Self.filter(actor: "zoe", scanLimit: 2), limit: 9, ledger)
            #expect(search.ids.isEmpty && search.count == 5)
        }
    }

    @Test(arguments: Engine.allCases)
    func `An entry that was deleted because of its age is not found by its target`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, _ in
            try await ledger.appendAudit([Self.entry("anna"), Self.entry("ben")])
            let before = try await ledger.audit(Self.filter(["anna"]), before: .max, limit: 9).items
            try #require(before.count == 1)
            var later = Self.entry("carl")
            later.at = 3
            try await ledger.appendAudit([later])
            #expect(try await ledger.removeExpired(at: 2 + AuditEntry.retention, limit: 9) == 2)
            let gone = try await ledger.audit(Self.filter(["anna", "ben"]), before: .max, limit: 9)
            #expect(gone.items.isEmpty && gone.next == nil)
            let kept = try await ledger.audit(Self.filter(["carl"]), before: .max, limit: 9).items
            // Its predecessor is gone.
            #expect(kept.map(\.previous) == [nil] && kept.map(\.isChained) == [true])
        }
    }
}
