internal import Basics
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Purchases that apps report for their customers.
struct PurchaseRoutes {
    let purchaseVerifier: PurchaseVerifier
    let restores: RestoreService
    let responseWriter: CustomerResponseWriter
    let maximumBytes: Int

    func add(to v1: APIRouter) { v1.post("/customers/{id}/purchases", needs: .customersWrite, report) }

    /// Stores the reported purchases. Returns the customer like `GET`, and the result for each sent transaction. The
    /// member `history` is present if the App Store's history could not be read completely.
    private func report(_ call: APICall) async throws -> Response {
        try responseWriter.requireNonce(of: call)
        let customer = try call.customer()
        let sent = try PurchaseReportBody(body: try await call.bytes(upTo: maximumBytes))
        let report = sent.report
        try report.check(for: call.principal)
        var forged = 0
        defer { call.principal.charge(forForged: forged) }
        let proven = try await purchaseVerifier.verify(report, forged: &forged)
        let appEnvironment = try call.appEnvironment(of: proven)
        let restoration = try await restores.restore(
            proven, for: customer, named: call.principal.appAccountToken,
            inSessionOf: call.principal.appTransactionID, in: appEnvironment, Takeover(restore: sent.restore),
            fetchingUnlessYoungerThan: call.principal.isPublic ? AccountHistories.pause : 0)
        return try responseWriter.response(restoration.reading, to: call) { json in
            write(restoration.kept, restoration.refused, to: &json)
            guard let history = restoration.history, history != .complete else { return }
            json.member("history") { json in
                json.member("state", history.name)
                if case .refused(let code) = history { json.member("code", code) }
            }
        }
    }

    private func write(_ kept: [String], _ refused: [RefusedText], to json: inout JSONWriter) {
        json.member("kept", kept) { $0.string($1) }
        json.member("refused", refused) { json, refused in
            json.object { json in
                json.member("id", refused.id)
                json.member("code", refused.code)
                json.member("param", refused.parameter)
            }
        }
    }
}

extension Principal {
    /// How many forged texts in a report count as one more request of the customer.
    private static let forgedTextsOfRequest = 50

    fileprivate func charge(forForged count: Int) {
        meter?.charge(count / Self.forgedTextsOfRequest, at: RateMeter.now)
    }
}
