import AppStoreModels
import Foundation
import StoreSimulator

/// Measures the cost of many customers: the same advance, trigger and command with few and with a hundred times as
/// many.
enum SimulatorScaleBenchmarks {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    /// Reports the results for each number of customers, and the ratio of the last to the first.
    static func run(_ arguments: [String]) async throws {
        let sizes = arguments.compactMap(Int.init)
        var costs: [[String: Double]] = []
        for size in sizes.isEmpty ? [1000, 100_000] : sizes {
            let measured = try await measure(size)
            for (name, value) in measured.sorted(by: { $0.key < $1.key }) {
                report("simulator.scale.\(size).\(name)", value, unit(of: name))
            }
            costs.append(measured)
        }
        guard let first = costs.first, let last = costs.last, costs.count > 1 else { return }
        for name in ["advance", "command", "trigger"] {
            report("simulator.scale.\(name).ratio", (last[name] ?? .nan) / (first[name] ?? .nan), "ratio")
        }
    }

    private static func unit(of name: String) -> String {
        name.hasSuffix("memory") ? "MiB" : name.hasSuffix("seconds") ? "s" : "µs"
    }

    /// Measures a simulator with `size` customers whose monthly subscriptions have run for 360 days.
    private static func measure(_ size: Int) async throws -> [String: Double] {
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(start)
        let before = Memory.residentAfterTrim
        let simulator = try await Simulator.start(configuration)
        for number in 0..<size {
            try await simulator.perform(
                .purchase(customer: "c\(number)", product: "com.example.premium.monthly", introductory: false))
        }
        try await simulator.advance(by: 12 * 30 * 86_400)
        var result = ["memory": (Memory.residentAfterTrim - before) / 1_048_576]
        result["advance"] = try await microseconds { _ in try await simulator.advance(by: 0.001) }
        result["command"] = try await microseconds { number in
            // Use customers far apart, so that their data is not in the processor's cache.
            let name = "c\(number * 389 % size)"
            try await simulator.perform(.cancel(customer: name))
            try await simulator.perform(.resume(customer: name))
        }
        result["trigger"] = try await microseconds { _ in
            try await simulator.trigger(TriggerRequest(.didRenew, .billingRecovery))
        }
        for (name, work) in [
            ("snapshot", { try await simulator.snapshot("x") }), ("restore", { try await simulator.restore("x") }),
        ] as [(String, () async throws -> Void)] {
            let held = Memory.residentAfterTrim
            try Memory.resetPeak()
            let clock = ContinuousClock()
            let begin = clock.now
            try await work()
            result[name + ".seconds"] = (clock.now - begin) / .seconds(1)
            result[name + ".memory"] = (Memory.peak - held) / 1_048_576
        }
        await simulator.stop()
        return result
    }

    /// Returns the median time of 1000 calls, after 1000 calls for warming up.
    private static func microseconds(_ body: (Int) async throws -> Void) async throws -> Double {
        let (clock, count) = (ContinuousClock(), 1000)
        var times: [Double] = []
        for number in 0..<(2 * count) {
            let begin = clock.now
            try await body(number)
            if number >= count { times.append((clock.now - begin) / .microseconds(1)) }
        }
        times.sort()
        return times[times.count / 2]
    }
}
