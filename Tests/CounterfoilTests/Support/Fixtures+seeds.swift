import Foundation
import TestSupport

extension Fixtures {
    /// The folder with the seeds of a fuzz target, as in `Fuzz/run`.
    static func seeds(of target: String) -> URL {
        Fixtures.package.appending(
            path: target == "scenarios" ? "Sources/StoreSimulator/Scenarios/Shipped" : "Fuzz/Corpus/\(target)")
    }
}
