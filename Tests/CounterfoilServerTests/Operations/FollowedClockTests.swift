import AppStoreModels
import CounterfoilServer
import Foundation
import Hummingbird
import LedgerServices
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@Suite struct `Server that follows a simulator's clock` {
    /// Returns a clock whose readings have enough time also on a busy machine.
    private static func followed(_ controlURL: String) -> FollowedClock {
        FollowedClock(controlURL, timeout: .seconds(600))
    }

    @Test func `The clock moves to a signing date that is later than its last reading`() async throws {
        try await World.run { world in
            let clock = try await ServerClock.following(world.simulator.information.controlURL)
            let start = world.simulator.core.now
            #expect(clock.now() == start)
            try await world.simulator.advance(by: 31 * 86_400)
            let signed = world.simulator.core.now
            #expect(clock.now() == start, "the clock was not read since")
            #expect(clock.arrival(ofSigned: signed) == signed)
            #expect(clock.now() == signed)
            // An earlier signing date, as in a redelivery, does not set the clock back.
            #expect(clock.arrival(ofSigned: start) == signed)
        }
    }

    @Test func `Reading the simulator's clock replaces a time that a signing date has set`() async throws {
        try await World.run { world in
            let clock = Self.followed(world.simulator.information.controlURL)
            try await clock.read()
            let start = world.simulator.core.now
            clock.advance(to: start + 86_400)
            #expect(clock.now() == start + 86_400)
            try await clock.read()
            #expect(clock.now() == start)
        }
    }

    @Test func `Reading a frozen clock does not set the server's clock behind the last signing date`() async throws {
        try await World.run { world in
            let clock = Self.followed(world.simulator.information.controlURL)
            try await clock.read()
            for customer in ["anna", "ben"] {
                try await world.simulator.perform(.purchase(customer: customer, product: "com.example.premium.monthly"))
            }
            // The second transaction is signed a millisecond after the first, though the clock shows the same time.
            let signed = try #require(world.simulator.core.read(.production) { store, _ in store.lastSigned })
            #expect(signed > world.simulator.core.now)
            clock.advance(to: signed)
            try await clock.read()
            #expect(clock.now() >= signed, "work that is due at the arrival would never start")
        }
    }

    @Test func `A signing date that arrives during a reading of the clock is later than the reading and wins`()
        async throws
    {
        let (start, signed) = (Date(timeIntervalSince1970: 1_800_000_000), Date(timeIntervalSince1970: 1_802_678_400))
        let clock = Mutex<FollowedClock?>(nil)
        let router = Router()
        router.get("/clock") { _, _ in
            clock.withLock { $0?.advance(to: signed) }
            return #"{"now": 1800000000000, "mode": "frozen"}"#
        }
        let server = try await TestServer(router)
        try await server.whileRunning {
            let followed = Self.followed("http://127.0.0.1:\(server.port)")
            try await followed.read()
            #expect(followed.now() == start)
            clock.withLock { $0 = followed }
            try await followed.read()
            #expect(followed.now() == signed)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `Reading the clock of a simulator that does not answer ends after the timeout`() async throws {
        let simulator = try LoopbackServer(answer: nil)
        defer { simulator.stop() }
        let clock = FollowedClock("http://127.0.0.1:\(simulator.port)", timeout: .milliseconds(50))
        let error = await #expect(throws: (any Error).self) { try await clock.read() }
        let description = error.map { "\($0)" }
        #expect(description == "Unreadable()", "the connection failed, or the reading was cancelled")
        #expect(clock.mode == nil)
    }

    @Test(.timeLimit(.minutes(10)))
    func `A starting server logs that it waits for a simulator that does not answer`() async throws {
        let simulator = try LoopbackServer(answer: nil)
        defer { simulator.stop() }
        let lines = LogCapture()
        var configuration = ServerConfiguration(apps: [])
        configuration.clock = .simulator("http://127.0.0.1:\(simulator.port)")
        let start = Task { [configuration] in
            _ = try await CounterfoilServer.Server.start(configuration, logger: lines.logger(.init()))
        }
        try await waitUntil("the log says what the server waits for") { !lines.text.isEmpty }
        start.cancel()
        let error = await #expect(throws: (any Error).self) { try await start.value }
        // On a busy machine the start may have given up before.
        #expect(error is CancellationError || (error as? CounterfoilServer.ServerError)?.code == .clockUnavailable)
        #expect(lines.text.contains("waiting for the simulator's clock, which does not answer"), "\(lines.text)")
        #expect(lines.text.contains("127.0.0.1:\(simulator.port)"), "\(lines.text)")
    }

    @Test func `Without a simulator the server uses the system's clock, whatever the signing date`() {
        let before = Date()
        let arrival = ServerClock.system.arrival(ofSigned: before + 86_400)
        #expect(arrival >= before && arrival < before + 3600)
    }
}
