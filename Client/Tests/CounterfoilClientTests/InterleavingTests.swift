import ClientWorld
import CounterfoilClient
import Foundation
import Testing

@Suite struct `Whatever happens, in whatever order` {
    /// How many lives are lived. `make client-test` lives 100,000 with `client-lives`.
    private static let count = Int(ProcessInfo.processInfo.environment["CLIENT_INTERLEAVINGS"] ?? "") ?? 2000
    /// Where to begin. A failure prints its seed; with that here and one life it is lived again.
    private static let first = UInt64(ProcessInfo.processInfo.environment["CLIENT_SEED"] ?? "") ?? 1
    private static let shards = 2

    @Test(arguments: 0..<shards)
    func `Nothing is lost, sent twice, finished early, or granted by nobody`(_ shard: Int) {
        var failures = 0
        for number in stride(from: shard, to: Self.count, by: Self.shards) where failures < 3 {
            let seed = Self.first &+ UInt64(number)
            var world = World(seed: seed, isTraced: Self.count <= 3)
            let violations = world.live(steps: 40)
            guard let violation = violations.first else { continue }
            failures += 1
            let trace = world.trace.joined(separator: "\n")
            Issue.record("seed \(seed): \(violation)\n\(trace)")
        }
    }
}
