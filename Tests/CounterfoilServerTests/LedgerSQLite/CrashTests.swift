import Foundation
import StoreSimulator
import TestSupport
import Testing

/// The number of kills. `make crash` sets it; the default is 5.
private let kills = ProcessInfo.processInfo.environment["COUNTERFOIL_CRASHES"].flatMap(Int.init) ?? 5

@Suite(.serialized) struct `A server that is killed under load` {
    @Test func `A killed server loses no acknowledged notification and applies none twice`() async throws {
        try await test(recovering: false)
    }

    @Test func `A server killed during recovery loses no acknowledged notification and applies none twice`()
        async throws
    {
        try await test(recovering: true)
    }

    private func test(recovering: Bool) async throws {
        try await Tool.inTemporaryFolder { folder in
            let harness = try await CrashHarness(
                in: folder, notifications: min(200 + kills * 60, 4000), recovering: recovering)
            do {
                var random = SeededGenerator(seed: UInt64(kills))
                let start = ContinuousClock.now
                var interrupted = 0
                for kill in 1...kills {
                    interrupted += try await harness.loadAndKill(share: Double(kill) / Double(kills), &random)
                    try await harness.inspect(after: kill)
                }
                let acknowledged = harness.acknowledgedCount
                try await harness.finish(after: kills)
                print(
                    """
                    \(kills) kills in \(start.duration(to: .now)), \(interrupted) requests cut off, \
                    \(acknowledged) notifications acknowledged in between, none lost, none applied twice
                    """)
                // Without an interrupted request the test proves nothing.
                #expect(interrupted > 0 && acknowledged > 0)
            } catch {
                await harness.simulator.stop()
                throw error
            }
            await harness.simulator.stop()
        }
    }
}
