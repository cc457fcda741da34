import CounterfoilServer
import LedgerServices
import TestSupport
import Testing

@testable import Ledger

extension World {
    /// Answers due consumption requests until the one about a purchase satisfies `holds`. The server's own service may
    /// answer it first.
    func inquiry(
        about original: String, when holds: (ConsumptionInquiry) -> Bool
    ) async throws -> ConsumptionInquiry {
        let (core, appEnvironment) = (try server.core, try appEnvironment())
        var found: ConsumptionInquiry?
        try await waitUntil("the consumption request about \(original) is in the expected state") {
            try await core.consumption.answerDue()
            found = try await core.storage.inquiries(
                about: [original], transactionID: nil, in: appEnvironment.id, limit: 1
            ).first
            return found.map(holds) ?? false
        }
        return try #require(found)
    }
}
