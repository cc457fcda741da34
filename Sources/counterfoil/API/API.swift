import AppStoreServer
import ArgumentParser
import Basics
import ConfigurationReading
import Foundation

/// `counterfoil api`: calls any endpoint of the App Store's APIs.
struct API: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api",
        abstract: "Call an endpoint of the App Store Server, Retention Messaging or Advanced Commerce API.",
        discussion: """
            Prints the response, which has to be JSON, or {} if it is empty. Endpoints with pages print one page a line. \
            Waits for Apple's rate limits and retries requests that are safe to repeat.

            With --config it uses the key, the app and the hosts of a server's configuration; with --private-key, \
            --key-id, --issuer-id and --app a key of your own; without any of them it calls the running simulator.

            EXAMPLES
              counterfoil api transaction-history 340001000000123
              counterfoil api subscription-statuses 340001000000123 --query status=1
              counterfoil api request-test-notification --config counterfoil.yaml
              counterfoil api notification-history --body period.json --first-page
              counterfoil api transaction 2000000123456789 --environment sandbox \\
                --private-key AuthKey.p8 --key-id ABC123DEFG --issuer-id 57246542-96fe-… \\
                --app com.example.app

            ENDPOINTS
            \(EndpointList.text)
            Exit status: 0 done, 1 refused or failed, 2 wrong usage.
            """)

    @Argument(
        help: ArgumentHelp("The endpoint's name, from the list above.", valueName: "endpoint"),
        completion: .list(AppStoreEndpoint.all.map(\.name)))
    var endpoint: String

    @Argument(help: ArgumentHelp("The endpoint's path parameters, in order.", valueName: "parameter"))
    var parameters: [String] = []

    @Option(
        name: .customLong("query"),
        help: ArgumentHelp("A query parameter. May be repeated, with the same name too.", valueName: "name=value"))
    var query: [String] = []

    @Option(
        help: ArgumentHelp("The body: JSON, a file with JSON, or - for standard input.", valueName: "json|file"),
        completion: .file(), transform: HomeFolder.path)
    var body: String?

    @Flag(name: .customLong("first-page"), help: "Print the first page only.")
    var firstPage = false

    @OptionGroup var failures: FailureOption

    @OptionGroup var access: APIAccess

    func run() async throws {
        guard let endpoint = AppStoreEndpoint.all.first(where: { $0.name == self.endpoint }) else {
            throw ValidationError(
                SpellingSuggestion.message(
                    unknown: self.endpoint, of: "endpoint", among: AppStoreEndpoint.all.map(\.name),
                    or: "counterfoil api --help lists them."))
        }
        guard parameters.count == endpoint.parameters.count else {
            let names = endpoint.parameters.map { "<\($0)>" }.joined(separator: " ")
            throw ValidationError("\(endpoint.name) takes \(names.isEmpty ? "no parameters" : names).")
        }
        let query = try query(of: endpoint)
        let body = try body(of: endpoint)
        let client = try await access.client()
        do {
            if endpoint.isPaged, !firstPage {
                try await printPages(of: endpoint, query, body, client)
            } else {
                let answer = try await client.call(endpoint, parameters, query: query, body: body)
                Output.line(answer.isEmpty ? "{}" : RawPage.line(answer))
            }
        } catch {
            let message = Self.explanation(of: error, from: endpoint, in: client.host.environment)
            // The command prints "refused" before the line.
            let line = error.code == .refused ? String(message.dropFirst("refused ".count)) : message
            throw Refusal(code: "\(error.code)", message: message, line: line)
        }
    }

    private func printPages(
        of endpoint: AppStoreEndpoint, _ query: [(name: String, value: String)], _ body: Data?,
        _ client: AppStoreServerClient
    ) async throws(AppStoreServerError) {
        let tokenName = endpoint.queryParameters.contains("revision") ? "revision" : "paginationToken"
        let rest = query.filter { $0.name != tokenName }
        let parameters = parameters
        let pages = AppStorePages<RawPage>(
            endpoint: endpoint, first: query.first { $0.name == tokenName }?.value
        ) { token throws(AppStoreServerError) in
            let answer = try await client.call(
                endpoint, parameters, query: rest + (token.map { [(tokenName, $0)] } ?? []), body: body)
            return try RawPage(answer)
        }
        var count = 0
        defer { StatusLine.show("") }
        for try await page in pages {
            StatusLine.show("")
            Output.line(RawPage.line(page.data))
            count += 1
            StatusLine.show("\(endpoint.name): \(count) \(count.noun("page"))")
        }
    }

    private func query(of endpoint: AppStoreEndpoint) throws -> [(name: String, value: String)] {
        try query.map { text in
            guard let equals = text.firstIndex(of: "=") else {
                throw ValidationError("--query takes name=value, not \(text).")
            }
            let name = String(text[..<equals])
            guard endpoint.queryParameters.contains(name) else {
                let names = endpoint.queryParameters.joined(separator: ", ")
                throw ValidationError("\(endpoint.name) takes \(names.isEmpty ? "no query" : names), not \(name).")
            }
            return (name, String(text[text.index(after: equals)...]))
        }
    }

    private func body(of endpoint: AppStoreEndpoint) throws -> Data? {
        guard endpoint.contentType != nil else {
            guard body == nil else { throw ValidationError("\(endpoint.name) takes no --body.") }
            return nil
        }
        guard let body else { throw ValidationError("\(endpoint.name) needs a --body.") }
        let maximum = 16 << 20
        let data = body.hasPrefix("{") ? Data(body.utf8) : try Input.read(body, maximumBytes: maximum)
        guard data.count <= maximum else { throw ValidationError("The body is larger than 16 MiB.") }
        if let format = Self.missingFormat(of: data, as: endpoint.contentType) {
            throw ValidationError("\(endpoint.name) takes \(format), which the --body is not.")
        }
        return data
    }

    private static func explanation(
        of error: AppStoreServerError, from endpoint: AppStoreEndpoint, in environment: AppStoreEnvironment
    ) -> String {
        var text = "\(error)".printable
        if error.status == 404, error.apiCode == nil { text += reasonForAbsence(of: endpoint, in: environment) }
        if let date = error.retryAfter { text += "; try again after \(date.readable)" }
        return text
    }

    /// Returns the meaning of a 404 without an error code: not an unknown transaction or order, but an endpoint that
    /// the environment or the account does not have. Empty if it is not known.
    private static func reasonForAbsence(
        of endpoint: AppStoreEndpoint, in environment: AppStoreEnvironment
    ) -> String {
        if let only = endpoint.environment, only != environment {
            let name = only.rawValue.lowercased()
            return "; this endpoint exists in \(name) only: --environment \(name)"
        }
        let isRetentionMessaging = AppStoreEndpoint.retentionMessaging.contains(endpoint)
        return isRetentionMessaging ? "; the account may have no access to the Retention Messaging API" : ""
    }

    /// Returns the format that the endpoint expects if the body has another one, otherwise nil.
    ///
    /// The App Store would refuse such a body, and the request would count against the quota.
    private static func missingFormat(of body: Data, as contentType: String?) -> String? {
        switch contentType {
        case "application/json": body.isJSONObject ? nil : "a JSON object in UTF-8"
        case "image/png":
            body.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) ? nil : "a PNG image"
        default: nil
        }
    }
}
