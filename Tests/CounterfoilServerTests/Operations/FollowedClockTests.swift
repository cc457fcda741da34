import AppStoreModels
import Foundation
import Hummingbird
import LedgerServices
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@Suite struct `The clock of a server that follows a simulator` {
    @Test func `is not behind what has just been signed, though it was not read since the simulator's jumped`()
        async throws
    {
        try await World.run { world in
            let clock = try await ServerClock.following(world.simulator.information.controlURL)
            let start = world.simulator.core.now
            #expect(clock.now() == start)
            try await world.simulator.advance(by: 31 * 86_400)
            let signed = world.simulator.core.now
            #expect(clock.now() == start, "nothing has read it")
            #expect(clock.arrival(ofSigned: signed) == signed)
            #expect(clock.now() == signed)
            // What was signed earlier, and is sent again, turns nothing back.
            #expect(clock.arrival(ofSigned: start) == signed)
        }
    }

    @Test func `is read again, and then shows what the simulator's shows`() async throws {
        try await World.run { world in
            let clock = try await ServerClock.following(world.simulator.information.controlURL)
            let start = world.simulator.core.now
            _ = clock.arrival(ofSigned: start + 86_400)
            try await clock.followed?.read()
            #expect(clock.now() == start)
        }
    }

    @Test func `stays at what was signed when it is read, though the simulator's stands still`() async throws {
        try await World.run { world in
            let clock = try await ServerClock.following(world.simulator.information.controlURL)
            for customer in ["anna", "ben"] {
                try await world.simulator.perform(.purchase(customer: customer, product: "com.example.premium.monthly"))
            }
            // The second was signed a millisecond after the first, at the same instant of the clock.
            let signed = try #require(world.simulator.core.read(.production) { store, _ in store.lastSigned })
            #expect(signed > world.simulator.core.now)
            let arrival = clock.arrival(ofSigned: signed)
            try await clock.followed?.read()
            #expect(clock.now() >= arrival, "what is due since the arrival would wait for ever")
        }
    }

    @Test func `is not put back by an answer that is older than what arrived meanwhile`() async throws {
        let (start, signed) = (Date(timeIntervalSince1970: 1_800_000_000), Date(timeIntervalSince1970: 1_802_678_400))
        let clock = Mutex<FollowedClock?>(nil)
        let router = Router()
        router.get("/clock") { _, _ in
            clock.withLock { $0?.reach(signed) }
            return #"{"now": 1800000000000, "mode": "frozen"}"#
        }
        let server = try await TestServer(router)
        try await server.whileRunning {
            let followed = FollowedClock("http://127.0.0.1:\(server.port)")
            try await followed.read()
            #expect(followed.now() == start)
            clock.withLock { $0 = followed }
            try await followed.read()
            #expect(followed.now() == signed)
        }
    }

    @Test func `is the system's where there is no simulator, whatever was signed`() {
        let before = Date()
        let arrival = ServerClock.system.arrival(ofSigned: before + 86_400)
        #expect(arrival >= before && arrival < before + 3600)
    }
}
