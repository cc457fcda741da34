import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `The script and the queries for a warehouse in the documentation` {
    /// The contents of the blocks of docs/warehouse.md in a language.
    private static func blocks(_ language: String) throws -> [String] {
        let page = try Fixtures.file("docs/warehouse.md")
        let start = language + "\n"
        return page.components(separatedBy: "```").filter { $0.hasPrefix(start) }.map {
            String($0.dropFirst(start.count))
        }
    }

    /// Prints the rows of a query, with the cells separated by bars.
    private static let printer = """
        import sqlite3, sys
        for row in sqlite3.connect("warehouse.sqlite").execute(open(sys.argv[1]).read()):
            print(*row, sep="|")
        """

    /// Starts a simulator and a server, and sets the variables that the script reads.
    private static func start(_ terminal: Terminal) async throws {
        try await terminal.start(
            "counterfoil simulator --port 9000 --clock frozen:2026-01-01T00:00:00Z "
                + "--notify http://127.0.0.1:8080/apple/notifications")
        let written = try await terminal.expect("counterfoil server init --simulator --output counterfoil.yaml")
        try await terminal.expect(String(try #require(written.firstMatch(of: /export COUNTERFOIL_KEY=\S+/)).output))
        try await terminal.expect("export COUNTERFOIL_URL=http://127.0.0.1:8080")
        try await terminal.start("counterfoil server run --config counterfoil.yaml")
    }

    /// Loads all events of the notifications that were sent.
    private static func load(_ terminal: Terminal) async throws {
        let backlog = #"counterfoil server get /v1/completeness | grep -q '"backlog":[1-9]'"#
        try await terminal.expect("while \(backlog); do sleep 0.1; done")
        try await terminal.expect("python3 load.py")
    }

    /// The first day, the last one of two subscribers and the next, and the last one.
    private static let days = ["2026-01-01|2|0", "2026-01-07|2|1", "2026-01-08|1|0", "2026-02-09|1|1"]

    private static func rows(_ query: Int, _ terminal: Terminal) async throws -> [String] {
        try await terminal.expect("python3 print.py \(query).sql").split(separator: "\n").map(String.init)
    }

    @Test func `They load each event once, and compute revenue, trials and subscribers`() async throws {
        let (scripts, queries) = (try Self.blocks("python"), try Self.blocks("sql"))
        try #require(scripts.count == 1 && queries.count == 3)
        try await Terminal.open { terminal in
            let files = [("load.py", scripts[0]), ("print.py", Self.printer), ("0.sql", "SELECT count(*) FROM events")]
            let numbered = queries.enumerated().map { ("\($0.offset + 1).sql", $0.element) }
            for (name, text) in files + numbered {
                try Data(text.utf8).write(to: terminal.home.appending(path: name))
            }
            try await Self.start(terminal)
            // A free week; a quantity; yen; a share that costs nothing.
            try await terminal.expect("counterfoil simulator buy anna premium.monthly")
            try await terminal.expect("counterfoil simulator buy ben coins.100 --quantity 3")
            try await terminal.expect(
                #"counterfoil simulator do '{"createCustomer":{"customer":"jun","storefront":"JPN"}}'"#)
            try await terminal.expect("counterfoil simulator buy jun unlock")
            try await terminal.expect(
                #"counterfoil simulator do '{"shareWithFamily":{"customer":"jun","member":"kei"}}'"#)
            // The upgrade ends a month after a moment, and the week that follows is the last one.
            for product in ["basic.monthly", "premium.weekly"] {
                try await terminal.expect("counterfoil simulator buy dora \(product)")
            }
            try await terminal.expect("counterfoil simulator cancel dora")
            try await Self.load(terminal)
            #expect(try await Self.rows(0, terminal) == ["7"])
            try await terminal.expect("counterfoil simulator clock advance 40 days")
            try await terminal.expect("counterfoil simulator refund ben coins.100 --percentage 50")
            try await terminal.expect("counterfoil simulator cancel anna")
            for _ in 1...2 { try await Self.load(terminal) }
            #expect(try await Self.rows(0, terminal) == ["12"])
            #expect(
                try await Self.rows(1, terminal) == [
                    "2026-01-01|com.example.basic.monthly|USA|USD|4.99",
                    "2026-01-01|com.example.coins.100|USA|USD|2.97",
                    "2026-01-01|com.example.premium.weekly|USA|USD|2.99",
                    "2026-01-01|com.example.unlock|JPN|JPY|800.0",
                    "2026-01-08|com.example.premium.monthly|USA|USD|9.99",
                    "2026-02-08|com.example.premium.monthly|USA|USD|9.99",
                    "2026-02-10|com.example.coins.100|USA|USD|-1.485",
                ])
            #expect(try await Self.rows(2, terminal) == ["2026-01-01|com.example.premium.monthly|1|1"])
            let days = try await Self.rows(3, terminal)
            try #require(days.count == 40, "\(days)")
            #expect([days[0], days[6], days[7], days[39]] == Self.days, "\(days)")
        }
    }
}
