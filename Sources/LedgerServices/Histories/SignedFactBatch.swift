internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Foundation
internal import Ledger

/// The verified contents of a response of the App Store, to be committed to the ledger.
struct SignedFactBatch {
    let appEnvironment: AppEnvironment
    let origin: Origin
    let now: Date
    var signedFacts: [SignedFact] = []
    var unverified: [UnverifiedItem] = []
    /// The original transaction identifiers in the response.
    var originals: Set<ExactText> = []

    /// Verifies and adds a text. A text that does not verify is added to `unverified`.
    ///
    /// - Throws: The error if it may be temporary.
    mutating func add(_ text: String, _ kind: SignedFact.Kind, _ verifier: SignedDataVerifier) async throws {
        do {
            let fact = try await SignedFact.Fact.read(text, kind: kind, in: appEnvironment, by: verifier)
            if kind == .transaction { originals.insert(ExactText(fact.originalTransactionID)) }
            signedFacts.append(
                SignedFact(
                    scope: appEnvironment.id, fact: fact, origin: origin, receivedAt: now.milliseconds, text: text))
        } catch let refusal as VerificationError where !refusal.isRetryable {
            unverified.append(UnverifiedItem(text, refusal, isNotification: false))
        }
    }
}
