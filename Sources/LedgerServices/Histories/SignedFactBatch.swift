internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Foundation
internal import Ledger

/// The verified contents of a response of the App Store, to be committed to the ledger.
struct SignedFactBatch {
    let scope: AppEnvironment
    let origin: Origin
    let now: Date
    var signedFacts: [SignedFact] = []
    var unverified: [UnverifiedItem] = []
    /// The original transaction identifiers in the response.
    var originals: Set<ExactText> = []

    /// Verifies and adds a transaction. A transaction that does not verify is added to `unverified`.
    ///
    /// - Throws: The error if it may be temporary.
    mutating func add(transaction text: String, _ verifier: SignedDataVerifier) async throws {
        do {
            let verified = try await verifier.transaction(text)
            try scope.requireMatch(verified.payload.bundleId, verified.payload.environment)
            originals.insert(ExactText(verified.payload.originalTransactionId))
            signedFacts.append(SignedFact(verified, scope: scope, at: now, origin: origin))
        } catch { try record(text, error) }
    }

    /// Verifies and adds a renewal info. A renewal info that does not verify is added to `unverified`.
    ///
    /// - Throws: The error if it may be temporary.
    mutating func add(renewal text: String, _ verifier: SignedDataVerifier) async throws {
        do {
            let verified = try await verifier.renewalInfo(text)
            try scope.requireMatch(scope.bundleID, verified.payload.environment)
            signedFacts.append(SignedFact(verified, scope: scope, at: now, origin: origin))
        } catch { try record(text, error) }
    }

    private mutating func record(_ text: String, _ error: any Error) throws {
        guard let refusal = error as? VerificationError, !refusal.isRetryable else { throw error }
        unverified.append(UnverifiedItem(text, refusal, isNotification: false))
    }
}
