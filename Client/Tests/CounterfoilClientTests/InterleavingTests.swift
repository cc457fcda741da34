import ClientWorld
import CounterfoilClient
import Foundation
import Testing

@Suite struct `Event interleavings` {
    /// The number of random histories. `make client-test` runs 100,000 with `client-histories`.
    private static let count = Int(ProcessInfo.processInfo.environment["CLIENT_INTERLEAVINGS"] ?? "") ?? 2000
    /// The first seed. A failure prints its seed; set it here, with one history, to reproduce the failure.
    private static let first = UInt64(ProcessInfo.processInfo.environment["CLIENT_SEED"] ?? "") ?? 1
    private static let shards = 2

    @Test(arguments: 0..<shards)
    func `No invariant of the client is violated in any order of events`(_ shard: Int) {
        var failures = 0
        for number in stride(from: shard, to: Self.count, by: Self.shards) where failures < 3 {
            let seed = Self.first &+ UInt64(number)
            var world = World(seed: seed, isTraced: Self.count <= 3)
            let violations = world.run(steps: 40)
            guard let violation = violations.first else { continue }
            failures += 1
            let trace = world.trace.joined(separator: "\n")
            Issue.record("seed \(seed): \(violation)\n\(trace)")
        }
    }
}
