internal import AppStoreModels
package import AppStoreServer
internal import AppStoreTrust
internal import Entitlements
package import Foundation
package import Ledger

/// Signs subscription offers for eligible customers.
package struct OfferService: Sendable {
    package typealias Storage = CustomerStorage & ClaimStorage

    let storage: any Storage
    let apps: Apps
    let customers: CustomerReader
    let histories: AccountHistories
    let purchaseVerifier: PurchaseVerifier
    let clock: ServerClock
    /// The app and environment of the offers.
    package let appEnvironment: AppEnvironment

    package init(
        storage: any Storage, apps: Apps, customers: CustomerReader, histories: AccountHistories,
        purchaseVerifier: PurchaseVerifier, clock: ServerClock, appEnvironment: AppEnvironment
    ) {
        self.storage = storage
        self.apps = apps
        self.customers = customers
        self.histories = histories
        self.purchaseVerifier = purchaseVerifier
        self.clock = clock
        self.appEnvironment = appEnvironment
    }

    var app: AppSettings? { apps[appEnvironment.bundleID] }

    /// Checks that the customer has or had a subscription of their own, as promotional offers require.
    package func requireSubscriber(_ reading: CustomerReading) throws(ServiceFailure) {
        guard reading.states.subscriptions.contains(where: { $0.ownership == .purchased }) else {
            throw ServiceFailure(
                .conflict, "not_eligible",
                "A promotional offer is for customers who have or had a subscription; this one never had any.")
        }
    }

    /// Checks that the configuration allows an offer for keys shipped in apps, because an offer costs the app's owner
    /// money.
    package func requirePublicOffer(_ offerID: String) throws(ServiceFailure) {
        guard app?.publicOffers.containsExactly(offerID) ?? false else {
            throw ServiceFailure(
                .forbidden, "offer_not_public",
                "The app's public_offers in the configuration do not list this offer; let your backend request it.",
                parameter: "offer_id")
        }
    }

    /// Returns the app account token for a signature requested with a key shipped in an app: the customer's own.
    /// Without a token, any customer could use the signature.
    ///
    /// - Parameter account: The account token in the customer token, or else the customer's identifier.
    package func publicAccountToken(_ named: UUID?, of account: String) throws(ServiceFailure) -> UUID {
        guard let token = UUID(text: account) else {
            throw ServiceFailure(
                .conflict, "no_account_token",
                """
                The original format is signed for the customer's account token: the customer token needs \
                app_account_token, or a customer whose identifier is a UUID.
                """,
                parameter: "format")
        }
        guard named ?? token == token else {
            throw ServiceFailure(
                .forbidden, "forbidden", "The account token belongs to another customer.",
                parameter: "app_account_token")
        }
        return token
    }

    /// Returns the transaction for a signature: `named`, if it does not belong to another customer, or else the
    /// customer's latest transaction or app transaction.
    ///
    /// - Parameter isPublic: Whether the request used a key shipped in an app. Then `named` must belong to the
    ///   customer.
    package func transactionID(_ named: String?, _ reading: CustomerReading, isPublic: Bool) async throws -> String? {
        guard let named else {
            return reading.facts.transactions.max { $0.wasPurchased(before: $1) }?.transactionID
                ?? reading.lineages.compactMap(\.appTransactionID).first
        }
        let original = try await storage.originalTransactionID(of: named, in: appEnvironment.id)
        guard let original else {
            guard !isPublic else { throw Self.notTheCustomers }
            return named
        }
        let owners = try await storage.owners(of: original, in: appEnvironment.id)
        guard owners.containsExactly(reading.customer) || (owners.isEmpty && !isPublic) else {
            throw Self.notTheCustomers
        }
        return named
    }

    private static let notTheCustomers = ServiceFailure(
        .conflict, "not_the_customers", "The transaction belongs to another customer.", parameter: "transaction_id")

    // MARK: - Apple accounts

    /// Verifies an app transaction and returns its Apple account.
    package func account(verifiedBy text: String) async throws -> String {
        let transaction = try await purchaseVerifier.attributingFailures(to: "app_transaction") {
            () throws(VerificationError) in
            let transaction = try await purchaseVerifier.verifier.appTransaction(text).payload
            try appEnvironment.requireMatch(transaction.bundleId, transaction.receiptType)
            return transaction
        }
        guard let account = transaction.appTransactionId else {
            throw ServiceFailure(
                .invalid, "no_app_transaction_id", "The app transaction is too old to name the Apple account.",
                parameter: "app_transaction")
        }
        return account
    }

    /// Checks that an Apple account may have the introductory offer, for a request with a key shipped in an app.
    /// Returns the transaction for the signature: `named` or the account. The check includes the App Store's history of
    /// the account.
    ///
    /// - Parameters:
    ///   - account: The verified Apple account of the request. If nil, the customer's only linked account is used.
    ///   - named: A transaction of the account.
    package func transactionForIntroductoryOffer(
        _ account: String?, _ named: String?, _ reading: CustomerReading, productID: String
    ) async throws -> String {
        var account = account
        if account == nil {
            let linked = try await storage.accounts(of: reading.customer, in: appEnvironment.id)
            let only = linked.count == 1 ? linked.first : nil
            // The App Store does not know the name of an account that only a receipt made known.
            account = only.flatMap { OriginalPurchase.appTransactionID(ofSubject: $0) }
        }
        guard let account else {
            throw ServiceFailure(
                .forbidden, "app_transaction_required",
                "Send AppTransaction.shared as JWS: eligibility for the offer depends on the Apple account.",
                parameter: "app_transaction")
        }
        if let named { try await require(named, isOf: account) }
        let history = try await histories.fetch(
            about: [account], in: appEnvironment, because: .restore, unlessYoungerThan: AccountHistories.pause)
        switch history.state {
        case .complete, .notConfigured, .refused(Self.boughtNothing): break
        // A transaction that failed verification may be the one that used the offer.
        case .unverified, .pending, .refused:
            throw ServiceFailure(
                .unavailable, "history_unknown",
                """
                The Apple account's purchases are not known at the moment: the App Store did not return them, or some \
                of them failed verification.
                """, isRetryable: true, backoff: 60_000)
        }
        try await requireIntroductoryEligibility(
            of: reading, [account], found: history.found, productID: productID, isPublic: true)
        return named ?? account
    }

    private static let boughtNothing = String(APIErrorCode.transactionIdNotFound.rawValue)

    private func require(_ transactionID: String, isOf account: String) async throws {
        guard !transactionID.isExactly(account) else { return }
        let original = try await storage.originalTransactionID(of: transactionID, in: appEnvironment.id)
        guard let original,
            try await storage.lineage(original, in: appEnvironment.id)?.appTransactionID?.isExactly(account) == true
        else { throw Self.notTheCustomers }
    }

    /// Checks that a customer may have the introductory offer, for a request of a backend. The check uses only the
    /// ledger.
    package func requireIntroductoryEligibility(
        _ account: String?, _ transactionID: String, _ reading: CustomerReading, productID: String
    ) async throws {
        // `transactionID` may be the app transaction identifier of the Apple account.
        var accounts = reading.lineages.compactMap(\.appTransactionID) + [transactionID]
        if let account { accounts.append(account) }
        accounts += try await storage.accounts(of: reading.customer, in: appEnvironment.id)
        if let original = try await storage.originalTransactionID(of: transactionID, in: appEnvironment.id),
            let known = try await storage.lineage(original, in: appEnvironment.id)?.appTransactionID
        {
            accounts.append(known)
        }
        try await requireIntroductoryEligibility(of: reading, accounts, productID: productID, isPublic: false)
    }

    // MARK: - Signers

    /// Returns a signer of JWS that uses the app's key for the App Store Server API.
    package func signer() throws -> OfferSigner {
        guard let key = app?.key else { throw Self.noKey }
        return try OfferSigner(
            key: key.signingKey, issuerID: key.issuerID, bundleID: appEnvironment.bundleID, now: clock.now)
    }

    /// Returns a signer of the original format, which does not contain the issuer.
    package func originalSigner(nonce: UUID?) throws -> OfferSigner {
        guard let key = app?.offerKey ?? app?.key?.signingKey else { throw Self.noKey }
        return try OfferSigner(
            key: key, issuerID: app?.key?.issuerID ?? "none", bundleID: appEnvironment.bundleID, now: clock.now,
            nonce: { nonce ?? UUID() })
    }

    private static let noKey = ServiceFailure(
        .conflict, "no_key", "The app has no key to sign with; add one to the configuration.")
}
