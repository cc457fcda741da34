internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Entitlements
internal import HTTPTypes
internal import Ledger
internal import LedgerServices

/// A transaction and the customers who own it.
struct OwnedTransaction {
    var fact: TransactionFact
    var owners: [String]
}

/// Requests data from the App Store on behalf of an API request, and stores the answers.
struct AppStoreQueries: Sendable {
    let clients: [Int64: AppStoreServerClient]
    let historical: SignedDataVerifier
    let storage: any LedgerStorage & CustomerStorage
    let histories: AccountHistories
    let webhooks: WebhookDispatcher
    let clock: ServerClock

    /// - Throws: 409 if the app has no key for the App Store Server API.
    func client(for appEnvironment: AppEnvironment) throws(APIFailure) -> AppStoreServerClient {
        guard let client = clients[appEnvironment.id] else { throw .noKey }
        return client
    }

    /// Returns a transaction of the ledger with its owners; nil if the ledger does not have it.
    func transaction(_ id: String, in appEnvironment: AppEnvironment) async throws -> OwnedTransaction? {
        guard let original = try await storage.originalTransactionID(of: id, in: appEnvironment.id),
            let fact = try await storage.lineage(original, in: appEnvironment.id)?.transactions
                .first(where: { $0.transactionID.isExactly(id) })
        else { return nil }
        return OwnedTransaction(fact: fact, owners: try await storage.owners(of: original, in: appEnvironment.id))
    }

    /// Stores transactions from an App Store answer. Throws, and stores none, if one of them fails verification.
    func store(_ texts: [String], in appEnvironment: AppEnvironment) async throws -> [OwnedTransaction] {
        var signedFacts: [SignedFact] = []
        var facts: [TransactionFact] = []
        for text in texts {
            let verified = try await verify(text, in: appEnvironment)
            facts.append(TransactionFact(verified.payload))
            signedFacts.append(SignedFact(verified, in: appEnvironment, at: clock.now(), origin: .asked))
        }
        if !signedFacts.isEmpty { _ = try await storage.commit(signedFacts) }
        var items: [OwnedTransaction] = []
        for fact in facts {
            let owners = try await storage.owners(of: fact.originalTransactionID, in: appEnvironment.id)
            items.append(OwnedTransaction(fact: fact, owners: owners))
        }
        return items
    }

    private func verify(
        _ text: String, in appEnvironment: AppEnvironment
    ) async throws(APIFailure) -> Verified<JWSTransactionDecodedPayload> {
        do throws(VerificationError) {
            let verified = try await historical.transaction(text)
            try appEnvironment.requireMatch(verified.payload.bundleId, verified.payload.environment)
            return verified
        } catch {
            throw APIFailure(
                .badGateway, "\(error.code)", "The App Store's answer failed verification: \(error.message)",
                isRetryable: true)
        }
    }

    /// Returns one identifier for each of the customer's Apple accounts, to request the account's data with: an
    /// original transaction ID, or the app transaction ID if no purchase is known.
    func accountIdentifiers(of customer: String, in appEnvironment: AppEnvironment) async throws -> [String] {
        let lineages = try await storage.lineages(of: customer, in: appEnvironment.id).filter {
            !$0.transactions.isEmpty
        }
        let claimed = try await storage.accounts(of: customer, in: appEnvironment.id)
            .compactMap { OriginalPurchase.appTransactionID(ofSubject: $0) }
        let known = Dictionary(grouping: lineages) { ExactText($0.appTransactionID ?? $0.originalTransactionID) }
        let ids = known.values.compactMap { lineages in lineages.map { ExactText($0.originalTransactionID) }.min() }
        let others = claimed.map { ExactText($0) }.filter { known[$0] == nil }
        return (ids + others).sorted().map(\.text)
    }

    /// Stores the purchase history of an Apple account in the ledger.
    func fetch(_ id: String, in appEnvironment: AppEnvironment) async throws {
        switch try await histories.fetch(about: [id], in: appEnvironment, because: .restore).state {
        // `GET /v1/completeness` lists the items that failed verification.
        case .complete, .unverified: webhooks.wake()
        case .pending:
            throw APIFailure(
                .serviceUnavailable, "app_store_unavailable",
                "The App Store did not return the purchase history; the log has the reason. The server will try again.",
                isRetryable: true, backoff: 10_000)
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
    /// Converts an App Store error. Leaves out the App Store's own message.
    init(_ error: AppStoreServerError) {
        switch error.code {
        // The App Store says to try again: the identifier is not at fault.
        case .refused where error.isRetryable:
            self.init(
                .serviceUnavailable, "app_store_unavailable", "The App Store cannot answer at the moment.",
                isRetryable: true, backoff: 10_000)
        // The App Store names a reason with each refusal.
        case .refused where error.apiCode == nil:
            self.init(
                .badGateway, "app_store_unexpected_status",
                "A proxy or another server answered; `counterfoil server check --online` says what to correct.")
        case .refused, .invalidRequest:
            self.init(.badRequest, "refused_by_app_store", "The App Store rejects this identifier.", parameter: "id")
        case .unauthorized:
            self.init(
                .badGateway, "app_store_unauthorized",
                "The App Store does not accept the app's key; `counterfoil server check --online` says what to compare."
            )
        default:
            self.init(
                error.isRetryable ? .serviceUnavailable : .badGateway, "app_store_\(error.code)",
                "The App Store did not return a usable answer.", isRetryable: error.isRetryable,
                backoff: error.isRetryable ? 10_000 : nil)
        }
    }

    /// Converts an App Store error like `init(_:)`, but includes the error's name if the App Store rejected the
    /// request.
    init(namingRejectionOf error: AppStoreServerError) {
        guard error.code == .refused, error.apiCode != nil, !error.isRetryable else {
            self.init(error)
            return
        }
        self.init(.badRequest, "refused_by_app_store", "The App Store rejects the request: \(error.name).")
    }

    static let noKey = APIFailure(
        .conflict, "no_key", "The app has no key for the App Store Server API; add one to the configuration.")
}
