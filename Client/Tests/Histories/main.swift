import ClientWorld
import Foundation

// Runs random histories and prints the seeds of those that violate an invariant:
//
//     client-histories [COUNT] [FIRST SEED]
//
// With a count of 1, prints every event.
let arguments = CommandLine.arguments.dropFirst().map { UInt64($0) }
guard let count = arguments.first ?? 100_000, let first = arguments.dropFirst().first ?? 1 else {
    FileHandle.standardError.write(Data("usage: client-histories [COUNT] [FIRST SEED]\n".utf8))
    exit(2)
}
let start = Date()
let shards = UInt64(ProcessInfo.processInfo.activeProcessorCount)
let failures = await withTaskGroup(of: [String].self) { group in
    for shard in 0..<shards {
        group.addTask { @Sendable in
            var failures: [String] = []
            for seed in stride(from: first &+ shard, to: first &+ count, by: Int(shards)) where failures.count < 10 {
                var world = World(seed: seed, isTraced: count == 1)
                let violations = world.run(steps: 40)
                if count == 1 { print(world.trace.joined(separator: "\n")) }
                failures += violations.prefix(1).map { "seed \(seed): \($0)" }
            }
            return failures
        }
    }
    var all: [String] = []
    for await failures in group { all += failures }
    return all
}
for failure in failures { print("client-histories: \(failure)") }
let seconds = Date().timeIntervalSince(start)
print("client-histories: \(count) histories from seed \(first), \(failures.count) went wrong (\(Int(seconds)) s)")
exit(failures.isEmpty ? 0 : 1)
