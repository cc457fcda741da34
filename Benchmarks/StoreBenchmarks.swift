import AppStoreModels
import AppStoreServer
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import StoreSimulator
import Synchronization

/// Measures a simulator over HTTP: a response compared with an empty one, and a year of a thousand subscribers.
final class StoreBenchmarks: Sendable {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)
    private let simulator: Simulator
    private let authorization: String
    private let transactions: [String]

    init() async throws {
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(Self.start)
        configuration.production.enforcesRateLimits = false
        simulator = try await Simulator.start(configuration)
        let information = simulator.information
        let key = try SigningKey(contentsOf: URL(filePath: information.privateKey), keyID: information.keyID)
        let tokens = try APITokenSource(key: key, issuerID: information.issuerID, bundleID: information.bundleID)
        authorization = "Bearer \(try tokens.token().text)"
        var transactions: [String] = []
        for number in 0..<1000 {
            let bought = try await simulator.perform(
                .purchase(customer: "customer-\(number)", product: "com.example.basic.monthly"))
            transactions.append(bought.transactionID ?? "")
        }
        self.transactions = transactions
    }

    var cases: [Case] {
        [
            Case(name: "simulator.api.empty") { n in try await self.get(n) { _ in "/ping" } },
            Case(name: "simulator.api.transaction") { n in
                try await self.get(n) { "/inApps/v1/transactions/" + self.transactions[$0 % self.transactions.count] }
            },
        ]
    }

    /// Sends `n` GET requests in eight parallel tasks.
    private func get(_ n: Int, _ path: @escaping @Sendable (Int) -> String) async throws {
        let base = simulator.information.baseURLs.production
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in 0..<8 {
                group.addTask {
                    for index in stride(from: first, to: n, by: 8) {
                        var request = HTTPClientRequest(url: base + path(index))
                        request.headers.add(name: "Authorization", value: self.authorization)
                        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
                        if answer.status != .ok { throw UnexpectedStatus(code: answer.status.code) }
                        _ = try await answer.body.collect(upTo: 1 << 20)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    static func reportRatios(_ measurement: Measurement) {
        report(
            "simulator.api.transaction / simulator.api.empty",
            measurement.ratio("simulator.api.transaction") { $0("simulator.api.empty") }, "ratio")
    }

    func stop() async { await simulator.stop() }

    /// Simulates a year of a thousand customers who subscribe to five products during the first day. Every notification
    /// is signed, sent over HTTP and acknowledged.
    static func reportYear() async throws {
        let received = Atomic<Int>(0)
        let receiver = try await Receiver { received.add(1, ordering: .relaxed) }
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(start)
        configuration.production.notificationURL = receiver.url
        let simulator = try await Simulator.start(configuration)
        let products = [
            "premium.monthly", "premium.weekly", "premium.yearly", "basic.monthly", "news.weekly",
        ]
        let clock = ContinuousClock()
        let begin = clock.now
        for number in 0..<1000 {
            try await simulator.perform(
                .purchase(customer: "customer-\(number)", product: "com.example." + products[number % products.count]))
            try await simulator.advance(by: 86.4)
        }
        let advanced = try await simulator.advance(by: Period.year)
        let seconds = (clock.now - begin) / .seconds(1)
        try require(advanced.failedAttempts == 0)
        report("simulator.year", seconds, "s")
        report("simulator.year.notifications", Double(received.load(ordering: .relaxed)), "")
        await simulator.stop()
        try await receiver.stop()
    }
}

/// An unexpected response, which ends the benchmark.
private struct UnexpectedStatus: Error { let code: UInt }
