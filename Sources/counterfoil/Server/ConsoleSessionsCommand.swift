import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil server console sessions`: who is signed in to the pages of a running server, and ends sessions.
struct ConsoleSessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List who is signed in to the pages of a server, or end a session.",
        discussion: """
            Asks a running server, by a key with the scope audit:read: the session, as the audit log names it, the key that it \
            was opened with, the address, when it began and when it was used last. Ending one needs the scope \
            operations:write.

            EXAMPLES
              counterfoil server console sessions --url https://purchases.example.com \\
                --key key.txt
              counterfoil server console sessions --url https://purchases.example.com \\
                --key key.txt --end 1f2e3d4c

            Exit status: 0 done, 1 refused or failed, 2 wrong usage.
            """)

    @Option(help: ArgumentHelp("The running server.", valueName: "url")) var url: String
    @Option(help: ArgumentHelp("A file with a key of its API; $COUNTERFOIL_KEY otherwise.", valueName: "file"))
    var key: String?
    @Option(help: ArgumentHelp("End this session.", valueName: "session")) var end: String?
    @Flag(help: "Print one JSON object a line instead of text.") var json = false

    private struct Sessions: Decodable {
        let items: [[String: JSONValue]]
    }

    func run() async throws {
        let server = try ServerClient(url: url, keyFile: key)
        if let end {
            let id = end.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            _ = try await server.answer("DELETE", "/v1/operations/sessions/\(id)", nil)
            return Output.line(json ? try JSONLine.text(["ended": JSONValue.string(end)]) : "ended \(end.printable)")
        }
        let sessions: Sessions = try await server.call("GET", "/v1/operations/sessions", nil)
        if sessions.items.isEmpty, !json { Output.line("nobody is signed in") }
        for session in sessions.items { Output.line(json ? try JSONLine.text(session) : Self.line(of: session)) }
    }

    private static func line(of session: [String: JSONValue]) -> String {
        func text(_ name: String) -> String {
            if case .string(let text)? = session[name] { text.printable } else { "-" }
        }
        func instant(_ name: String) -> String {
            guard case .integer(let number)? = session[name] else { return "-" }
            return Date(timeIntervalSince1970: Double(number) / 1000).readable
        }
        return [
            text("id"), text("key"), text("address"), "since \(instant("started_at"))",
            "used \(instant("last_used_at"))",
        ].joined(separator: "  ")
    }
}
