import AppStoreModels
import AppStoreServer
import AsyncHTTPClient
import Basics
import CounterfoilServer
import Entitlements
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

/// A random life in a simulated App Store with two servers. One gets every notification. The other one, that of the
/// world, is often down or misses notifications, has a wrong clock at times, and recovers.
struct PairedServers {
    let world: World
    let complete: Server
    let relay: NotificationRelay
    private var random: RandomCommands
    private var lastRecovery = World.start
    private(set) var isStopped = false

    private init(_ world: World, _ complete: Server, _ relay: NotificationRelay, seed: UInt64) {
        (self.world, self.complete, self.relay) = (world, complete, relay)
        random = RandomCommands(random: SeededGenerator(seed: seed))
    }

    /// Calls `body` with the servers, which run until `body` returns.
    static func run(_ seed: UInt64, _ body: (inout PairedServers) async throws -> Void) async throws {
        try await NotificationRelay.run { relay in
            try await World.run {
                RandomHistory.settings(seed, &$0)
                // The App Store names win-back offers in its answers. No notification says when one becomes available.
                for index in $0.catalogue.products.indices {
                    $0.catalogue.products[index].subscription?.offers.removeAll { $0.type == .winBack }
                }
            } server: {
                $0.keys = [World.backend]
                $0.apps[0].catalogue.entitlements = [
                    "premium": ["gold", "plus", "plus.other", "plus.yearly", "basic"],
                    "extra": ["lamp", "season", "news"],
                ]
            } _: { world in
                let simulator = world.simulator
                var configuration = try world.configuration()
                configuration.storage.path = world.folder.appending(path: "complete.sqlite").path
                configuration.listen.port = 0
                var logger = Logger(label: "test")
                logger.logLevel = .critical
                let complete = try await Server.start(
                    configuration, clock: .showing { simulator.core.now }, logger: logger)
                relay.connect(complete: "http://127.0.0.1:\(complete.port)")
                var servers = PairedServers(world, complete, relay, seed: seed)
                try await withCleanup({ try await complete.stop() }) {
                    servers.receive(.everything)
                    try await body(&servers)
                }
            }
        }
    }

    /// The customers: the account tokens with which they buy.
    var customers: [String] { random.names.compactMap { token($0)?.uuidString.lowercased() } }

    private func token(_ name: String) -> UUID? {
        random.names.firstIndex(of: name).flatMap { UUID(uuidString: "00000000-0000-4000-8000-00000000000\($0)") }
    }

    // MARK: - The life

    /// Every customer buys a subscription, and both servers read the history for the first time.
    mutating func begin() async throws {
        let buyers = random.names + random.names.prefix(1)
        for (name, product) in zip(buyers, ["plus.yearly", "basic", "plus.yearly", "basic", "lamp"]) {
            try await world.simulator.perform(
                .purchase(customer: name, product: product, appAccountToken: AppAccountToken(token(name))))
        }
        try await recover()
    }

    /// Performs random commands. Meanwhile the other server fails in random ways.
    mutating func live(steps: Int) async throws {
        for _ in 0..<steps {
            if random.chance(20) { try await changeReception() }
            if random.chance(5) { setClock() }
            if random.chance(8), !isStopped {
                // If the clock is far ahead, the App Store refuses a request for future dates.
                do { try await world.server.core.recovery.runNow() } catch is AppStoreServerError {}
            }
            // The App Store keeps its notification history for 180 days, and no pause is longer than 40.
            if world.simulator.now.timeIntervalSince(lastRecovery) > 120 * 86_400 { try await recover() }
            try await act()
        }
    }

    /// Performs random commands for a time in which the other server is down.
    mutating func live(withoutServer days: Double) async throws {
        let end = world.simulator.now + days * 86_400
        try await stop()
        // Something must be lost.
        try await world.simulator.perform(.requestTestNotification)
        while world.simulator.now < end { try await act() }
    }

    private mutating func act() async throws {
        let simulator = world.simulator
        try await simulator.advance(by: max(random.pause(), 0.005))
        let command = next()
        // The simulator refuses many random commands.
        do { try await simulator.perform(command) } catch is StoreError {}
    }

    private mutating func next() -> StoreCommand {
        if random.chance(3), let name = random.names.randomElement(using: &random.random) {
            return .advancedCommerce(for: name, token(name))
        }
        let command = world.simulator.core.read(.production) { store, _ in random.next(store) }
        return command.withAccountToken(token)
    }

    // MARK: - Failures

    private mutating func changeReception() async throws {
        switch Int.random(in: 0..<5, using: &random.random) {
        case 0: try await stop()
        case 1: receive(.nothing)
        case 2: receive(.half)
        default:
            try await start()
            receive(.everything)
        }
    }

    private func receive(_ reception: NotificationRelay.Reception) {
        relay.connect(other: world.url, isStopped ? .nothing : reception)
        let url = relay.url
        world.simulator.configure { $0.notificationURL = url }
    }

    private mutating func stop() async throws {
        if !isStopped { try await world.stopServer() }
        isStopped = true
        receive(.nothing)
    }

    private mutating func start() async throws {
        if isStopped { try await world.startServer() }
        isStopped = false
    }

    /// Sets the other server's clock ahead or back, or corrects it.
    private mutating func setClock() {
        let leads: [TimeInterval] = [0, 0, 600, -600, 6 * 3600, 2 * 86_400]
        let lead = leads.randomElement(using: &random.random) ?? 0
        world.clockLead.withLock { $0 = lead }
    }

    // MARK: - Recovery

    /// Corrects all failures. Both servers read the history; the second time, all notifications are processed, so they
    /// request the same subscriptions from the App Store.
    mutating func recover() async throws {
        world.clockLead.withLock { $0 = 0 }
        try await start()
        receive(.everything)
        for _ in 0..<2 {
            let cores = try [complete.core, world.server.core]
            for core in cores {
                let processor = core.processor
                try await waitForEnd("all notifications are processed") { await processor.waitUntilIdle() }
                try await core.recovery.runNow()
                try await waitForEnd("all notifications are processed") { await processor.waitUntilIdle() }
            }
        }
        lastRecovery = world.simulator.now
    }

    // MARK: - Answers

    /// Returns the answers of both servers that differ, and all answers of the complete one.
    ///
    /// - Parameter knowsGracePeriods: Whether both know all grace periods. The end of one is signed only in a
    ///   notification, which may be lost.
    func compare(
        _ questions: [String], knowsGracePeriods: Bool = true
    ) async throws -> (answers: [String], differences: [String]) {
        var (answers, differences) = ([String](), [String]())
        for question in questions {
            let expected = try await Answer.essence(of: question, from: complete, knowsGracePeriods)
            let answer = try await Answer.essence(of: question, from: try world.server, knowsGracePeriods)
            answers.append(expected)
            if answer != expected { differences.append("\(question):\n  \(expected)\n  \(answer)") }
        }
        return (answers, differences)
    }
}

/// Answers of a server, without the members that say how and when it learned something.
enum Answer {
    /// Rows have other numbers, and facts were signed again if the server asked the App Store.
    private static let circumstances: Set<String> = [
        "as_of", "request_id", "next_page", "received_at", "origin", "is_retry", "facts", "facts_omitted", "sequence",
        "created_at",
    ]

    /// Returns the answer to a question.
    static func essence(
        of question: String, from server: Server, _ knowsGracePeriods: Bool
    ) async throws -> String {
        let (status, json) = try await json(question, from: server)
        return try "\(status) \(text(essence(json, knowsGracePeriods)))"
    }

    /// Returns all events of the feed, sorted, without those that are repeated after a late one.
    static func events(of server: Server) async throws -> [String] {
        var (events, page) = ([String](), "")
        while true {
            let (_, json) = try await json("/v1/events?limit=100\(page)", from: server)
            let list = try #require(json as? [String: Any])
            let items = try #require(list["items"] as? [[String: Any]])
            for item in items where (item["data"] as? [String: Any])?["repeats"] == nil {
                events.append(try text(essence(item, true)))
            }
            guard list["has_more"] as? Bool == true, let next = list["next_page"] as? String else { break }
            page = "&page=\(next)"
        }
        return events.sorted()
    }

    private static func json(_ question: String, from server: Server) async throws -> (status: UInt, json: Any) {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(server.port)\(question)")
        request.headers.add(name: "authorization", value: "Bearer \(World.backendKey)")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(600))
        let body = try await response.body.collect(upTo: 16 << 20)
        return (response.status.code, try JSONSerialization.jsonObject(with: Data(body.readableBytesView)))
    }

    private static func essence(_ value: Any, _ knowsGracePeriods: Bool) -> Any {
        if let object = value as? [String: Any] {
            let mayHaveHadGrace = (object["details"] as? [String])?.contains("billing_error") ?? false
            let left = mayHaveHadGrace && !knowsGracePeriods ? circumstances.union(["ended_at"]) : circumstances
            return object.filter { !left.contains($0.key) }.mapValues { essence($0, knowsGracePeriods) }
        }
        if let array = value as? [Any] { return array.map { essence($0, knowsGracePeriods) } }
        return value
    }

    private static func text(_ json: Any) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: json, options: .sortedKeys), as: UTF8.self)
    }
}
