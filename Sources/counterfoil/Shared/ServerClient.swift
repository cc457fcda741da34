import AppStoreServer
import ArgumentParser
import Basics
import CounterfoilServer
import Foundation

/// A client for the API of a running Counterfoil server.
struct ServerClient: Sendable {
    let url: String
    private let key: String
    private let transport = AsyncHTTPClientTransport()

    /// Makes a client for the server at `url`.
    ///
    /// - Parameters:
    ///   - keyFile: The file with the API key; nil for `$COUNTERFOIL_KEY`.
    ///   - option: The option that takes the URL, for error messages.
    init(url: String, keyFile: String?, option: String = "--url") throws {
        self.url = try ServerURL.checked(url, option: option)
        if let keyFile {
            // A missing file is named in an error, which must not quote a key that was given instead of its file.
            guard !keyFile.hasPrefix(APIKeyText.prefix) || FileManager.default.fileExists(atPath: keyFile) else {
                throw ValidationError("--key takes a file with the key, not the key itself.")
            }
            key = try Input.text(keyFile, maximumBytes: 1024)
        } else if let key = ProcessInfo.processInfo.environment["COUNTERFOIL_KEY"] {
            self.key = key
        } else {
            throw ValidationError("Name a file with an API key of the server with --key, or set COUNTERFOIL_KEY.")
        }
        // Other characters cannot be sent in a header. The message must not quote the text, which may be a secret.
        guard !key.isEmpty, key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            let source = keyFile.map { $0.printable } ?? "COUNTERFOIL_KEY"
            throw ValidationError("\(source) is not a key of the server's API: expected one line such as cfk_….")
        }
    }

    /// Makes a client with a key of the server's API.
    init(url: String, key: String) { (self.url, self.key) = (url, key) }

    /// The refusal for a response that this version cannot decode.
    static let unexpectedResponse = Refusal(
        code: "unexpected_answer", message: "the server's response has an unknown format; is its version different?")

    /// Sends a request and decodes the response.
    func call<Response: Decodable>(_ method: String, _ path: String, _ body: Data?) async throws -> Response {
        let response = try await send(method, path, body)
        do { return try JSONDecoder().decode(Response.self, from: response.body) } catch {
            throw Self.unexpectedResponse
        }
    }

    /// Sends a request. Throws ``Refusal`` with the server's code and message if the status is not 2xx.
    func send(
        _ method: String, _ path: String, _ body: Data?, maximumResponseSize: Int = 1 << 20
    ) async throws -> HTTPTransportResponse {
        var request = HTTPTransportRequest(
            method: method, url: url + path, headers: [("Authorization", "Bearer \(key)")], body: body,
            maximumResponseSize: maximumResponseSize)
        if body != nil { request.headers.append(("Content-Type", "application/json")) }
        let response: HTTPTransportResponse
        do { response = try await transport.send(request) } catch {
            let reason = (error as? HTTPTransportError).map { ": \($0.message)" } ?? ""
            throw Refusal(code: "no_answer", message: "\(url) does not answer\(reason)".printable)
        }
        guard (200..<300).contains(response.status) else {
            let status = "the server answered \(response.status)"
            // The response of a proxy has another format: report only the status.
            guard let failure = try? JSONDecoder().decode(ErrorResponse.self, from: response.body) else {
                throw Refusal(code: "http_\(response.status)", message: status)
            }
            throw Refusal(code: failure.code.printable, message: "\(status): \(failure.message)".printable)
        }
        return response
    }
}

/// The options of commands that call a running server.
struct ServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The running server. Default: $COUNTERFOIL_URL.", valueName: "url")) var url: String?
    @Option(
        help: ArgumentHelp("A file with an API key of the server. Default: $COUNTERFOIL_KEY.", valueName: "file"),
        completion: .file(), transform: HomeFolder.path)
    var key: String?

    func client() throws -> ServerClient {
        if let url { return try ServerClient(url: url, keyFile: key) }
        guard let named = ProcessInfo.processInfo.environment["COUNTERFOIL_URL"], !named.isEmpty else {
            throw ValidationError("Name the running server with --url, or set COUNTERFOIL_URL.")
        }
        return try ServerClient(url: named, keyFile: key, option: "COUNTERFOIL_URL")
    }
}

/// Checks URLs of servers that options take.
enum ServerURL {
    /// Returns the URL if its scheme is http or https and it has a host, otherwise nil.
    static func http(_ text: String) -> URL? { URL(string: text).flatMap { $0.isHTTP ? $0 : nil } }

    /// Returns the URL without trailing slashes. Throws if it is not http or https or has a user, password, query or
    /// fragment.
    static func checked(_ text: String, option: String) throws -> String {
        guard let url = http(text), url.user() == nil, url.password() == nil, url.query() == nil,
            url.fragment() == nil
        else {
            // The message must not quote the text, which may contain a password.
            throw ValidationError(
                "\(option) takes an http or https URL such as https://purchases.example.com, without a password.")
        }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }
}
