public import AppStoreModels
public import AppStoreTrust
public import Entitlements

extension TransactionFact {
    /// States what a verified transaction says.
    public init(_ verified: Verified<JWSTransactionDecodedPayload>) { self.init(verified.payload) }
}

extension RenewalFact {
    /// States what verified renewal information says.
    public init(_ verified: Verified<JWSRenewalInfoDecodedPayload>) { self.init(verified.payload) }
}

extension OriginalPurchaseFact {
    /// States what a verified app transaction says.
    public init(_ verified: Verified<AppTransaction>) { self.init(verified.payload) }

    package init(_ payload: AppTransaction) {
        self.init(
            applicationVersion: payload.originalApplicationVersion, purchaseDate: payload.originalPurchaseDate,
            appTransactionID: payload.appTransactionId, signedDate: payload.receiptCreationDate,
            isTestData: payload.receiptType != .production)
    }
}

extension CustomerFacts {
    /// Adds what a notification says. Nothing of it concerns a customer where it is about no purchase.
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
    /// Fetches and verifies everything that a customer bought in the app, and how each subscription stands: the facts that
    /// `EntitlementEngine` answers from. One request for each 20 transactions, and one for the subscriptions.
    ///
    /// - Parameters:
    ///   - anyTransactionID: Any transaction, original transaction or app transaction of the customer.
    ///   - verifier: Proves each item. It has to accept the app and the environment that the client asks.
    /// - Throws: ``AppStoreServerError`` where the App Store does not answer, `VerificationError` where an item is not what it
    ///   should be. A part of the facts is never returned.
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
