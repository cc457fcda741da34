import Foundation
import Ledger
import StoreSimulator
import TestSupport
import Testing
import WebConsole

@testable import CounterfoilServer
@testable import LedgerServices

@Suite struct `Sessions of the console` {
    @Test func `A console session ends when its key is removed or replaced under the same name`() async throws {
        try await `The console`.run { world, browser in
            let configuration = try world.configuration()
            let server = try world.server
            for replacement in ["another key of this name", nil] {
                try await browser.signIn()
                #expect(try await browser.get("/console").status == 200)
                await server.reload {
                    var changed = configuration
                    changed.keys = changed.keys.compactMap { key in
                        var key = key
                        guard key.name == "all" else { return key }
                        guard let replacement else { return nil }
                        key.hash = APIKeyText.hash(of: replacement)
                        return key
                    }
                    return changed
                }
                #expect(try await browser.get("/console").status == 303)
                guard let replacement else { continue }
                try await browser.signIn(replacement)
                #expect(try await browser.get("/console").status == 200)
                await server.reload { configuration }
            }
        }
    }

    @Test func `Signing in returns to the requested page, even after a mistyped key`() async throws {
        try await `The console`.run { world, browser in
            let path = "/console/refunds?environment=Sandbox"
            let wrong = try await browser.post("/console/sign-in", ["key": "wrong", "return": path])
            #expect(wrong.status == 403 && wrong.hidden("return") == path)
            let right = try await browser.post("/console/sign-in", ["key": TestAPIClient.key, "return": path])
            #expect(right.status == 303 && right.location == path)
            let other = Browser(world.url)
            let foreign = try await other.post("/console/sign-in", ["key": "wrong", "return": "//evil.example"])
            #expect(foreign.hidden("return") == "/console")
        }
    }

    @Test func `A form sent without a session leads to the sign-in page with the way back`() async throws {
        try await `The console`.run { _, browser in
            for path in ["/console/confirm", "/console/do"] {
                let page = try await browser.post(path, ["action": "grant", "id": "a b", "environment": "Sandbox"])
                #expect(page.status == 303)
                #expect(
                    page.location
                        == "/console/sign-in?return=%2Fconsole%2Fcustomers%2Fa%2520b%3Fenvironment%3DSandbox")
            }
            let decoding = try await browser.post("/console/decode", ["text": "eyJ"])
            #expect(decoding.status == 303 && decoding.location == "/console/sign-in?return=%2Fconsole%2Fdecode")
            let name = String(repeating: "a", count: 9000)
            let long = try await browser.post("/console/do", ["action": "grant", "id": name])
            #expect(long.status == 303 && long.location == "/console/sign-in")
        }
    }

    @Test func `Live updates and streams without a session are answered with 401`() async throws {
        try await `The console`.run { _, browser in
            for path in ["/console?fragment=all", "/console/customers/a?fragment=all", "/console/events?topics=inbox"] {
                let page = try await browser.get(path)
                #expect(page.status == 401 && page.location == nil, "\(path)")
                #expect(page.text == "The session has ended.")
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `The event stream of a console session ends with the session`() async throws {
        try await `The console`.run { world, browser in
            try await browser.signIn()
            let core = try world.server.core
            async let stream = browser.get("/console/events?topics=inbox")
            try await waitUntil("the stream is open") { core.changes.count > 0 }
            core.sessions.end { _ in true }
            core.changes.publish("inbox")
            let page = try await stream
            #expect(page.status == 200 && page.headers["content-type"] == "text/event-stream")
        }
    }

    @Test func `Sign-in over plain HTTP from another machine offers no form for the key`() async throws {
        try await `The console`.run { world, browser in
            #expect(try await browser.get("/console/sign-in").text.contains("name=\"key\""))
            let far = [(name: "X-Forwarded-For", value: "192.0.2.1")]
            let page = try await browser.get("/console/sign-in", far)
            #expect(!page.text.contains("name=\"key\"") && page.text.contains("Use https"))
            let link = try ConsoleLink.make(try world.configuration(), key: "all", url: "")
            #expect(try await browser.get(link, far).hidden("link") == nil)
        }
    }

    @Test func `The audit log does not contain the token of a sign-in link`() async throws {
        try await `The console`.run { world, browser in
            let link = try ConsoleLink.make(try world.configuration(), key: "all", url: "")
            #expect(try await browser.get(link, [("Host", "evil.example")]).status == 403)
            let token = try #require(link.split(separator: "=").last)
            let log = try await world.api.get("/v1/audit").text
            #expect(log.contains("foreign_host") && !log.contains(token))
        }
    }

    @Test func `A session of a key for one app sees no keys, sessions and endpoints beyond the app`() async throws {
        try await `The console`.run { configuration in
            let app = configuration.apps[0].bundleID
            configuration.webhooks = [World.webhook("everything", "https://example.com/hooks")]
            configuration.keys.append(
                .init(
                    name: "narrow", hash: APIKeyText.hash(of: "narrow"), scopes: Set(APIScope.all), apps: [app]))
        } _: { world, browser in
            let narrow = Browser(world.url)
            try await browser.signIn()
            try await narrow.signIn("narrow")
            let page = try await narrow.get("/console/operations").text
            #expect(page.contains("<bdi>narrow</bdi>") && !page.contains("<bdi>all</bdi>"))
            #expect(!page.contains("<bdi>reader</bdi>") && !page.contains("<bdi>everything</bdi>"))
            #expect(!page.contains("counterfoil_inbox_backlog"))
            let whole =
                try await browser.get("/console/operations").text
                + browser.get("/console/operations/configuration").text
            #expect(whole.contains("counterfoil_inbox_backlog"))
            for name in ["narrow", "all", "reader", "everything"] { #expect(whole.contains("<bdi>\(name)</bdi>")) }
            let ids = try await world.api.get("/v1/audit").items.compactMap { $0["session"] as? String }
            let foreign = try #require(ids.last)
            #expect(try await narrow.confirm(["action": "end-session", "session": foreign]).status == 409)
            #expect(try await browser.get("/console").status == 200)
        }
    }

    private static func address(_ host: String) -> ServerConfiguration.Console.Address {
        var address = ServerConfiguration.Console.Address()
        (address.host, address.port) = (host, 9001)
        return address
    }

    @Test func `The address of a sign-in link follows the listening addresses, TLS and the public URL`() {
        var configuration = ServerConfiguration(apps: [])
        func address(_ change: (inout ServerConfiguration) -> Void = { _ in }) -> String {
            var changed = configuration
            change(&changed)
            return ConsoleLink.address(changed, port: 9000)
        }
        configuration.listen.host = "0.0.0.0"
        #expect(address() == "http://127.0.0.1:9000")
        #expect(address { $0.listen.host = "::" } == "http://[::1]:9000")
        #expect(address { $0.listen.host = "2001:db8::1" } == "http://[2001:db8::1]:9000")
        #expect(address { $0.listen.publicURL = "https://store.example/" } == "https://store.example")
        #expect(address { $0.console.listen = Self.address("::1") } == "http://[::1]:9001")
        #expect(
            address {
                $0.listen.tls = .init(certificateFile: "c", keyFile: "k")
                $0.console.listen = Self.address("0.0.0.0")
            } == "https://127.0.0.1:9001")
    }
}
