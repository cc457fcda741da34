import CounterfoilServer
import LedgerServices
import Testing

@testable import Ledger

extension World {
    /// The question about a purchase, as soon as it is as the test wants it. The server's own service may be the one
    /// that answers.
    func inquiry(
        about original: String, when holds: (ConsumptionInquiry) -> Bool
    ) async throws -> ConsumptionInquiry {
        let (core, scope) = (try server.core, try scope())
        // Far more often than it takes: a time limit would count the wait for a turn beside all other tests.
        for _ in 0..<50_000 {
            try await core.consumption.answerDue()
            let found = try await core.storage.inquiries(
                about: [original], transactionID: nil, in: scope.id, limit: 1
            ).first
            if let found, holds(found) { return found }
            await Task.yield()
        }
        return try #require(nil as ConsumptionInquiry?, "the question about \(original) did not become so")
    }
}
