internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Entitlements
internal import Foundation
internal import HTTPTypes
internal import Ledger
internal import LedgerServices

/// A transaction, and whose it is.
struct OwnedTransaction {
    var fact: TransactionFact
    var owners: [String]
}

/// Asks the App Store because somebody asks us, and keeps what it answers.
struct AppStoreQuestions: Sendable {
    let clients: [Int64: AppStoreServerClient]
    let historical: SignedDataVerifier
    let storage: any LedgerStorage & CustomerStorage
    let histories: AccountHistories
    let webhooks: WebhookDispatcher
    let clock: ServerClock

    /// - Throws: 409 where the app has no key.
    func client(for scope: Scope) throws(APIFailure) -> AppStoreServerClient {
        guard let client = clients[scope.id] else { throw .noKey }
        return client
    }

    /// A transaction that is known here.
    func transaction(_ id: String, in scope: Scope) async throws -> OwnedTransaction? {
        guard let original = try await storage.originalTransactionID(of: id, in: scope.id),
            let fact = try await storage.lineage(original, in: scope.id)?.transactions
                .first(where: { $0.transactionID.isExactly(id) })
        else { return nil }
        return OwnedTransaction(fact: fact, owners: try await storage.owners(of: original, in: scope.id))
    }

    /// Keeps transactions of an answer of the App Store's, if all of them can be believed.
    func keep(_ texts: [String], in scope: Scope) async throws -> [OwnedTransaction] {
        var statements: [Statement] = []
        var facts: [TransactionFact] = []
        for text in texts {
            let verified = try await verify(text, in: scope)
            facts.append(TransactionFact(verified.payload))
            statements.append(Statement(verified, scope: scope, at: clock.now(), origin: .asked))
        }
        if !statements.isEmpty { _ = try await storage.commit(statements) }
        var items: [OwnedTransaction] = []
        for fact in facts {
            let owners = try await storage.owners(of: fact.originalTransactionID, in: scope.id)
            items.append(OwnedTransaction(fact: fact, owners: owners))
        }
        return items
    }

    private func verify(
        _ text: String, in scope: Scope
    ) async throws(APIFailure) -> Verified<JWSTransactionDecodedPayload> {
        do throws(VerificationError) {
            let verified = try await historical.transaction(text)
            try scope.requireMatch(verified.payload.bundleId, verified.payload.environment)
            return verified
        } catch {
            throw APIFailure(
                .badGateway, "\(error.code)", "The App Store's answer failed verification: \(error.message)",
                isRetryable: true)
        }
    }

    /// For each Apple account of a customer an identifier that the App Store can be asked with.
    func oneOfEachAccount(of customer: String, in scope: Scope) async throws -> [String] {
        let lineages = try await storage.lineages(of: customer, in: scope.id).filter { !$0.transactions.isEmpty }
        let claimed = try await storage.accounts(of: customer, in: scope.id)
            .compactMap { OriginalPurchase.appTransactionID(ofSubject: $0) }
        let known = Dictionary(grouping: lineages) { $0.appTransactionID ?? $0.originalTransactionID }
        let ids = known.compactMap { $0.value.map(\.originalTransactionID).min() }
        return (ids + claimed.filter { known[$0] == nil }).sorted()
    }

    /// Puts what the App Store knows of an Apple account into the ledger.
    func fetch(_ id: String, in scope: Scope) async throws {
        switch try await histories.ask(about: [id], in: scope, because: .restore).state {
        case .complete: webhooks.wake()
        case .pending:
            throw APIFailure(
                .serviceUnavailable, "app_store_unavailable",
                "The App Store did not answer in time; the server asks again.", isRetryable: true, backoff: 10_000)
        case .refused(let code):
            throw APIFailure(
                .notFound, "refused_by_app_store",
                "The App Store knows no transaction with this ID for this app (\(code)).",
                parameter: "id")
        case .notConfigured: throw APIFailure.noKey
        }
    }
}

extension APIFailure {
    /// Why the App Store gave no answer. What it said stays out: it is for the log.
    init(_ error: AppStoreServerError) {
        switch error.code {
        case .refused, .invalidRequest:
            self.init(.badRequest, "refused_by_app_store", "The App Store rejects this identifier.", parameter: "id")
        default:
            self.init(
                error.isRetryable ? .serviceUnavailable : .badGateway, "app_store_\(error.code)",
                "The App Store did not return a usable answer.", isRetryable: error.isRetryable,
                backoff: error.isRetryable ? 10_000 : nil)
        }
    }

    /// Why the App Store did not do what it was asked for. Its own word for it is told.
    init(askingFor error: AppStoreServerError) {
        guard error.code == .refused, !error.isRetryable else {
            self.init(error)
            return
        }
        self.init(.badRequest, "refused_by_app_store", "The App Store rejects the request: \(error.name).")
    }

    static let noKey = APIFailure(
        .conflict, "no_key", "The app has no key for the App Store Server API; add one to the configuration.")
}
