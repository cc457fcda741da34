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

    private struct Failure: Decodable { let message: String }

    /// Makes a request and decodes the answer.
    func call<Answer: Decodable>(
        _ method: String, _ path: String, _ body: Data?, as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        let answer = try await answer(method, path, body)
        do { return try JSONDecoder().decode(type, from: answer.body) } catch {
            throw Refusal(message: "the server's answer is not what this version expects")
        }
    }

    /// Makes a request. What the server refuses is thrown, in its words.
    func answer(
        _ method: String, _ path: String, _ body: Data?, maximumAnswerSize: Int = 1 << 20
    ) async throws -> HTTPTransportAnswer {
        var request = HTTPTransportRequest(
            method: method, url: url + path, headers: [("Authorization", "Bearer \(key)")], body: body,
            maximumAnswerSize: maximumAnswerSize)
        if body != nil { request.headers.append(("Content-Type", "application/json")) }
        let answer: HTTPTransportAnswer
        do { answer = try await transport.send(request) } catch {
            throw Refusal(message: "\(url.printable) does not answer")
        }
        guard (200..<300).contains(answer.status) else {
            var message = "the server answered \(answer.status)"
            do { message += ": " + (try JSONDecoder().decode(Failure.self, from: answer.body)).message } catch {
                // What stands in front of the server has words of its own; the status says enough.
            }
            throw Refusal(message: message.printable)
        }
        return answer
    }
}
