internal import AppStoreServer
internal import AppStoreTrust
internal import Foundation
internal import Ledger

/// What an answer of the App Store holds, verified, on its way to the ledger.
struct StatementBatch {
    let scope: Scope
    let origin: Origin
    let now: Date
    var statements: [Statement] = []
    var unverified: [UnverifiedItem] = []
    /// The subscriptions and purchases that came along.
    var originals: Set<String> = []

    /// Adds a transaction; one that cannot be believed is noted.
    mutating func add(transaction text: String, _ verifier: SignedDataVerifier) async throws {
        do {
            let verified = try await verifier.transaction(text)
            try scope.requireMatch(verified.payload.bundleId, verified.payload.environment)
            originals.insert(verified.payload.originalTransactionId)
            statements.append(Statement(verified, scope: scope, at: now, origin: origin))
        } catch { try record(text, error) }
    }

    /// Adds a renewal info; one that cannot be believed is noted.
    mutating func add(renewal text: String, _ verifier: SignedDataVerifier) async throws {
        do {
            let verified = try await verifier.renewalInfo(text)
            try scope.requireMatch(scope.bundleID, verified.payload.environment)
            statements.append(Statement(verified, scope: scope, at: now, origin: origin))
        } catch { try record(text, error) }
    }

    private mutating func record(_ text: String, _ error: any Error) throws {
        guard let refusal = error as? VerificationError, !refusal.isRetryable else { throw error }
        unverified.append(UnverifiedItem(text, refusal, isNotification: false))
    }
}
