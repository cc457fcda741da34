package import Ledger
internal import AppStoreModels
package import AppStoreServer
internal import AppStoreTrust
internal import Entitlements
package import Foundation

/// Signs offers for those who may have them.
package struct OfferService: Sendable {
    package typealias Storage = CustomerStorage & ClaimStorage

    let storage: any Storage
    let apps: Apps
    let customers: CustomerReader
    let histories: AccountHistories
    let prover: PurchaseProver
    let clock: ServerClock
    /// Whose offers they are.
    package let scope: Scope

    package init(
        storage: any Storage, apps: Apps, customers: CustomerReader, histories: AccountHistories,
        prover: PurchaseProver,
        clock: ServerClock, scope: Scope
    ) {
        self.storage = storage
        self.apps = apps
        self.customers = customers
        self.histories = histories
        self.prover = prover
        self.clock = clock
        self.scope = scope
    }

    private var app: AppSettings? { apps[scope.bundleID] }

    /// A promotional offer is for those who have, or had, a subscription of their own.
    package func requireSubscriber(_ reading: CustomerReading) throws(ServiceFailure) {
        guard reading.states.subscriptions.contains(where: { $0.ownership == .purchased }) else {
            throw ServiceFailure(
                .conflict, "not_eligible",
                "A promotional offer is for customers who have or had a subscription; this one never had any.")
        }
    }

    /// A key shipped in an app has those offers signed that the configuration names: what they cost is nobody else's to say.
    package func requirePublic(_ offerID: String) throws(ServiceFailure) {
        guard app?.publicOffers.containsExactly(offerID) ?? false else {
            throw ServiceFailure(
                .forbidden, "offer_not_public",
                "The app's public_offers in the server's configuration do not name this offer; ask your backend.",
                parameter: "offer_id")
        }
    }

    /// The account token in the signature that a key shipped in an app gets: the customer's, since without one anybody could
    /// use it.
    package func publicAccountToken(_ named: UUID?, of customer: String) throws(ServiceFailure) -> UUID {
        guard let token = UUID(text: customer) else {
            throw ServiceFailure(
                .conflict, "no_account_token",
                "The original format needs a customer whose identifier is a UUID: it is signed for that account token.",
                parameter: "format")
        }
        guard named ?? token == token else {
            throw ServiceFailure(
                .forbidden, "forbidden", "The account token is another customer's.", parameter: "app_account_token")
        }
        return token
    }

    /// A transaction to tie a signature to: the one that was named, if it is not somebody else's, or the customer's last.
    ///
    /// - Parameter isPublic: Whether anybody may have named it: then it has to be known as the customer's.
    package func transactionID(_ named: String?, _ reading: CustomerReading, isPublic: Bool) async throws -> String? {
        guard let named else {
            return reading.facts.transactions.max {
                ($0.purchaseDate, $0.transactionID) < ($1.purchaseDate, $1.transactionID)
            }?.transactionID ?? reading.lineages.compactMap(\.appTransactionID).first
        }
        let original = try await storage.originalTransactionID(of: named, in: scope.id)
        guard let original else {
            guard !isPublic else { throw Self.notTheCustomers }
            return named
        }
        let owners = try await storage.owners(of: original, in: scope.id)
        guard owners.containsExactly(reading.customer) || (owners.isEmpty && !isPublic) else {
            throw Self.notTheCustomers
        }
        return named
    }

    private static let notTheCustomers = ServiceFailure(
        .conflict, "not_the_customers", "The transaction belongs to another customer.", parameter: "transaction_id")

    // MARK: - Apple accounts

    /// The Apple account that an app transaction proves.
    package func account(provenBy text: String) async throws -> String {
        let transaction = try await prover.naming("app_transaction") { () throws(VerificationError) in
            let transaction = try await prover.verifier.appTransaction(text).payload
            try scope.requireMatch(transaction.bundleId, transaction.receiptType)
            return transaction
        }
        guard let account = transaction.appTransactionId else {
            throw ServiceFailure(
                .invalid, "no_app_transaction_id", "The app transaction is too old to name the Apple account.",
                parameter: "app_transaction")
        }
        return account
    }

    /// What a signature is tied to that says whether a key shipped in an app gets the introductory offer, after everything
    /// that the App Store knows of the Apple account was looked at.
    ///
    /// - Parameters:
    ///   - account: The Apple account that was proven with the request, or else the one that the customer has linked.
    ///   - named: A transaction of the account.
    package func publicNewcomer(
        _ account: String?, _ named: String?, _ reading: CustomerReading, productID: String
    ) async throws -> String {
        var account = account
        if account == nil {
            let linked = try await storage.accounts(of: reading.customer, in: scope.id)
            account = linked.count == 1 ? linked.first : nil
        }
        guard let account else {
            throw ServiceFailure(
                .forbidden, "app_transaction_required",
                "Send AppTransaction.shared as JWS: whether there is a right to the offer depends on the Apple account.",
                parameter: "app_transaction")
        }
        if let named { try await require(named, isOf: account) }
        let history = try await histories.ask(
            about: [account], in: scope, because: .restore, unlessYoungerThan: AccountHistories.pause)
        switch history.state {
        case .complete, .notConfigured, .refused(Self.boughtNothing): break
        case .pending, .refused:
            throw ServiceFailure(
                .unavailable, "history_unknown",
                "The App Store does not say at the moment what the Apple account has bought.", isRetryable: true,
                backoff: 60_000)
        }
        try await IntroductoryEligibility(
            storage: storage, customers: customers, catalogue: app?.catalogue, scope: scope, productID: productID,
            isPublic: true
        )
        .require(reading, [account], history.found)
        return named ?? account
    }

    private static let boughtNothing = String(APIErrorCode.transactionIdNotFound.rawValue)

    private func require(_ transactionID: String, isOf account: String) async throws {
        guard !transactionID.isExactly(account) else { return }
        let original = try await storage.originalTransactionID(of: transactionID, in: scope.id)
        guard let original, try await storage.lineage(original, in: scope.id)?.appTransactionID == account else {
            throw Self.notTheCustomers
        }
    }

    /// The same for a backend, which knows what it asks for.
    package func newcomer(
        _ account: String?, _ transactionID: String, _ reading: CustomerReading, productID: String
    ) async throws {
        // A transaction may be named by the Apple account's own identifier.
        var accounts = reading.lineages.compactMap(\.appTransactionID) + [transactionID]
        if let account { accounts.append(account) }
        accounts += try await storage.accounts(of: reading.customer, in: scope.id)
        if let original = try await storage.originalTransactionID(of: transactionID, in: scope.id),
            let known = try await storage.lineage(original, in: scope.id)?.appTransactionID
        {
            accounts.append(known)
        }
        try await IntroductoryEligibility(
            storage: storage, customers: customers, catalogue: app?.catalogue, scope: scope, productID: productID,
            isPublic: false
        )
        .require(reading, accounts)
    }

    // MARK: - Signers

    /// Signs JWS, with the app's key for the App Store Server API.
    package func signer() throws -> OfferSigner {
        guard let key = app?.key else { throw Self.noKey }
        return try OfferSigner(
            key: key.signingKey, issuerID: key.issuerID, bundleID: scope.bundleID, now: clock.now)
    }

    /// Signs in the original format, which needs no issuer.
    package func originalSigner(nonce: UUID?) throws -> OfferSigner {
        guard let key = app?.offerKey ?? app?.key?.signingKey else { throw Self.noKey }
        return try OfferSigner(
            key: key, issuerID: app?.key?.issuerID ?? "none", bundleID: scope.bundleID, now: clock.now,
            nonce: { nonce ?? UUID() })
    }

    private static let noKey = ServiceFailure(
        .conflict, "no_key", "The app has no key to sign with; add one to the configuration.")
}
