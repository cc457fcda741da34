import AppStoreModels
import AppStoreServer
import AppStoreTrust
import CounterfoilServer
import Crypto
internal import Entitlements
import Foundation
import GRDB
import LedgerSQLite
internal import LedgerServices
import Logging
import NIOCore
import StoreSimulator

/// Measures the server over HTTP, with durable commits to a ledger on disk, and the load generator on the same machine.
struct ServerBenchmarks {
    private static let connections = 256

    private let store: LoadedStore
    private let folder: URL
    private let server: Server

    /// Starts a server with a ledger; with a new one in a temporary folder if `ledger` is nil.
    init(ledger: String?, customers: Int) async throws {
        store = try LoadedStore(customers: customers)
        folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var app = ServerConfiguration.App(bundleID: LoadedStore.bundleID, appAppleID: 1)
        app.catalogue.entitlements = ["premium": ["com.example.premium.monthly"]]
        var configuration = ServerConfiguration(apps: [app])
        configuration.listen.port = 0
        configuration.storage.path = ledger ?? folder.appending(path: "ledger.sqlite").path
        configuration.trust.anchors = try TrustAnchors(certificates: [Data(store.authority.root.der)])
        configuration.trust.revocation = .off
        configuration.limits.requestsPerSecond = 1_000_000
        configuration.limits.connectionsPerAddress = 1024
        configuration.keys = [
            .init(
                name: "benchmark", hash: Data(SHA256.hash(data: Data(HTTPRequests.key.utf8))), scopes: Set(APIScope.all)
            )
        ]
        configuration.log.level = .critical
        // Use the same logger as `counterfoil server run`.
        let logger = Logger(label: "benchmark") { [log = configuration.log] _ in ServerLogHandler(log) }
        let begin = ContinuousClock.now
        server = try await Server.start(
            configuration, clock: .showing { LoadedStore.start + 400 * 86_400 }, logger: logger)
        report("server.start", begin.duration(to: .now) / .milliseconds(1), "ms")
    }

    /// `server [LEDGER [TRANSACTIONS]]`: measures with a new ledger, or with one made by `fill`.
    static func run(_ arguments: [String]) async throws {
        let transactions = arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000
        let benchmarks = try await ServerBenchmarks(
            ledger: arguments.first, customers: max(transactions / LoadedStore.renewals, 1))
        // Measure reading before ingest if the ledger was made by `fill`, because each notification makes a customer's
        // record longer.
        if arguments.isEmpty { try await benchmarks.reportIngest(count: 20_000) }
        try await benchmarks.reportReading()
        benchmarks.reportMemory("after-reading")
        try await benchmarks.reportProcessorTime()
        if !arguments.isEmpty { try await benchmarks.reportIngest(count: 20_000) }
        benchmarks.reportMemory("in-the-end")
        try await benchmarks.stop()
    }

    /// `notification` and `customer`: runs one part alone, for use with a profiler.
    static func run(only name: String) async throws {
        let benchmarks = try await ServerBenchmarks(ledger: nil, customers: 1000)
        if name == "notification" {
            try await benchmarks.reportProcessorTime(rounds: 6)
        } else {
            try await benchmarks.reportIngest(count: 10_000)
            try await benchmarks.reportReading(rounds: 9)
        }
        try await benchmarks.stop()
    }

    /// Sends requests over new connections, because the server closes idle ones.
    private func send(
        _ count: Int, rate: Double? = nil, connections: Int = Self.connections,
        _ request: @escaping @Sendable (Int) -> ByteBuffer
    ) async throws -> LoadGenerator.Result {
        let generator = try await LoadGenerator(port: server.port, connections: connections)
        let result = try await generator.send(count, rate: rate, request)
        try await generator.stop()
        try require(result.failures == 0)
        return result
    }

    func stop() async throws {
        try await server.stop()
        try FileManager.default.removeItem(at: folder)
    }

    /// Measures the acknowledged notifications per second, compared with the limit by signature verification alone, and
    /// the response times at 80 % of that load.
    func reportIngest(count: Int) async throws {
        let first = store.customers * LoadedStore.renewals + Int(Date().timeIntervalSince1970) % 1_000_000
        let requests = try await HTTPRequests.notifications(of: store, first..<first + count)
        let limit = try Self.rawRate() * 2 / 3
        report("server.ingest.limit", limit, "1/s")
        let result = try await send(count) { requests[$0] }
        report("server.ingest", result.rate, "1/s")
        report("server.ingest / limit", result.rate / limit, "ratio")
        report("server.ingest.p50", result.percentile(0.5) * 1000, "ms")
        report("server.ingest.p99", result.percentile(0.99) * 1000, "ms")
        let begin = ContinuousClock.now
        try await requireProcessed()
        let drained = begin.duration(to: .now) / .seconds(1)
        report("server.ingest.drained", Double(count) / (result.seconds + drained), "1/s")
        report("server.ingest.drained / limit", Double(count) / (result.seconds + drained) / limit, "ratio")
        try await reportPaced(first + count..<first + 2 * count, rate: result.rate * 0.8)
    }

    /// Measures the processor time of a notification, from its request until it is processed and its event written,
    /// compared with the three signature verifications that it needs. Unlike rates, it hardly depends on other load of
    /// the machine.
    ///
    /// The verifications are timed on one processor and on all at once: if two processors are threads of one core, all
    /// work takes longer on both, including that for a notification.
    func reportProcessorTime(rounds: Int = 3, count: Int = 4_000) async throws {
        let first =
            (store.customers + 1) * LoadedStore.renewals + 2_000_000 + Int(Date().timeIntervalSince1970) % 1_000_000
        try await requireProcessed()
        var (taken, alone, together): ([Double], [Double], [Double]) = ([], [], [])
        let requests = try await HTTPRequests.notifications(of: store, first..<first + rounds * count)
        for round in 0..<rounds {
            let before = Processor.time
            let result = try await send(count, connections: 32) { requests[round * count + $0] }
            try await requireProcessed()
            taken.append((Processor.time - before - result.processor) / Double(count))
            alone.append(taken[round] / (3 * (try await Self.rawTime(on: 1))))
            together.append(
                taken[round] / (3 * (try await Self.rawTime(on: ProcessInfo.processInfo.activeProcessorCount))))
        }
        func median(_ values: [Double]) -> Double { values.sorted()[rounds / 2] }
        report("server.notification", median(taken) * 1e6, "µs of processor time")
        report("server.notification / three verifications", median(alone), "ratio")
        report("server.notification / three verifications on all processors", median(together), "ratio")
    }

    /// Returns the processor time of a raw verification while `processors` tasks verify in parallel.
    private static func rawTime(on processors: Int) async throws -> Double {
        let before = Processor.time
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<processors { group.addTask { _ = try rawRate() } }
            try await group.waitForAll()
        }
        return (Processor.time - before) / Double(processors * verifications)
    }

    /// Waits until all notifications are processed, and throws if one is left or failed verification.
    private func requireProcessed() async throws {
        await server.core.processor.waitUntilIdle()
        let storage = server.core.storage as? SQLiteStorage
        let left = try await storage?.pool.read { db in
            try Int.fetchOne(db, sql: "SELECT (SELECT count(*) FROM inbox) + (SELECT count(*) FROM failures)")
        }
        try require(left == 0)
    }

    private func reportPaced(_ range: Range<Int>, rate: Double) async throws {
        let requests = try await HTTPRequests.notifications(of: store, range)
        let result = try await send(range.count, rate: rate) { requests[$0] }
        report("server.ingest.paced", result.rate, "1/s")
        report("server.ingest.paced.p50", result.percentile(0.5) * 1000, "ms")
        report("server.ingest.paced.p99", result.percentile(0.99) * 1000, "ms")
        try await requireProcessed()
    }

    /// Measures requests for a customer per second, compared with a route that does nothing.
    func reportReading(rounds: Int = 5, count: Int = 20_000) async throws {
        let customers = store.customers
        var rates: [String: [Double]] = [:]
        func measure(_ name: String, _ request: @escaping @Sendable (Int) -> ByteBuffer) async throws -> Double {
            let before = Processor.time
            let result = try await send(count, request)
            rates[name, default: []].append(result.rate)
            rates[name + ".time", default: []].append((Processor.time - before - result.processor) / Double(count))
            return result.rate
        }
        let empty = HTTPRequests.request("GET", "/health/live")
        for round in 0..<rounds {
            let nothing = try await measure("empty") { _ in empty }
            // Prepare the requests before the measurement.
            let requests = (0..<count).map { index in
                let customer = (index &* 7919 &+ round &* 104_729) % customers
                return HTTPRequests.request("GET", "/v1/customers/\(LoadedStore.token(customer).text)")
            }
            let reading = try await measure("customer") { requests[$0] }
            rates["ratio", default: []].append(reading / nothing)
        }
        func median(_ name: String) -> Double { (rates[name] ?? []).sorted()[rounds / 2] }
        report("server.empty", median("empty"), "1/s")
        report("server.customer", median("customer"), "1/s")
        for name in ["empty", "customer"] {
            report("server.\(name).time", median(name + ".time") * 1e6, "µs of processor time")
        }
        report("server.customer / server.empty", median("ratio"), "ratio")
        report("server.memory.with-generator", Memory.resident / 1_048_576, "MiB")
    }

    /// Reports the resident memory after the load generator's memory was freed.
    func reportMemory(_ name: String) {
        report("server.memory.\(name)", Memory.residentAfterTrim / 1_048_576, "MiB")
    }

    private static let verifications = 10_000

    /// Measures raw P-256 verifications per second on one core.
    private static func rawRate() throws -> Double {
        let key = P256.Signing.PrivateKey()
        let input = Data(repeating: 7, count: 4096)
        let signature = try key.signature(for: input)
        let verifier = key.publicKey
        let begin = ContinuousClock.now
        for _ in 0..<verifications { try require(verifier.isValidSignature(signature, for: input)) }
        return Double(verifications) / (begin.duration(to: .now) / .seconds(1))
    }
}
