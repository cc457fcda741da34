import Basics
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import Ledger
@testable import LedgerServices

/// Runs hostile requests against a server while other clients use it.
@Suite struct `Hostile requests to the server` {
    /// The hostile requests. `good` is the text of a genuine notification.
    private static func attacks(_ good: String) -> [String] {
        let json = #"{"signedPayload":"\#(good.dropLast(8))AAAAAAAA"}"#
        func post(_ body: String, _ path: String = "/apple/notifications") -> String {
            "POST \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        return [
            // Without a known key.
            "GET /v1/customers/anna HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            "GET /v1/notifications HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer cfk_guess\r\nConnection: close\r\n\r\n",
            // Forged.
            post(json), post(json, "/apple/retention"), post(#"{"signedPayload":"e30.e30.e30"}"#),
            // Malformed.
            post("{"), post(String(repeating: "[", count: 20_000)), "\u{0}\u{1}\u{2}\r\n\r\n", "GET\r\n\r\n",
            "POST /apple/notifications HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
            "POST /apple/notifications HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "POST /apple/notifications HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
            "GET /%%%?at=%zz&page=%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            "GET /v1/customers/%ff%fe/timeline HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
            // Too large.
            "GET /\(String(repeating: "a", count: 100_000)) HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.1\r\n\(String(repeating: "X-A: b\r\n", count: 2000))\r\n",
            "POST /apple/notifications HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1000000000\r\n\r\n{",
        ]
    }

    @Test func `The server keeps serving other clients during a thousand hostile requests`() async throws {
        try await World.withAPI(server: {
            // The requests of the other clients must be sent within this time.
            $0.limits.sendingTime = .seconds(2)
            $0.limits.connections = 400
            $0.limits.connectionsPerAddress = 400
        }) { world in
            let anna = try await world.subscribe("anna")
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            let text = try #require(try await world.server.core.storage.notification(uuid)?.text)
            let attacks = Self.attacks(text)
            let received = try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<8 {
                    group.addTask { try await Self.attack(attacks, worker, world) }
                }
                group.addTask { try await Self.holdConnections(world) }
                group.addTask {
                    for _ in 0..<400 {
                        let answer = try await world.api.get("/v1/customers/\(anna)")
                        #expect(answer.status == 200)
                    }
                }
                let received = try await Self.subscribe(world, count: 40)
                try await group.waitForAll()
                return received
            }
            #expect(received == 40)
            #expect(try await world.api.get("/health/live").status == 200)
        }
    }

    @Test func `All refused notifications are counted, and at most five per second are logged`() async throws {
        let (lines, count) = (LogCapture(), 200)
        try await World.run(logger: lines.logger(.init())) { world in
            let start = ContinuousClock.now
            for _ in 0..<count {
                let refused = try await world.call(.POST, "/apple/notifications", [:], key: nil)
                #expect(refused.status == 400)
            }
            let most = 5 * (start.duration(to: .now).seconds + 1) + 1
            let logged = lines.count(of: "a notification was refused")
            #expect(logged >= 1 && Double(logged) <= most)
            let metrics = try #require(try await world.server.core.metrics.text())
            #expect(metrics.contains(#"{result="refused",code="bad_json"} \#(count)"#))
        }
    }

    private static func attack(_ attacks: [String], _ worker: Int, _ world: World) async throws {
        for round in 0..<125 {
            let attack = attacks[(round &* 7 &+ worker) % attacks.count]
            let connection = try RawConnection(url: world.url)
            connection.send(attack)
            if round % 3 == 0 { connection.finishSending() }
            // Most connections do not wait for an answer.
            if round % 5 == 0 {
                let answer = await connection.read()
                #expect(!answer.hasPrefix("HTTP/1.1 5"), "\(attack.prefix(80)): \(answer.prefix(300))")
            }
        }
    }

    /// Opens connections that send nothing, a part of a request, or a request slowly, and waits until they are closed.
    private static func holdConnections(_ world: World) async throws {
        for _ in 0..<2 {
            let silent = try (0..<30).map { _ in try RawConnection(url: world.url) }
            for (index, connection) in silent.enumerated() where index % 2 == 0 { connection.send("GET / HT") }
            if let slow = silent.first { await slow.drip("TP/1.1\r\nHost: slow\r\n", every: 20) }
            for connection in silent { _ = await connection.read() }
            #expect(silent.allSatisfy { $0.isClosed })
        }
    }

    /// Makes `count` customers subscribe. Returns how many of them the server then knows as subscribers.
    private static func subscribe(_ world: World, count: Int) async throws -> Int {
        var known = 0
        for index in 0..<count {
            let customer = try await world.subscribe("customer-\(index)")
            let reading = try await world.server.core.customers.customer(customer, in: world.appEnvironment(), at: nil)
            known += reading.states.entitlement("premium")?.isActive == true ? 1 : 0
        }
        return known
    }
}
