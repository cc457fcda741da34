import AppStoreServer
import ArgumentParser
import Basics
import CounterfoilServer
import Foundation

/// `counterfoil server get`: sends a GET request to a running server and prints the response.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Send a GET request to a running server's API and print the response.",
        discussion: """
            Prints JSON, or CSV if the path asks for it. A file or pipe gets the CSV byte for byte. The \
            server's /openapi.yaml lists the paths, and every page of the console shows the command for its contents. The \
            key needs the scope of the path.

            EXAMPLES
              counterfoil server get /v1/completeness \\
                --url https://purchases.example.com --key key.txt
              COUNTERFOIL_KEY=cfk_… counterfoil server get \\
                '/v1/notifications?state=failed' --url https://purchases.example.com

            Exit status: 0 done, 1 refused or failed, 2 wrong usage.
            """)

    @Argument(
        help: ArgumentHelp("A path of the server's API, such as /v1/completeness.", valueName: "path"),
        completion: .list(Self.paths))
    var path: String

    @OptionGroup var options: ServerOptions
    @OptionGroup var failures: FailureOption

    /// The paths that need no identifier.
    private static let paths: [String] = {
        var found: [String] = []
        var path: Substring = ""
        for line in APIDescription.text.split(separator: "\n") {
            if line.hasPrefix("  /") { path = line.dropFirst(2).dropLast() }
            if line == "    get:", path.hasPrefix("/v1/"), !path.contains("{") { found.append(String(path)) }
        }
        return found.sorted()
    }()

    /// The maximum size of a response body in bytes.
    private static let maximumResponseSize = 16 << 20

    func validate() throws {
        // The request carries the key, so the path must not be able to change the host.
        guard path.hasPrefix("/v1/"), path.isVisibleASCII, !path.contains("#") else {
            throw ValidationError(
                "The path must begin with /v1/; percent-encode spaces (%20) and characters other than ASCII.")
        }
    }

    func run() async throws {
        let server = try options.client()
        let response = try await server.send("GET", path, nil, maximumResponseSize: Self.maximumResponseSize)
        let isCSV = response.header("content-type")?.lowercased().hasPrefix("text/csv") ?? false
        if isCSV { return Output.csv(response.body) }
        var text = String(decoding: response.body, as: UTF8.self).replacing("\r\n", with: "\n")
        if text.hasSuffix("\n") { text.removeLast() }
        Output.line(text)
    }
}
