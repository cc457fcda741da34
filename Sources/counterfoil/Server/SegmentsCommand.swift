import AppStoreModels
import AppStoreServer
import ArgumentParser
import Basics
import Entitlements
import Foundation
import StoreSimulator

/// `counterfoil server segments`: lists purchases that need action, from a running server.
struct SegmentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "segments",
        abstract: "List purchases to act on: cancelled, failed payments, refunded and more.",
        discussion: """
            Without a name it prints the segments and the number of purchases in each. With a name it prints the purchases \
            and their customers: first those that end soonest; in segments whose purchases do not end, the latest first. It \
            needs a running server and a key with the scope support:read.

            EXAMPLES
              counterfoil server segments --url https://purchases.example.com --key key.txt
              COUNTERFOIL_KEY=cfk_… counterfoil server segments will_not_renew \\
                --within-days 7 --url https://purchases.example.com
              COUNTERFOIL_KEY=cfk_… counterfoil server segments in_billing_retry --csv \\
                --url https://purchases.example.com > failed-payments.csv

            Exit status: 0 done, 1 refused or failed, 2 wrong usage.
            """)

    @Argument(
        help: ArgumentHelp("A segment, such as will_not_renew. Default: list all.", valueName: "name"),
        completion: .list(Segment.allCases.map(\.name)))
    var name: String?

    @OptionGroup var options: ServerOptions
    @Option(help: ArgumentHelp("The app; needed if the key has access to several.", valueName: "bundle-id")) var app:
        String?
    @Option(help: ArgumentHelp("The environment: production or sandbox. Default: production.", valueName: "name"))
    var environment: EnvironmentName?
    @Option(help: ArgumentHelp("Only those that end, or began, within this many days.", valueName: "n")) var withinDays:
        Int?
    @Option(help: ArgumentHelp("Only those with this reason, such as cancelled.", valueName: "reason")) var reason:
        String?
    @Option(help: ArgumentHelp("The maximum number to print. Default: all.", valueName: "n")) var limit: Int?
    @Flag(help: "Print CSV for a spreadsheet.") var csv = false
    @Flag(help: "Print one JSON object a line instead of text.") var json = false

    func validate() throws {
        guard !(csv && json) else { throw ValidationError("--csv and --json exclude each other.") }
        let isSelective = csv || withinDays != nil || reason != nil || limit != nil
        guard name != nil || !isSelective else { throw ValidationError("Name a segment, such as will_not_renew.") }
        guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit takes a number from 1.") }
        guard withinDays.map({ (1...3660).contains($0) }) ?? true else {
            throw ValidationError("--within-days takes a number from 1 to 3660.")
        }
    }

    private typealias Page = ListPage<[String: JSONValue]>

    func run() async throws {
        let server = try options.client()
        guard let name else {
            let lists: Page = try await server.call("GET", "/v1/segments" + query([]), nil)
            for list in lists.items { Output.line(json ? try JSONLine.text(list) : line(ofList: list)) }
            return
        }
        if csv { return try await printCSV(name, server) }
        var (left, page) = (limit ?? .max, String?.none)
        repeat {
            let found: Page = try await server.call(
                "GET", path(name, [("limit", String(min(left, 100))), ("page", page)]), nil)
            for item in found.items.prefix(left) { Output.line(json ? try JSONLine.text(item) : line(of: item)) }
            left -= min(left, found.items.count)
            // Stop if a page names itself as the next one, to avoid an endless loop.
            page = found.nextPage == page || left == 0 ? nil : found.nextPage
        } while page != nil
    }

    /// Writes the rows of the server's CSV unchanged, page by page, with the header row once.
    private func printCSV(_ name: String, _ server: ServerClient) async throws {
        var (left, next, isFirst) = (limit ?? .max, String?.none, true)
        repeat {
            let path = next ?? path(name, [("format", "csv"), ("limit", String(min(left, 1000)))])
            let response = try await server.send("GET", path, nil, maximumResponseSize: 16 << 20)
            var rows = Self.rows(response.body)
            guard !rows.isEmpty else { throw ServerClient.unexpectedResponse }
            let columns = rows.removeFirst()
            Output.csv(Data((isFirst ? columns : []) + rows.prefix(left).joined()))
            left -= min(left, rows.count)
            isFirst = false
            let following = left == 0 || rows.isEmpty ? nil : Self.next(response.header("link"))
            next = following == next ? nil : following
        } while next != nil
    }

    /// Splits CSV into rows with their line ends. A quoted cell may contain line breaks.
    private static func rows(_ csv: Data) -> [[UInt8]] {
        var (rows, row, isQuoted) = ([[UInt8]](), [UInt8](), false)
        for byte in csv {
            row.append(byte)
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard byte == UInt8(ascii: "\n"), !isQuoted else { continue }
            rows.append(row)
            row = []
        }
        // The line end of the last row is optional (RFC 4180), but another page may follow.
        return row.isEmpty ? rows : rows + [row + [0x0D, 0x0A]]
    }

    /// The path of the next page in a `Link` header. Only paths of segments on the same server are accepted.
    static func next(_ header: String?) -> String? {
        guard let match = header?.firstMatch(of: #/^<(/v1/segments/[^>\s]{1,4096})>; rel="next"$/#) else { return nil }
        return String(match.1)
    }

    private func path(_ name: String, _ more: [(String, String?)]) -> String {
        "/v1/segments/" + name.percentEncoded
            + query(more + [("within_days", withinDays.map { String($0) }), ("reason", reason)])
    }

    private func query(_ more: [(String, String?)]) -> String {
        let all = [("app", app), ("environment", environment?.environment.rawValue)] + more
        let members = all.compactMap { name, value in value.map { (name, $0) } }
        return members.isEmpty ? "" : "?" + String(queryOf: members)
    }

    private func line(ofList list: [String: JSONValue]) -> String {
        let more = list["has_more"] == .bool(true) ? " or more" : ""
        return "\(Self.text(list["name"])): \(Self.text(list["count"]))\(more)"
    }

    private func line(of item: [String: JSONValue]) -> String {
        var words = [Self.text(item["original_transaction_id"]), Self.text(item["product_id"])]
        if case .integer(let days)? = item["days_left"] { words.append("\(days) \(days.noun("day")) left") }
        if let reason = item["reason"], reason != .null { words.append(Self.text(reason)) }
        words.append("customer \(Self.text(item["customers"]))")
        return words.joined(separator: "  ")
    }

    /// Returns a value as text; `-` for a missing value and for an empty list.
    private static func text(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text)?: text.printable
        case .integer(let number)?: String(number)
        case .array(let values)? where !values.isEmpty: values.map { text($0) }.joined(separator: ", ")
        default: "-"
        }
    }
}
