import AppStoreModels
import AppStoreServer
import AppStoreTrust
import Basics
import CounterfoilServer
import Entitlements
import Foundation
import Ledger
import LedgerServices
import Logging
import NIOCore
import StoreSimulator

/// Measures the console's pages with a ledger made by `fill`: the time and size of each page, and the cost of open
/// pages.
struct ConsoleBenchmarks {
    /// The console's targets: the time for a page in milliseconds (99th percentile), and its size in bytes.
    private static let (longest, largest) = (50.0, 60_000.0)

    /// A key for half of the streams, because one key cannot have more than half.
    private static let secondKey = HTTPRequests.key + "-2"

    private let store: LoadedStore
    private let server: Server
    private let base: String
    private let transport = AsyncHTTPClientTransport()

    /// `console LEDGER TRANSACTIONS`.
    static func run(_ arguments: [String]) async throws {
        guard arguments.count >= 2, let transactions = Int(arguments[1]) else {
            throw StorageError(.failed, "usage: console LEDGER TRANSACTIONS [viewers], with a ledger made by fill")
        }
        let benchmarks = try await ConsoleBenchmarks(
            ledger: arguments[0], customers: max(transactions / LoadedStore.renewals, 1))
        let cookie = try await benchmarks.signIn()
        if arguments.last != "viewers" {
            try await benchmarks.reportPages(cookie)
            try await benchmarks.reportLargeCustomer(cookie)
        }
        try await benchmarks.reportViewers(cookie)
        try await benchmarks.reportStreams([cookie, benchmarks.signIn(Self.secondKey)])
        try await benchmarks.server.stop()
    }

    private init(ledger: String, customers: Int) async throws {
        store = try LoadedStore(customers: customers)
        var app = ServerConfiguration.App(bundleID: LoadedStore.bundleID, appAppleID: 1)
        app.catalogue.entitlements = ["premium": ["com.example.premium.monthly"]]
        var configuration = ServerConfiguration(apps: [app])
        configuration.listen.port = 0
        configuration.storage.path = ledger
        configuration.trust.anchors = try TrustAnchors(certificates: [Data(store.authority.root.der)])
        configuration.trust.revocation = .off
        configuration.limits.requestsPerSecond = 1_000_000
        configuration.limits.connectionsPerAddress = 1024
        configuration.console.isEnabled = true
        configuration.keys = [
            .init(name: "benchmark", hash: APIKeyText.hash(of: HTTPRequests.key), scopes: Set(APIScope.all)),
            .init(name: "second", hash: APIKeyText.hash(of: Self.secondKey), scopes: Set(APIScope.all)),
        ]
        configuration.log.level = .critical
        var logger = Logger(label: "benchmark")
        logger.logLevel = .critical
        server = try await Server.start(
            configuration, clock: .showing { LoadedStore.start + 400 * 86_400 }, logger: logger)
        base = "http://127.0.0.1:\(server.port)"
    }

    private func send(
        _ method: String, _ path: String, _ headers: [(name: String, value: String)], body: String? = nil
    ) async throws -> HTTPTransportResponse {
        try await transport.send(
            HTTPTransportRequest(
                method: method, url: base + path, headers: headers + [("Sec-Fetch-Site", "same-origin")],
                body: body.map { Data($0.utf8) }))
    }

    /// Returns the cookie of a session.
    private func signIn(_ key: String = HTTPRequests.key) async throws -> String {
        let answer = try await send(
            "POST", "/console/sign-in", [("Content-Type", "application/x-www-form-urlencoded")],
            body: "key=\(key)")
        let cookie = answer.headers.first { $0.name.lowercased() == "set-cookie" }?.value.prefix { $0 != ";" }
        try require(answer.status == 303 && cookie != nil)
        return String(cookie ?? "")
    }

    // MARK: Pages

    /// Returns the paths by name. Paths with a customer differ in each call, so that no response is cached.
    private func pages() async throws -> [(name: String, path: @Sendable (Int) -> String)] {
        let customers = store.customers
        let token: @Sendable (Int) -> String = { LoadedStore.token(($0 &* 7919 &+ 13) % customers).text }
        let storage = server.core.storage
        guard let appEnvironment = server.core.scopes[LoadedStore.bundleID, .production] else {
            throw StorageError(.failed, "the ledger was not made by fill: it has no customers of the benchmark")
        }
        let lineages = try await storage.lineages(of: token(0), in: appEnvironment.id)
        let transaction = lineages.first?.originalTransactionID ?? "1"
        let page = try await storage.notifications(InboxFilter(scopes: [appEnvironment.id]), before: .max, limit: 1)
        let notification = page.items.first?.uuid ?? ""
        return [
            ("overview", { _ in "/console" }), ("customers", { _ in "/console/customers" }),
            ("search", { "/console/customers?q=\(token($0))" }), ("customer", { "/console/customers/\(token($0))" }),
            ("explanation", { "/console/customers/\(token($0))/explain/premium" }),
            ("transaction", { _ in "/console/transactions/\(transaction)" }),
            ("notifications", { "/console/notifications?page=\(1_000 + $0 * 37)" }),
            ("notification", { _ in "/console/notifications/\(notification)" }),
            ("refused", { _ in "/console/notifications/refused" }), ("completeness", { _ in "/console/completeness" }),
            ("webhooks", { _ in "/console/webhooks" }), ("refunds", { _ in "/console/refunds" }),
            ("decode", { _ in "/console/decode" }), ("operations", { _ in "/console/operations" }),
            ("audit", { _ in "/console/operations/audit" }),
        ]
    }

    private func reportPages(_ cookie: String) async throws {
        var (slowest, heaviest) = (0.0, 0.0)
        for (name, path) in try await pages() {
            let (p99, bytes) = try await reportPage(name, cookie, path)
            (slowest, heaviest) = (max(slowest, p99), max(heaviest, bytes))
        }
        report("console.slowest.p99 / promised", slowest / Self.longest, "ratio")
        report("console.largest / promised", heaviest / Self.largest, "ratio")
    }

    private func reportPage(
        _ name: String, _ cookie: String, rounds: Int = 200, _ path: (Int) -> String
    ) async throws -> (p99: Double, bytes: Double) {
        var (times, bytes): ([Double], Int) = ([], 0)
        for round in 0..<rounds {
            let begin = ContinuousClock.now
            let answer = try await send("GET", path(round), [("Cookie", cookie)])
            times.append(begin.duration(to: .now) / .milliseconds(1))
            try require(answer.status == 200)
            bytes = max(bytes, answer.body.count)
        }
        report("console.\(name).first", times[0], "ms")
        times.sort()
        report("console.\(name).p50", times[rounds / 2], "ms")
        report("console.\(name).p99", times[rounds * 99 / 100], "ms")
        report("console.\(name).size", Double(bytes), "bytes")
        return (times[rounds * 99 / 100], Double(bytes))
    }

    /// Measures the pages of a customer with 1000 renewals.
    private func reportLargeCustomer(_ cookie: String, count: Int = 1000) async throws {
        let customer = store.customers / 2
        let numbers = (LoadedStore.renewals..<count).map { $0 * store.customers + customer }
        _ = try await ingest(try await HTTPRequests.notifications(of: store, numbers), connections: 16)
        let path = "/console/customers/\(LoadedStore.token(customer).text)"
        _ = try await reportPage("customer-with-\(count)", cookie) { _ in path }
        _ = try await reportPage("customer-with-\(count).explanation", cookie, rounds: 20) { _ in
            path + "/explain/premium"
        }
    }

    private func ingest(_ requests: [ByteBuffer], connections: Int) async throws -> LoadGenerator.Result {
        let generator = try await LoadGenerator(port: server.port, connections: connections)
        let result = try await generator.send(requests.count) { requests[$0] }
        try require(result.failures == 0)
        try await generator.stop()
        await server.core.processor.waitUntilIdle()
        return result
    }

    // MARK: Viewers

    /// Measures the effect of open console pages on the intake of notifications, in rounds without and with viewers.
    /// The order alternates, because the customers' records grow with every round.
    private func reportViewers(_ cookie: String, viewers: Int = 20, rounds: Int = 4, count: Int = 20_000) async throws {
        var (rates, delays): ([Double], [Double]) = ([], [])
        var first = store.customers * LoadedStore.renewals + Int(Date().timeIntervalSince1970) % 1_000_000
        for round in 0..<rounds {
            var results: [Bool: LoadGenerator.Result] = [:]
            for isWatched in round.isMultiple(of: 2) ? [false, true] : [true, false] {
                let requests = try await HTTPRequests.notifications(of: store, first..<first + count)
                first += count
                results[isWatched] =
                    try await isWatched
                    ? ingestWithViewers(viewers, cookie, requests) : ingest(requests, connections: 256)
            }
            guard let with = results[true], let without = results[false] else { continue }
            report("console.viewers.without", without.rate, "1/s")
            report("console.viewers.with", with.rate, "1/s")
            rates.append(with.rate / without.rate)
            delays.append((with.percentile(0.99) - without.percentile(0.99)) * 1000)
        }
        report("console.viewers.acknowledged / without", Self.median(rates), "ratio")
        report("console.viewers.p99 - without", Self.median(delays), "ms")
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    private func ingestWithViewers(
        _ viewers: Int, _ cookie: String, _ requests: [ByteBuffer]
    ) async throws -> LoadGenerator.Result {
        let streams = try await LoadGenerator(port: server.port, connections: viewers)
        try await streams.open(Self.stream(cookie))
        let watching = Task { try await watch(viewers, cookie) }
        let result = try await ingest(requests, connections: 256)
        watching.cancel()
        report("console.viewers.pages", Double(try await watching.value), "pages")
        try await streams.stop()
        return result
    }

    private static func stream(_ cookie: String) -> String {
        "GET /console/events?topics=overview HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: \(cookie)\r\n\r\n"
    }

    /// Makes all viewers fetch the changed part of the overview once a second, at the same time, as the pages' script
    /// does after an event. Returns the number of fetched pages.
    private func watch(_ viewers: Int, _ cookie: String) async throws -> Int {
        var pages = 0
        while !Task.isCancelled {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<viewers {
                    group.addTask {
                        // Use a separate task, so that cancellation does not end a running request.
                        let answer = try await Task {
                            try await send("GET", "/console?fragment=all", [("Cookie", cookie)])
                        }.value
                        try require(answer.status == 200)
                    }
                }
                try await group.waitForAll()
            }
            pages += viewers
            do { try await Task.sleep(for: .seconds(1)) } catch { break }
        }
        return pages
    }

    // MARK: Streams

    /// Measures the memory of 64 open pages, and their processor time while nothing happens.
    private func reportStreams(_ cookies: [String], count: Int = 64) async throws {
        let alone = try await idleShare()
        let before = Memory.residentAfterTrim
        var streams: [LoadGenerator] = []
        for cookie in cookies {
            let opened = try await LoadGenerator(port: server.port, connections: count / max(cookies.count, 1))
            try await opened.open(Self.stream(cookie))
            streams.append(opened)
        }
        try await Task.sleep(for: .seconds(2))
        report("console.streams.memory", (Memory.residentAfterTrim - before) / 1_048_576, "MiB")
        report("console.idle", alone * 100, "% of one core")
        report("console.streams.idle", (try await idleShare() - alone) * 100, "% of one core")
        for opened in streams { try await opened.stop() }
    }

    /// Measures the share of one processor that the process uses without requests.
    private func idleShare() async throws -> Double {
        let (begin, processor) = (ContinuousClock.now, Processor.time)
        try await Task.sleep(for: .seconds(20))
        return (Processor.time - processor) / (begin.duration(to: .now) / .seconds(1))
    }
}
