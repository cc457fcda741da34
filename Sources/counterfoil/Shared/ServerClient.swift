import AppStoreServer
import ArgumentParser
import Foundation

/// Asks a running Counterfoil server, with a key of its API.
struct ServerClient: Sendable {
    let url: String
    private let key: String
    private let transport = AsyncHTTPClientTransport()

    /// A client for the server at `url`, with the key in a file or, without one, in `$COUNTERFOIL_KEY`.
    init(url: String, keyFile: String?) throws {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
        if let keyFile {
            key = try Input.text(keyFile, maximumBytes: 1024)
        } else if let key = ProcessInfo.processInfo.environment["COUNTERFOIL_KEY"] {
            self.key = key
        } else {
            throw ValidationError("Name a file with a key of the server's API by --key, or set COUNTERFOIL_KEY.")
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
    func call<Answer: Decodable>(
        _ method: String, _ path: String, _ body: Data?, as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        let answer = try await answer(method, path, body)
        do { return try JSONDecoder().decode(type, from: answer.body) } catch {
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
            throw Refusal(code: "no_answer", message: "\(url.printable) does not answer")
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
