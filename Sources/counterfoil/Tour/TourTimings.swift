import AppStoreServer
import Crypto
import Foundation
import StoreSimulator

/// Measures the speed of verification. `make bench` measures it more precisely.
enum TourTimings {
    /// Returns a line for each measurement, compared with a raw P-256 verification, which is the upper limit.
    static func lines(_ samples: TourSamples) async throws -> [String] {
        let text = samples.transaction
        let signed = Data(text[..<(text.lastIndex(of: ".") ?? text.endIndex)].utf8)
        let signature = try samples.authority.signingKey.signature(for: signed)
        let key = samples.authority.signingKey.publicKey
        let cold = try samples.verifierWithoutCache()

        var (raw, known, unknown) = ([Double](), [Double](), [Double]())
        // Measure in turn, so that a short slowdown of the machine affects all measurements.
        for _ in 0..<5 {
            raw.append(try await rate(2000) { _ = key.isValidSignature(signature, for: signed) })
            known.append(try await rate(2000) { _ = try await samples.verifier.transaction(text) })
            unknown.append(try await rate(100) { _ = try await cold.transaction(text) })
        }
        let limit = median(raw)
        let lines = [
            line("one P-256 verification alone", limit, nil),
            line("a transaction, certificates known", median(known), limit),
            line("a transaction, certificates unknown", median(unknown), limit),
        ]
        return isOptimised ? lines : lines + ["(this build is not optimised; make bench measures one that is)"]
    }

    private static var isOptimised: Bool {
        #if DEBUG
            false
        #else
            true
        #endif
    }

    private static func line(_ name: String, _ rate: Double, _ limit: Double?) -> String {
        let number = "\(Int(rate))".leftPadded(to: 7)
        let share = limit.map { "   \(Int((rate / $0 * 100).rounded())) % of the limit" } ?? "   the limit"
        return "\(name.padded(to: 40)) \(number) a second\(share)"
    }

    private static func rate(_ count: Int, _ body: () async throws -> Void) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        for _ in 0..<count { try await body() }
        return Double(count) / ((clock.now - start) / .seconds(1))
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
