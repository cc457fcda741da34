import Foundation

/// A benchmark case. Its body does `iterations` units of work.
struct Case {
    let name: String
    let body: (_ iterations: Int) async throws -> Void
}

/// Times cases in turn, in several rounds, so that changes in the machine's speed affect all cases equally.
struct Measurement {
    private(set) var rates: [String: [Double]] = [:]

    /// Runs every case once a round, each for about `slice` seconds.
    static func interleaving(_ cases: [Case], rounds: Int = 15, slice: Double = 0.15) async throws -> Measurement {
        var measurement = Measurement()
        var iterations: [Int] = []
        for item in cases {
            // Warm up, and determine the number of iterations in a slice.
            _ = try await seconds(item, 20)
            let once = try await seconds(item, 50) / 50
            iterations.append(max(10, Int(slice / max(once, 1e-9))))
        }
        for _ in 0..<rounds {
            for (item, count) in zip(cases, iterations) {
                measurement.rates[item.name, default: []].append(Double(count) / (try await seconds(item, count)))
            }
        }
        return measurement
    }

    private static func seconds(_ item: Case, _ iterations: Int) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try await item.body(iterations)
        return (clock.now - start) / .seconds(1)
    }

    /// The median rate per second.
    func rate(_ name: String) -> Double { Self.median(rates[name] ?? []) }

    /// Returns the median over the rounds of a rate divided by the baseline, which `baseline` computes from the rates
    /// of the same round.
    func ratio(_ name: String, to baseline: (_ rate: (String) -> Double) -> Double) -> Double {
        let rounds = rates[name]?.count ?? 0
        return Self.median(
            (0..<rounds).map { round in
                let rate = { (name: String) in rates[name]?[round] ?? .nan }
                return rate(name) / baseline(rate)
            })
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return .nan }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}

/// Prints a result as a JSON object on one line.
func report(_ name: String, _ value: Double, _ unit: String) {
    let rounded = value.magnitude < 100 ? (value * 1000).rounded() / 1000 : value.rounded()
    print("{\"name\":\"\(name)\",\"value\":\(rounded),\"unit\":\"\(unit)\"}")
}
