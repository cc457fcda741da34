import AppStoreModels
import AppStoreServer
import AsyncHTTPClient
import CounterfoilServer
import Foundation
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

@Suite struct `Retry-After of a receiver` {
    @Test func `Retry-After is read in seconds or as a date`() {
        let now = Date(timeIntervalSince1970: 1_445_412_480)
        #expect(RetryAfter.seconds(" 120 ", now: now) == 120)
        #expect(RetryAfter.seconds("Wed, 21 Oct 2015 07:29:00 GMT", now: now) == 60)
        #expect(RetryAfter.seconds("Wed, 21 Oct 2015 07:27:00 GMT", now: now) == 0)
        for text in ["", "-1", "soon", "99999999999999999999", "1.5"] {
            #expect(RetryAfter.seconds(text, now: now) == nil)
        }
    }
}

@Suite struct `The signature of a webhook` {
    @Test(
        arguments: [
            (1.0, 1), (1.999, 1), (-0.5, -1), (.infinity, .max), (-.infinity, .min), (.nan, .max),
        ] as [(Double, Int64)])
    func `The timestamp is the second that has begun`(_ seconds: Double, _ timestamp: Int64) {
        #expect(WebhookSignature.timestamp(Date(timeIntervalSince1970: seconds)) == timestamp)
    }

    @Test func `A secret has 24 to 64 bytes after its prefix`() {
        func key(_ count: Int, prefix: String = "whsec_") -> [UInt8]? {
            Secret(prefix + Data(repeating: 7, count: count).base64EncodedString()).webhookKey
        }
        for count in [24, 64] { #expect(key(count) == Array(repeating: 7, count: count)) }
        for count in [0, 23, 65] { #expect(key(count) == nil) }
        #expect(key(32, prefix: "") == nil && key(32, prefix: "WHSEC_") == nil)
        #expect(Secret("whsec_*").webhookKey == nil)
    }

    @Test func `A message has one signature for each secret, in their order`() throws {
        let body = Data(#"{"a":1}"#.utf8)
        func signature(_ secrets: [Secret]) -> String? {
            WebhookSignature.headers(id: "evt_1", date: Date(timeIntervalSince1970: 5), body: body, secrets: secrets)
                .first { $0.name == "webhook-signature" }?.value
        }
        let (old, new) = (WebhookSignature.makeSecret(), WebhookSignature.makeSecret())
        #expect(old.webhookKey?.count == 32 && old.revealed != new.revealed)
        let (first, second) = (try #require(signature([old])), try #require(signature([new])))
        #expect(signature([old, new]) == "\(first) \(second)" && first != second)
    }
}

@Suite struct `The reason of a webhook without a response` {
    /// With a request in progress, the client reports a connection that cannot be opened as an exhausted pool.
    @Test(arguments: [
        (HTTPClientError.connectTimeout, "connect_timeout"), (.getConnectionFromPoolTimeout, "connect_timeout"),
        (.deadlineExceeded, "timeout"), (.readTimeout, "timeout"), (.remoteConnectionClosed, "connection_closed"),
        (.invalidHeaderFieldNames([]), "http_error"),
    ])
    func `The reason says whether no connection was opened or no response came`(
        error: HTTPClientError, reason: String
    ) {
        #expect(WebhookSender.reason(error) == reason)
    }
}

@Suite struct `The target of a webhook` {
    private func addresses(_ url: String, names: [String: [String]] = [:]) async throws -> [String] {
        try await WebhookTarget(url, allowsHTTP: false).addresses(allowsPrivate: false) { names[$0] ?? [] }
    }

    @Test(arguments: [
        "https://127.0.0.1/", "https://10.1.2.3/", "https://192.168.0.1:8443/x", "https://169.254.169.254/latest",
        "https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://[::ffff:a00:1]/", "https://[fe80::1]/",
        "https://[fd00::1]/", "https://0.0.0.0/", "https://100.64.0.1/", "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/", "https://[fec0::1]/", "https://%31%32%37.0.0.1/",
    ])
    func `A webhook's target is refused if it is an address of this machine or of a private network`(_ url: String)
        async
    {
        await #expect { _ = try await addresses(url) } throws: {
            ($0 as? WebhookTarget.Refusal)?.code == .notPublic
        }
    }

    @Test(arguments: [
        "https://2130706433/", "https://0x7f000001/", "https://0x7f.1/", "https://0177.0.0.1/", "https://127.1/",
        "https://017700000001/", "https://1.2.3.4.5/", "https://example.com.0x1/", "https://user@example.com/",
        "https://user:word@example.com/", "ftp://example.com/", "https:///x", "example.com", "",
        "https://exa mple.com/",
        "https://example..com/", "https://example.com:99999/", "https://[::1%25eth0]/",
    ])
    func `A webhook's target is refused if its URL is ambiguous`(_ url: String) async {
        await #expect { _ = try await addresses(url, names: ["example.com": ["1.1.1.1"]]) } throws: {
            ($0 as? WebhookTarget.Refusal)?.code == .malformed
        }
    }

    @Test func `A webhook's target must use HTTPS unless HTTP is allowed`() {
        #expect { _ = try WebhookTarget("http://example.com/", allowsHTTP: false) } throws: {
            ($0 as? WebhookTarget.Refusal)?.code == .insecure
        }
        #expect(throws: Never.self) { _ = try WebhookTarget("http://example.com/", allowsHTTP: true) }
    }

    @Test func `A webhook's target is refused if any address of its name is private`() async throws {
        let names = [
            "good.example": ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"],
            "mixed.example": ["93.184.216.34", "10.0.0.1"], "inside.example": ["::ffff:192.168.1.1"],
            "scoped.example": ["fe80::1%eth0"],
        ]
        let good = try await addresses("HTTPS://Good.Example/path?q=1#fragment", names: names)
        #expect(good == names["good.example"])
        #expect(
            try WebhookTarget("HTTPS://Good.Example/path?q=1#fragment", allowsHTTP: false).url
                == "https://good.example/path?q=1")
        for name in ["mixed", "inside", "scoped"] {
            await #expect { _ = try await addresses("https://\(name).example/", names: names) } throws: {
                ($0 as? WebhookTarget.Refusal)?.code == .notPublic
            }
        }
        await #expect { _ = try await addresses("https://nowhere.example/", names: names) } throws: {
            ($0 as? WebhookTarget.Refusal)?.code == .unresolved
        }
    }

    private final class Latch: Sendable {
        let isOpen = Atomic(false)
    }

    /// If no DNS server answers, a lookup takes half a minute. The shutdown must not wait for it.
    @Test func `A lookup returns at once when its task is cancelled`() async throws {
        let latch = Latch()
        let lookup = Task {
            await WebhookTarget.onThread {
                while !latch.isOpen.load(ordering: .acquiring) { sched_yield() }
                return "1.1.1.1"
            }
        }
        defer { latch.isOpen.store(true, ordering: .releasing) }
        lookup.cancel()
        let address = try await waitForEnd("the lookup has returned") { await lookup.value }
        #expect(address == nil)
        #expect(await WebhookTarget.onThread { "1.1.1.1" } == "1.1.1.1")
    }
}

@Suite struct `The types of events` {
    @Test func `An event type matches patterns with wildcards`() {
        let type = EventType(rawValue: "subscription.renewed")
        for pattern in ["*", "subscription.*", "subscription.renewed", "*.renewed", "sub*.ren*ed", "**"] {
            #expect(type.matches(pattern), "\(pattern)")
        }
        for pattern in ["", "subscription", "subscription.", "purchase.*", "*.expired", "subscription.renewed*x", "a*"]
        {
            #expect(!type.matches(pattern), "\(pattern)")
        }
    }

    @Test func `The documentation lists all event types with their compatible names`() throws {
        let path = Fixtures.package.appending(path: "docs/webhooks.md")
        let rows = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
        for type in EventType.all + [EventType.webhookTest.rawValue] {
            let row = rows.first { $0.hasPrefix("| `\(type)` |") }
            let names = CompatibleEvent.events(of: EventType(rawValue: type)).map { "`\($0.rawValue)`" }
            let cell = row?.split(separator: "|").last { !$0.allSatisfy(\.isWhitespace) } ?? ""
            let documented = cell.matches(of: /`[A-Z_]+`/).map { String($0.output) }
            #expect(row != nil, "\(type)")
            #expect(documented == names, "\(type)")
        }
    }

    @Test func `Country codes are converted from three letters to two`() {
        #expect(CountryCode.alpha2(forAlpha3: "USA") == "US")
        #expect(CountryCode.alpha2(forAlpha3: "CHE") == "CH")
        #expect(CountryCode.alpha2(forAlpha3: "XKS") == "XK")
        #expect(CountryCode.alpha2(forAlpha3: "QQQ") == nil)
    }
}
