import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Testing
import WebConsole

@Suite struct `Origin of requests` {
    private static let console = OriginCheck(allowsNonBrowsers: false) { OriginCheck.name(of: $0) == "pay.example" }
    private static let loopback = OriginCheck(allowsNonBrowsers: true, isOwnHost: OriginCheck.isLoopback)

    struct Case: Sendable, CustomTestStringConvertible {
        var method = "POST"
        var host: String? = "pay.example"
        var origin: String?
        var site: String?
        var mode: String?
        var destination: String?
        var refusal: OriginCheck.Refusal?
        var testDescription: String { "\(method) \(host ?? "-") \(origin ?? "-") \(site ?? "-") \(mode ?? "-")" }
    }

    @Test(arguments: [
        Case(origin: "https://pay.example", site: "same-origin"),
        Case(site: "none"), Case(origin: "https://pay.example"), Case(origin: "HTTPS://PAY.example"),
        // Browsers send this under `Referrer-Policy: no-referrer`.
        Case(origin: "null", site: "same-origin"),
        Case(refusal: .unknownOrigin), Case(origin: "null", refusal: .foreignOrigin),
        Case(origin: "https://evil.example", refusal: .foreignOrigin),
        Case(origin: "https://pay.example:8443", refusal: .foreignOrigin),
        Case(origin: "https://pay.example.evil.example", refusal: .foreignOrigin),
        Case(origin: "https://pay.example", site: "same-site", refusal: .foreignOrigin),
        Case(site: "cross-site", refusal: .foreignOrigin), Case(site: "nonsense", refusal: .foreignOrigin),
        Case(host: "evil.example", site: "same-origin", refusal: .foreignHost),
        Case(host: "pay.example:evil", site: "same-origin", refusal: .foreignHost),
        Case(host: nil, site: "same-origin", refusal: .foreignHost),
        Case(method: "GET"), Case(method: "GET", site: "same-origin"),
        Case(method: "GET", site: "cross-site", mode: "navigate", destination: "document"),
        Case(method: "GET", site: "cross-site", mode: "navigate", destination: "iframe", refusal: .foreignOrigin),
        Case(method: "GET", site: "cross-site", mode: "cors", refusal: .foreignOrigin),
        Case(method: "GET", site: "same-site", mode: "no-cors", refusal: .foreignOrigin),
        Case(method: "GET", origin: "https://evil.example", refusal: .foreignOrigin),
        Case(method: "GET", host: "evil.example", refusal: .foreignHost),
        Case(method: "DELETE", refusal: .unknownOrigin), Case(method: "get", refusal: .unknownOrigin),
    ])
    func `A page of another origin can neither change nor read anything`(_ test: Case) {
        let refusal = Self.console.refusal(
            method: test.method, host: test.host, origin: test.origin, site: test.site, mode: test.mode,
            destination: test.destination)
        #expect(refusal == test.refusal)
    }

    @Test func `On loopback, programs may send requests that pages of other origins may not`() {
        for host in ["127.0.0.1:8091", "localhost", "[::1]:80", "LOCALHOST:1", nil] {
            #expect(Self.loopback.refusal(method: "POST", host: host, origin: nil, site: nil) == nil)
        }
        for host in ["127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.1:", "127.0.0.1:80:80", "[::1", ""] {
            #expect(
                Self.loopback.refusal(method: "GET", host: host, origin: nil, site: nil) == .foreignHost, "\(host)")
        }
        #expect(
            Self.loopback.refusal(method: "POST", host: "localhost:1", origin: "http://localhost:2", site: "same-site")
                == .foreignOrigin)
        #expect(
            Self.loopback.refusal(method: "POST", host: "localhost:1", origin: "http://localhost:2", site: nil)
                == .foreignOrigin)
    }

    @Test(arguments: [
        ("2001:db8::1", "[2001:db8::1]:8080"), ("2001:db8:0:0::1", "[2001:DB8::1]"), ("[2001:db8::1]", "[2001:db8::1]"),
        ("Pay.example", "pay.EXAMPLE:1"),
    ])
    func `A host matches its name with and without brackets, whatever its port and letter case`(
        _ name: String, _ host: String
    ) {
        #expect(OriginCheck.isNamed(host, oneOf: ["other.example", name]))
        for other in ["other.example", "2001:db8::2", "2001:db8::1:1", ""] {
            #expect(!OriginCheck.isNamed(host, oneOf: [other]))
        }
    }

    @Test func `The origin is checked for every spelling of a path, except in open folders`() async throws {
        let router = Router()
        router.add(
            middleware: OriginGuard(Self.console, openFolders: ["v1"]) { _, _, _ in Response(status: .forbidden) })
        for path in ["/console/x", "/v1/x"] { router.post(RouterPath(path)) { _, _ in "done" } }
        try await Application(router: router).test(.router) { client in
            for path in [
                "/console/x", "//console/x", "/%63onsole/x", "/console//x", "/./console/x", "/v1/../console/x",
                "/v1x/x", "//v1/x", "/%76%31/x", "/", "",
            ] {
                let status = try await client.execute(uri: path, method: .post) { $0.status }
                #expect(status == .forbidden, "\(path)")
            }
            let open = try await client.execute(uri: "/v1/x", method: .post) { $0.status }
            #expect(open == .ok)
        }
    }
}
