import CounterfoilServer
import LedgerServices
import Testing

@testable import Ledger

extension World {
    /// Answers due consumption requests until the one about a purchase satisfies `holds`. The server's own service may
    /// answer it first.
    func inquiry(
        about original: String, when holds: (ConsumptionInquiry) -> Bool
    ) async throws -> ConsumptionInquiry {
        let (core, appEnvironment) = (try server.core, try appEnvironment())
        // Counts attempts rather than time: on a busy machine a time limit would include the wait for other tests.
        for _ in 0..<50_000 {
            try await core.consumption.answerDue()
            let found = try await core.storage.inquiries(
                about: [original], transactionID: nil, in: appEnvironment.id, limit: 1
            ).first
            if let found, holds(found) { return found }
            await Task.yield()
        }
        return try #require(
            nil as ConsumptionInquiry?, "the consumption request about \(original) did not reach the expected state")
    }
}
