import AppStoreServer
import Foundation
import Testing

/// A browser without scripts. Keeps cookies and sends `Sec-Fetch-Site`.
actor Browser {
    let url: String
    private var cookies: [String: String] = [:]

    init(_ url: String) { self.url = url }

    struct Page: Sendable {
        var status: Int
        var headers: [String: String]
        var text: String
        var location: String? { headers["location"] }
    }

    func get(_ path: String, _ more: [(name: String, value: String)] = []) async throws -> Page {
        try await send("GET", path, nil, more + [("Sec-Fetch-Site", "same-origin")])
    }

    func post(_ path: String, _ fields: [String: String], site: String = "same-origin") async throws -> Page {
        let allowed = CharacterSet.alphanumerics
        let body = fields.map { "\($0.key)=\($0.value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")" }
        return try await send(
            "POST", path, Data(body.joined(separator: "&").utf8),
            [("Content-Type", "application/x-www-form-urlencoded"), ("Sec-Fetch-Site", site)])
    }

    func send(
        _ method: String, _ path: String, _ body: Data?, _ headers: [(name: String, value: String)]
    ) async throws -> Page {
        var headers = headers
        if !cookies.isEmpty {
            headers.append(("Cookie", cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")))
        }
        let answer = try await AsyncHTTPClientTransport().send(
            HTTPTransportRequest(method: method, url: url + path, headers: headers, body: body, timeout: .seconds(600)))
        for header in answer.headers where header.name.lowercased() == "set-cookie" {
            let pair = header.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { cookies[String(pair[0])] = String(pair[1]) }
        }
        return Page(
            status: answer.status,
            headers: Dictionary(answer.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 }),
            text: String(decoding: answer.body, as: UTF8.self))
    }

    /// Sends a form to the confirmation page, then sends the form again with the ticket from there.
    @discardableResult func confirm(_ fields: [String: String]) async throws -> Page {
        let confirmation = try await post("/console/confirm", fields)
        let ticket = try #require(confirmation.hidden("ticket"), "\(confirmation.status)")
        return try await post("/console/do", fields.merging(["ticket": ticket]) { $1 })
    }

    func signIn(_ key: String = TestAPIClient.key) async throws {
        #expect(try await post("/console/sign-in", ["key": key]).status == 303)
    }
}

extension Browser.Page {
    /// The value of a hidden field.
    func hidden(_ name: String) -> String? {
        text.components(separatedBy: "name=\"\(name)\" value=\"").dropFirst().first?
            .components(separatedBy: "\"").first
    }
}
