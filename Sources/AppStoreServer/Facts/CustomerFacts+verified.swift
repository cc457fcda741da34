public import AppStoreModels
public import AppStoreTrust
public import Entitlements

extension TransactionFact {
    /// Creates a fact from a verified transaction.
    public init(_ verified: Verified<JWSTransactionDecodedPayload>) { self.init(verified.payload) }
}

extension RenewalFact {
    /// Creates a fact from verified renewal information.
    public init(_ verified: Verified<JWSRenewalInfoDecodedPayload>) { self.init(verified.payload) }
}

extension OriginalPurchaseFact {
    /// Creates a fact from a verified app transaction.
    public init(_ verified: Verified<AppTransaction>) { self.init(verified.payload) }

    package init(_ payload: AppTransaction) {
        self.init(
            applicationVersion: payload.originalApplicationVersion, purchaseDate: payload.originalPurchaseDate,
            appTransactionID: payload.appTransactionId, signedDate: payload.receiptCreationDate,
            isTestData: payload.receiptType != .production)
    }
}

extension CustomerFacts {
    /// Adds the facts of a notification. Notifications that are not about a purchase add none.
    public mutating func add(_ content: NotificationContent) {
        switch content {
        case .purchase(let transaction, let renewal):
            transactions.append(TransactionFact(transaction))
            if let renewal { renewals.append(RenewalFact(renewal)) }
        case .renewal(let renewal): renewals.append(RenewalFact(renewal))
        case .summary, .externalPurchase, .app, .unknown: break
        }
    }
}

extension AppStoreServerClient {
    /// Fetches and verifies all purchases of a customer in the app and the status of each subscription: the facts for
    /// `EntitlementEngine`. Sends one request for each 20 transactions, and one for the subscriptions.
    ///
    /// - Parameters:
    ///   - anyTransactionID: Any transaction, original transaction or app transaction of the customer.
    ///   - verifier: Verifies each item. It must accept the app and the environment of the client.
    /// - Throws: ``AppStoreServerError`` if a request fails, `VerificationError` if an item does not verify. Never
    ///   returns incomplete facts.
    public func customerFacts(
        of anyTransactionID: String, verifiedBy verifier: SignedDataVerifier
    ) async throws -> CustomerFacts {
        var facts = CustomerFacts()
        for try await text in transactionHistory(of: anyTransactionID).items {
            facts.transactions.append(TransactionFact(try await verifier.transaction(text)))
        }
        for group in try await subscriptionStatuses(of: anyTransactionID).data {
            for item in group.lastTransactions {
                facts.transactions.append(TransactionFact(try await verifier.transaction(item.signedTransactionInfo)))
                facts.renewals.append(RenewalFact(try await verifier.renewalInfo(item.signedRenewalInfo)))
            }
        }
        return facts
    }
}
