import AppStoreServer
import Foundation
import TestSupport
import Testing

// Commands that receive notifications.
extension `Simulator commands` {
    @Test func `A listener verifies every notification`() async throws {
        try await withSession { session in
            let listener = try await RunningCommand(
                ["simulator", "listen", "--simulator", session.folder.path],
                state: session.folder.appending(path: "state"))
            var lines = listener.lines.makeAsyncIterator()
            #expect(await lines.next()?.hasPrefix("listening to production and sandbox on port ") == true)
            let bought = try await session.object("simulator", "buy", "anna", "premium.monthly")
            let token = try #require(bought["appAccountToken"] as? String)
            let line = try #require(await lines.next())
            #expect(
                line
                    == "2026-01-01 00:00:00 UTC  SUBSCRIBED.INITIAL_BUY  anna/com.example.premium.monthly  production  "
                    + "active  account \(token)  verified ✓")
            listener.interrupt()
            #expect(await listener.end() == 0)
            let state = try await session.run("simulator", "customers", "anna")
            #expect(state.status == 0)
        }
    }

    @Test func `A listener takes nothing from web pages, and one line of a notification stays one line`() async throws {
        try await withSession { session in
            let listener = try await RunningCommand(
                ["simulator", "listen", "--simulator", session.folder.path],
                state: session.folder.appending(path: "state"))
            var lines = listener.lines.makeAsyncIterator()
            let start = try #require(await lines.next())
            let port = try #require(start.firstMatch(of: #/port (\d+)/#)?.1)
            func post(_ type: String, _ headers: [(name: String, value: String)]) async throws -> Int {
                let body =
                    #"{"notification_type":"\#(type)","password":"x","unified_receipt":{"latest_receipt":""}}"#
                return try await AsyncHTTPClientTransport().send(
                    HTTPTransportRequest(
                        method: "POST", url: "http://127.0.0.1:\(port)/production", headers: headers,
                        body: Data(body.utf8))
                ).status
            }
            let foreign: [(name: String, value: String)] = [
                ("Origin", "http://example.com"), ("Sec-Fetch-Site", "cross-site"), ("Host", "example.com"),
            ]
            for header in foreign {
                let status = try await post("REFUND", [header])
                #expect(status == 403, "\(header)")
            }
            let status = try await post(#"A\n\u001b[32;1mB"#, [])
            #expect(status == 200)
            let line = try #require(await lines.next())
            #expect(line.contains(#"V1.A\u{a}\u{1b}[32;1mB  production  refused ✗ wrong_secret"#), "\(line)")
            listener.interrupt()
            #expect(await listener.end() == 0)
        }
    }
}
