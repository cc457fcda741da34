import AppStoreServer
import Foundation
import StoreSimulator
import Testing

@Suite struct `Loopback guard` {
    typealias Headers = [(name: String, value: String)]

    /// Request headers, and the resulting status of the control API.
    static let requests: [(headers: Headers, status: Int)] = [
        ([], 200), ([("Host", "localhost")], 200), ([("Host", "LOCALHOST:1")], 200),
        ([("Host", "127.0.0.1:65535")], 200),
        ([("Host", "[::1]")], 200), ([("Host", "[::1]:9000")], 200),
        ([("Host", "evil.example")], 403), ([("Host", "evil.example:9000")], 403),
        ([("Host", "localhost.evil.example")], 403),
        ([("Host", "127.0.0.1.evil.example")], 403), ([("Host", "evil.example:127.0.0.1")], 403),
        ([("Host", "127.0.0.2")], 403),
        ([("Host", "[::1].evil.example")], 403), ([("Host", "localhost:x")], 403), ([("Host", "::1")], 403),
        // Another port is another origin; a page of the simulator itself names the host that it was fetched from.
        ([("Origin", "http://localhost:3000")], 403), ([("Origin", "https://127.0.0.1")], 403),
        ([("Host", "localhost:8090"), ("Origin", "http://localhost:8090")], 200),
        ([("Host", "localhost:8090"), ("Origin", "http://localhost:8091")], 403),
        ([("Origin", "null")], 403), ([("Origin", "null"), ("Sec-Fetch-Site", "same-origin")], 200),
        ([("Origin", "https://evil.example")], 403),
        ([("Origin", "http://localhost.evil.example")], 403), ([("Origin", "file://")], 403),
        ([("Origin", "localhost")], 403),
        ([("Sec-Fetch-Site", "same-origin")], 200), ([("Sec-Fetch-Site", "none")], 200),
        ([("Sec-Fetch-Site", "same-site")], 403), ([("Sec-Fetch-Site", "cross-site")], 403),
        ([("sec-fetch-site", "Cross-Site")], 403),
        ([("Host", "localhost"), ("Origin", "https://evil.example"), ("Sec-Fetch-Site", "same-origin")], 403),
    ]

    private func send(
        _ method: String, _ url: String, _ headers: Headers, _ body: Data? = nil
    ) async throws -> HTTPTransportResponse {
        try await AsyncHTTPClientTransport().send(
            HTTPTransportRequest(method: method, url: url, headers: headers, body: body, timeout: .seconds(600)))
    }

    @Test func `A foreign Host, Origin or Sec-Fetch-Site gets 403 on every path of the simulator`() async throws {
        try await Simulator.run { simulator in
            let control = simulator.information.controlURL
            let base = control.replacing("/simulator", with: "")
            for (headers, status) in Self.requests {
                #expect(try await send("GET", control + "/clock", headers).status == status, "\(headers)")
                // Other paths: Apple's API requires a token, the revocation list is public.
                let api = try await send("GET", base + "/production/inApps/v1/transactions/1", headers)
                #expect(api.status == (status == 200 ? 401 : 403), "\(headers)")
                #expect(try await send("GET", base + "/ocsp/root.crl", headers).status == status, "\(headers)")
                #expect(
                    try await send("GET", base + "/nowhere", headers).status == (status == 200 ? 404 : 403),
                    "\(headers)")
            }
        }
    }

    static let types: [(type: String?, status: Int)] = [
        ("application/json", 200), ("application/json; charset=utf-8", 200), ("Application/JSON", 200), (nil, 415),
        ("text/plain", 415), ("application/x-www-form-urlencoded", 415), ("multipart/form-data; boundary=x", 415),
        ("text/plain; application/json", 415), ("application/jsonp", 415), ("", 415),
    ]

    @Test func `The control API accepts only JSON, also for unnormalized paths`() async throws {
        try await Simulator.run { simulator in
            let control = simulator.information.controlURL
            let base = control.replacing("/simulator", with: "")
            let command = Data(#"{"requestTestNotification":{}}"#.utf8)
            for (type, status) in Self.types {
                let headers: Headers = type.map { [(name: "Content-Type", value: $0)] } ?? []
                let answer = try await send("PUT", control + "/production/notification-url", headers, Data("{}".utf8))
                #expect(answer.status == status, "\(type ?? "none")")
                for (path, refusal) in [
                    ("//simulator/production/commands", 415), ("/%73imulator/production/commands", 404),
                ] where status == 415 {
                    let answer = try await send("POST", base + path, headers, command)
                    #expect(answer.status == refusal, "\(path), \(type ?? "none")")
                }
            }
            // Without a body no Content-Type is required.
            #expect(try await send("POST", control + "/wait-until-idle", []).status == 200)
            #expect(try await send("DELETE", control + "/faults", []).status == 204)
            #expect(simulator.core.read(.production) { store, _ in store.notifications.isEmpty })
        }
    }

    @Test func `verifyReceipt and OCSP accept the content types that Apple accepts`() async throws {
        try await Simulator.run { simulator in
            let base = simulator.information.controlURL.replacing("/simulator", with: "")
            let receipt = Data(#"{"receipt-data":"AAAA"}"#.utf8)
            for type in ["application/x-www-form-urlencoded", "text/plain"] {
                let answer = try await send("POST", base + "/sandbox/verifyReceipt", [("Content-Type", type)], receipt)
                #expect(answer.status == 200)
            }
            let question: Headers = [("Content-Type", "application/ocsp-request")]
            let answer = try await send("POST", base + "/ocsp/root", question, Data([0x30, 0]))
            #expect(answer.status == 200 && answer.body == Data([0x30, 3, 0x0A, 1, 1]))
        }
    }
}
