import Basics
import Foundation
import Ledger
import Testing

@testable import CounterfoilServer
@testable import LedgerServices

@Suite struct `Access to the console` {
    @Test func `The console accepts the configured IPv6 address as Host and refuses another one`() async throws {
        try await `The console`.run({ $0.listen.publicURL = "https://[2001:db8::1]" }) { _, browser in
            for host in ["[2001:db8::1]", "[2001:DB8::1]:8080"] {
                let answer = try await browser.get("/console/sign-in", [("Host", host)])
                #expect(answer.status == 200, "\(host)")
            }
            let other = try await browser.get("/console/sign-in", [("Host", "[2001:db8::2]")])
            #expect(other.status == 403)
        }
    }

    @Test func `Behind a trusted proxy with HTTPS another machine can sign in at the public URL`() async throws {
        try await `The console`.run({ configuration in
            configuration.listen.publicURL = "https://purchases.example.com"
            configuration.listen.trustedProxies = Network.loopback
        }) { _, browser in
            let path = "/console/sign-in"
            let plain: [(name: String, value: String)] = [
                (name: "Host", value: "purchases.example.com"), (name: "X-Forwarded-For", value: "192.0.2.1"),
            ]
            #expect(try await browser.get(path, plain).text.contains("Use https"))
            let secure = plain + [(name: "X-Forwarded-Proto", value: "https")]
            #expect(try await browser.get(path, secure).text.contains("name=\"key\""))
            let form = [
                (name: "Content-Type", value: "application/x-www-form-urlencoded"),
                (name: "Origin", value: "https://purchases.example.com"),
            ]
            let signedIn = try await browser.send("POST", path, Data("key=\(TestAPIClient.key)".utf8), secure + form)
            #expect(signedIn.status == 303)
            #expect(signedIn.headers["set-cookie"]?.contains("; Secure") == true)
            #expect(try await browser.get("/console", secure).status == 200)
            #expect(try await browser.get(path, [(name: "Host", value: "other.example.com")]).status == 403)
        }
    }

    @Test func `A console event stream requires the scope of each topic`() async throws {
        try await `The console`.run { configuration in
            configuration.keys.append(
                .init(name: "opener", hash: APIKeyText.hash(of: "opener"), scopes: [.consoleOpen]))
            configuration.keys.append(
                .init(name: "viewer", hash: APIKeyText.hash(of: "viewer"), scopes: [.consoleOpen, .operationsRead]))
        } _: { _, browser in
            for (key, topics, scope) in [
                ("opener", "inbox", "operations:read"), ("viewer", "customer:anna", "customers:read"),
                ("viewer", "deliveries", "webhooks:write"), ("viewer", "inbox,customer:anna", "customers:read"),
            ] {
                try await browser.signIn(key)
                let refused = try await browser.get("/console/events?topics=\(topics)")
                #expect(refused.status == 403 && refused.text.contains(scope), "\(topics): \(refused.text)")
                #expect(try await browser.get("/console/events?topics=everything").status == 400)
            }
        }
    }

    @Test func `A console page subscribes only to topics that its key may read`() async throws {
        try await `The console`.run { configuration in
            configuration.keys.append(
                .init(name: "support", hash: APIKeyText.hash(of: "support"), scopes: [.consoleOpen, .supportRead]))
        } _: { _, browser in
            try await browser.signIn()
            let whole = try await browser.get("/console")
            #expect(whole.status == 200 && whole.text.contains("data-topics=\"overview\""))
            try await browser.signIn("support")
            let page = try await browser.get("/console")
            #expect(page.status == 200 && page.text.contains("data-topics=\"\""))
            // The scope `support:read` allows the topic of the refunds page.
            let refunds = try await browser.get("/console/refunds")
            #expect(refunds.status == 200 && refunds.text.contains("data-topics=\"inbox\""))
        }
    }

    @Test func `A method that a console page lacks is answered with 405 and the allowed methods`() async throws {
        try await `The console`.run { _, browser in
            let headers = [(name: "Sec-Fetch-Site", value: "same-origin")]
            for (method, path, allowed) in [
                ("POST", "/console", "GET, HEAD"), ("DELETE", "/console/customers/anna", "GET, HEAD"),
                ("PUT", "/console/decode", "GET, HEAD, POST"), ("GET", "/console/do", "POST"),
            ] {
                let page = try await browser.send(method, path, nil, headers)
                #expect(page.status == 405 && page.headers["allow"] == allowed, "\(method) \(path): \(page.status)")
                #expect(page.text.contains("Code method_not_allowed"), "\(method) \(path)")
            }
            let unknown = try await browser.send("PUT", "/console/nothing", nil, headers)
            #expect(unknown.status == 404 && unknown.headers["allow"] == nil)
        }
    }

    @Test func `A console form above the size limit is answered with 413`() async throws {
        try await `The console`.run { _, browser in
            let page = try await browser.post("/console/theme", ["theme": String(repeating: "a", count: 300_000)])
            #expect(page.status == 413 && page.text.contains("Code too_large"))
        }
    }

    @Test func `Console forms count against the limits of request size and buffered bytes`() async throws {
        try await `The console`.run({ configuration in
            configuration.limits.requestBytes = 20_000
            configuration.limits.bufferedBytes = 20_000
        }) { world, browser in
            let large = try await browser.post("/console/theme", ["theme": String(repeating: "a", count: 20_000)])
            #expect(large.status == 413 && large.text.contains("too_large"))
            #expect(try await browser.post("/console/theme", ["theme": "dark"]).status == 303)
            // Another client occupies the whole buffer.
            let reservation = try world.server.core.bodies.reservation(for: Network.ofClient(at: "192.0.2.1"))
            try reservation.reserve(20_000, limit: 20_000)
            let refused = try await browser.post("/console/sign-in", ["key": "a"])
            #expect(refused.status == 503 && refused.text.contains("overloaded"), "\(refused.status)")
            reservation.release()
            #expect(try await browser.post("/console/sign-in", ["key": "a"]).status == 403)
        }
    }
}
