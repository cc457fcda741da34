import AppStoreModels
import ArgumentParser
import Basics
import Foundation
import StoreSimulator

/// `counterfoil server console sessions`: lists the console sessions of a running server, and ends sessions.
struct ConsoleSessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List the sessions of a server's console, or end one.",
        discussion: """
            Lists each session's ID, as in the audit log, the name of its key, the client's address, the start and the last \
            use. Needs a running server and a key with the scope audit:read; --end needs the scope operations:write.

            EXAMPLES
              counterfoil server console sessions --url https://purchases.example.com \\
                --key key.txt
              counterfoil server console sessions --url https://purchases.example.com \\
                --key key.txt --end 1f2e3d4c

            Exit status: 0 done, 1 refused or failed, 2 wrong usage.
            """)

    @OptionGroup var options: ServerOptions
    @Option(help: ArgumentHelp("End the session with this ID.", valueName: "session")) var end: String?
    @Flag(help: "Print one JSON object a line instead of text.") var json = false

    func run() async throws {
        let server = try options.client()
        if let end {
            _ = try await server.send("DELETE", "/v1/operations/sessions/\(end.percentEncoded)", nil)
            return Output.line(json ? try JSONLine.text(["ended": JSONValue.string(end)]) : "ended \(end.printable)")
        }
        let sessions: ListPage<[String: JSONValue]> = try await server.call("GET", "/v1/operations/sessions", nil)
        if sessions.items.isEmpty, !json { Output.line("nobody is signed in") }
        for session in sessions.items { Output.line(json ? try JSONLine.text(session) : Self.line(of: session)) }
    }

    private static func line(of session: [String: JSONValue]) -> String {
        func text(_ name: String) -> String {
            if case .string(let text)? = session[name] { text.printable } else { "-" }
        }
        func instant(_ name: String) -> String {
            guard case .integer(let number)? = session[name] else { return "-" }
            return Date(millisecondsSince1970: number)?.readable ?? "-"
        }
        return [
            text("id"), text("key"), text("address"), "since \(instant("started_at"))",
            "used \(instant("last_used_at"))",
        ].joined(separator: "  ")
    }
}
