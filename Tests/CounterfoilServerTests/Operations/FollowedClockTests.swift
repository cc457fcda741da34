import Foundation
import LedgerServices
import StoreSimulator
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

    @Test func `is the system's where there is no simulator, whatever was signed`() {
        let before = Date()
        let arrival = ServerClock.system.arrival(ofSigned: before + 86_400)
        #expect(arrival >= before && arrival < before + 3600)
    }
}
