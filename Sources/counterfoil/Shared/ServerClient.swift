import AppStoreServer
import ArgumentParser
import Foundation

/// Asks a running Counterfoil server, with a key of its API.
struct ServerClient: Sendable {
    let url: String
    private let key: String
    private let transport = AsyncHTTPClientTransport()

    /// A client for the server at `url`, with the key in a file or, without one, in `$COUNTERFOIL_KEY`.
    ///
    /// - Parameter option: The option that named the server.
    init(url: String, keyFile: String?, option: String = "--url") throws {
        self.url = try ServerURL.checked(url, option: option)
        if let keyFile {
            key = try Input.text(keyFile, maximumBytes: 1024)
        } else if let key = ProcessInfo.processInfo.environment["COUNTERFOIL_KEY"] {
            self.key = key
        } else {
            throw ValidationError("Name a file with a key of the server's API by --key, or set COUNTERFOIL_KEY.")
        }
        // Anything else could not be part of a request, and nothing of it may be shown.
        guard !key.isEmpty, key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            let source = keyFile.map { $0.printable } ?? "COUNTERFOIL_KEY"
            throw ValidationError("\(source) is not a key of the server's API: expected one line such as cfk_….")
        }
    }

    private struct Failure: Decodable {
        let code: String
        let message: String
    }

    /// The refusal for an answer in another form than that of this version.
    static let unexpectedAnswer = Refusal(
        code: "unexpected_answer", message: "the server's answer is not in the form of this version")

    /// Makes a request and decodes the answer.
    func call<Answer: Decodable>(_ method: String, _ path: String, _ body: Data?) async throws -> Answer {
        let answer = try await answer(method, path, body)
        do { return try JSONDecoder().decode(Answer.self, from: answer.body) } catch {
            throw Self.unexpectedAnswer
        }
    }

    /// Makes a request. Throws what the server refuses, with its code and message.
    func answer(
        _ method: String, _ path: String, _ body: Data?, maximumAnswerSize: Int = 1 << 20
    ) async throws -> HTTPTransportAnswer {
        var request = HTTPTransportRequest(
            method: method, url: url + path, headers: [("Authorization", "Bearer \(key)")], body: body,
            maximumAnswerSize: maximumAnswerSize)
        if body != nil { request.headers.append(("Content-Type", "application/json")) }
        let answer: HTTPTransportAnswer
        do { answer = try await transport.send(request) } catch {
            let reason = (error as? HTTPTransportError).map { ": \($0.message)" } ?? ""
            throw Refusal(code: "no_answer", message: "\(url) does not answer\(reason)".printable)
        }
        guard (200..<300).contains(answer.status) else {
            let status = "the server answered \(answer.status)"
            // A proxy in front of the server answers in another form; then the status has to do.
            guard let failure = try? JSONDecoder().decode(Failure.self, from: answer.body) else {
                throw Refusal(code: "http_\(answer.status)", message: status)
            }
            throw Refusal(code: failure.code.printable, message: "\(status): \(failure.message)".printable)
        }
        return answer
    }
}

/// The address of a server as options take it.
enum ServerURL {
    /// The URL, if it is one of http or https with a host.
    static func http(_ text: String) -> URL? {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
            !(url.host() ?? "").isEmpty
        else { return nil }
        return url
    }

    /// The URL without slashes at its end.
    static func checked(_ text: String, option: String) throws -> String {
        guard let url = http(text), url.user() == nil, url.password() == nil, url.query() == nil,
            url.fragment() == nil
        else {
            // Without the text, which may have a password in it.
            throw ValidationError(
                "\(option) takes an http or https URL such as https://purchases.example.com, without a password.")
        }
        return String(text.reversed().drop { $0 == "/" }.reversed())
    }
}
