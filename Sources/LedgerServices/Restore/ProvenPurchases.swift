internal import AppStoreReceipts
internal import Ledger
package import AppStoreModels
package import AppStoreServer
package import AppStoreTrust
internal import Basics
internal import Entitlements
internal import Foundation

/// What an app sent, proven: of one app and one environment.
package struct ProvenPurchases: Sendable {
    /// Whom it is about; nil when nothing was sent.
    package private(set) var audience: PurchaseAudience?
    package private(set) var transactions: [Verified<JWSTransactionDecodedPayload>] = []
    fileprivate(set) var renewals: [(renewal: Verified<JWSRenewalInfoDecodedPayload>, parameter: String)] = []
    package private(set) var appTransaction: Verified<AppTransaction>?
    private(set) var receipt: ProvenReceipt?
    /// What was sent beside it and cannot be believed.
    fileprivate(set) var refused: [RefusedText] = []

    /// Whether nothing was proven.
    package var isEmpty: Bool { audience == nil && renewals.isEmpty }

    /// The transactions that were sent, the receipt's included.
    var transactionIDs: [String] {
        var seen: Set<String> = []
        return (transactions.map(\.payload.transactionId) + (receipt?.facts ?? []).map(\.transactionID))
            .filter { seen.insert($0).inserted }
    }

    /// The subscriptions and purchases that were sent, the receipt's included.
    var originalTransactionIDs: [String] {
        let all =
            transactions.map(\.payload.originalTransactionId) + (receipt?.facts ?? []).map(\.originalTransactionID)
        return Set(all).sorted()
    }

    /// Of the transactions that were sent without a word on the Apple account, the subscriptions and purchases.
    var unnamedOriginalTransactionIDs: [String] {
        let unnamed = transactions.filter { $0.payload.appTransactionId == nil }
        return Set(unnamed.map(\.payload.originalTransactionId)).sorted()
    }

    package mutating func add(_ transaction: Verified<JWSTransactionDecodedPayload>) throws(ServiceFailure) {
        try agree(
            PurchaseAudience(
                bundleID: transaction.payload.bundleId, environment: transaction.payload.environment),
            "signed_transactions")
        transactions.append(transaction)
    }

    package mutating func add(_ transaction: Verified<AppTransaction>) throws(ServiceFailure) {
        try agree(
            PurchaseAudience(bundleID: transaction.payload.bundleId, environment: transaction.payload.receiptType),
            "app_transaction")
        appTransaction = transaction
    }

    package mutating func add(_ proven: ProvenReceipt) throws(ServiceFailure) {
        try agree(proven.audience, "receipt")
        receipt = proven
    }

    fileprivate static let mixed = "mixed_audience"

    /// Leaves out what another Apple account bought than the one that a session is of.
    ///
    /// A text that names no account is of the time before they did. What is known of the purchase decides then; of one that is
    /// not known whoever has the text has the device. A session sends no receipt, which names no account either.
    ///
    /// - Parameter known: What the ledger knows of the purchases.
    mutating func limit(to account: String, knowing known: [Lineage]) throws(ServiceFailure) {
        let foreign = known.filter { $0.isBought(byOtherThan: account) }.map(\.originalTransactionID)
        func isOther(_ transaction: Verified<JWSTransactionDecodedPayload>) -> Bool {
            let payload = transaction.payload
            return payload.appTransactionId.map { !$0.isExactly(account) }
                ?? foreign.containsExactly(payload.originalTransactionId)
        }
        func failure(_ parameter: String) -> ServiceFailure {
            ServiceFailure(
                .invalid, Self.otherAccount, "Another Apple account bought this than the session is of.",
                parameter: parameter)
        }
        if let named = appTransaction?.payload.appTransactionId, !named.isExactly(account) {
            throw failure("app_transaction")
        }
        let others = transactions.filter { isOther($0) }
        guard !others.isEmpty else { return }
        transactions.removeAll { isOther($0) }
        if transactions.isEmpty, appTransaction == nil { throw failure("signed_transactions[0]") }
        refused += others.map { RefusedText(id: $0.payload.transactionId, code: Self.otherAccount) }
    }

    private static let otherAccount = "other_apple_account"

    private mutating func agree(_ other: PurchaseAudience, _ parameter: String) throws(ServiceFailure) {
        guard audience?.isSame(as: other) ?? true else {
            throw ServiceFailure(
                .invalid, Self.mixed, "All that is sent at once must be of one app and one environment.",
                parameter: parameter)
        }
        audience = other
    }
}

/// The app and the environment of something that was bought.
package struct PurchaseAudience: Sendable {
    package var bundleID: String
    package var environment: AppStoreEnvironment

    func isSame(as other: Self) -> Bool { bundleID.isExactly(other.bundleID) && environment == other.environment }
}

/// A text that an app sent and the server did not keep, or kept for another customer.
package struct RefusedText: Sendable, Hashable {
    /// Where it was, such as `signed_transactions[3]`; nil for a purchase of a receipt.
    package var parameter: String?
    /// The transaction. Of what cannot be believed it is what the text itself says.
    package var id: String?
    /// Why, as in errors.
    package var code: String
}

/// Proves what apps send. What a device keeps may have been signed long ago, so certificates are judged at the signing date.
package struct PurchaseProver: Sendable {
    let apps: Apps
    let receiptAnchors: TrustAnchors
    /// Judges what was signed earlier.
    let verifier: SignedDataVerifier
    let clock: ServerClock

    package init(apps: Apps, receiptAnchors: TrustAnchors, verifier: SignedDataVerifier, clock: ServerClock) {
        self.apps = apps
        self.receiptAnchors = receiptAnchors
        self.verifier = verifier
        self.clock = clock
    }

    /// Proves what an app sent, each transaction by itself.
    ///
    /// - Parameter forged: Grows by one for each text of the lists whose signature or chain does not hold, also where this
    ///   throws: to find that out is what costs most, and nothing of it is remembered.
    /// - Throws: ``ServiceFailure`` where nothing of it can be believed, and where it may be believed later.
    package func prove(_ report: PurchaseReport, forged: inout Int) async throws -> ProvenPurchases {
        var proven = ProvenPurchases()
        var first: ServiceFailure?
        for item in report.signedTransactions {
            do throws(ServiceFailure) {
                try proven.add(
                    try await naming(item.parameter) { () throws(VerificationError) in
                        try await verifier.transaction(item.text)
                    })
            } catch {
                if error.isForgery { forged += 1 }
                try proven.refuse(item, error)
                first = first ?? error
            }
        }
        for item in report.signedRenewals {
            do throws(ServiceFailure) {
                let renewal = try await naming(item.parameter) { () throws(VerificationError) in
                    try await verifier.renewalInfo(item.text)
                }
                proven.renewals.append((renewal, item.parameter))
            } catch {
                if error.isForgery { forged += 1 }
                try proven.refuse(item, error)
                first = first ?? error
            }
        }
        if let text = report.appTransaction {
            try proven.add(
                try await naming("app_transaction") { () throws(VerificationError) in
                    try await verifier.appTransaction(text)
                })
        }
        if let text = report.receipt {
            try proven.add(try await naming("receipt") { () throws(VerificationError) in try proveReceipt(text) })
        }
        if let first, proven.isEmpty { throw first }
        return proven
    }

    /// Says in an answer what cannot be believed, and why.
    package func naming<Value>(
        _ parameter: String, _ proof: () async throws(VerificationError) -> Value
    ) async throws(ServiceFailure) -> Value {
        do { return try await proof() } catch { throw ServiceFailure(error, parameter: parameter) }
    }
}

extension ServiceFailure {
    private static let forgeries = [VerificationError.Code.badSignature, .badChainSignature].map { "\($0)" }

    /// Whether a text has a signature that does not hold.
    fileprivate var isForgery: Bool { Self.forgeries.contains(code) }
}

extension ProvenPurchases {
    /// Goes on without a text, unless it may be believed later or is of another app than the rest.
    fileprivate mutating func refuse(_ item: PurchaseReport.Item, _ failure: ServiceFailure) throws(ServiceFailure) {
        guard !failure.isRetryable, failure.code != Self.mixed else { throw failure }
        refused.append(RefusedText(parameter: item.parameter, id: Self.claimedID(item.text), code: failure.code))
    }

    /// The transaction that a text says it is, which nobody has proven: it only goes back to who sent it.
    private static func claimedID(_ text: String) -> String? {
        struct Payload: Decodable {
            var transactionId: String?
            var originalTransactionId: String?
        }
        let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let json = Base64.decodeURL(parts[1]),
            // A text that is no payload names no transaction.
            let payload = try? StrictJSONDecoder.decode(Payload.self, from: json)
        else { return nil }
        return (payload.transactionId ?? payload.originalTransactionId).flatMap { $0.utf8.count <= 64 ? $0 : nil }
    }
}
