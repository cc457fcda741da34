package import AppStoreModels
package import AppStoreServer
package import AppStoreTrust
internal import Basics
internal import Entitlements
internal import Ledger

/// The verified parts of a purchase report. All belong to one app and one environment.
package struct VerifiedPurchases: Sendable {
    /// The app and environment; nil if there are no transactions, app transaction or receipt.
    package private(set) var audience: PurchaseAudience?
    package private(set) var transactions: [Verified<JWSTransactionDecodedPayload>] = []
    fileprivate(set) var renewals: [(renewal: Verified<JWSRenewalInfoDecodedPayload>, parameter: String)] = []
    package private(set) var appTransaction: Verified<AppTransaction>?
    private(set) var receipt: VerifiedReceipt?
    /// The texts of the report that were refused.
    fileprivate(set) var refused: [RefusedText] = []

    /// Whether the report has no verified part.
    package var isEmpty: Bool { audience == nil && renewals.isEmpty }

    /// The transactions of the receipt.
    var receiptFacts: [TransactionFact] { receipt?.facts ?? [] }

    /// The identifiers of all transactions, including those of the receipt, without duplicates.
    var transactionIDs: [String] {
        var seen: Set<ExactText> = []
        return (transactions.map(\.payload.transactionId) + receiptFacts.map(\.transactionID))
            .filter { seen.insert(ExactText($0)).inserted }
    }

    /// The original transaction identifiers of all transactions, including those of the receipt.
    var originalTransactionIDs: [String] {
        let all = transactions.map(\.payload.originalTransactionId) + receiptFacts.map(\.originalTransactionID)
        return Set(all.map { ExactText($0) }).sorted().map(\.text)
    }

    /// The original transaction identifiers of the transactions that do not name their Apple account.
    var unnamedOriginalTransactionIDs: [String] {
        let unnamed = transactions.filter { $0.payload.appTransactionId == nil }
        return Set(unnamed.map { ExactText($0.payload.originalTransactionId) }).sorted().map(\.text)
    }

    package mutating func add(_ transaction: Verified<JWSTransactionDecodedPayload>) throws(ServiceFailure) {
        try requireSameAudience(
            PurchaseAudience(
                bundleID: transaction.payload.bundleId, environment: transaction.payload.environment),
            "signed_transactions")
        transactions.append(transaction)
    }

    package mutating func add(_ transaction: Verified<AppTransaction>) throws(ServiceFailure) {
        try requireSameAudience(
            PurchaseAudience(bundleID: transaction.payload.bundleId, environment: transaction.payload.receiptType),
            "app_transaction")
        appTransaction = transaction
    }

    package mutating func add(_ verified: VerifiedReceipt) throws(ServiceFailure) {
        try requireSameAudience(verified.audience, "receipt")
        receipt = verified
    }

    fileprivate static let mixed = "mixed_audience"

    /// Removes the transactions that another Apple account than the session's bought.
    ///
    /// Old transactions do not name an account. For them the ledger's data about the purchase decides. If the ledger
    /// does not know the purchase, the transaction stays: only its device has the signed text. Receipts name no account
    /// either, but a session cannot send one.
    ///
    /// - Parameter known: The ledger's lineages of the purchases.
    /// - Throws: ``ServiceFailure`` if the app transaction belongs to another account, or if no part of the report
    ///   remains.
    mutating func restrict(to account: String, knowing known: [Lineage]) throws(ServiceFailure) {
        let foreign = known.filter { $0.isBought(byOtherThan: account) }.map(\.originalTransactionID)
        func isOther(_ transaction: Verified<JWSTransactionDecodedPayload>) -> Bool {
            let payload = transaction.payload
            return payload.appTransactionId.map { !$0.isExactly(account) }
                ?? foreign.containsExactly(payload.originalTransactionId)
        }
        func failure(_ parameter: String) -> ServiceFailure {
            ServiceFailure(
                .invalid, Self.otherAccount, "This belongs to another Apple account than the session.",
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

    private mutating func requireSameAudience(_ other: PurchaseAudience, _ parameter: String) throws(ServiceFailure) {
        guard audience?.isSame(as: other) ?? true else {
            throw ServiceFailure(
                .invalid, Self.mixed, "All parts of a report must belong to one app and one environment.",
                parameter: parameter)
        }
        audience = other
    }
}

/// The app and the environment of a purchase.
package struct PurchaseAudience: Sendable {
    package var bundleID: String
    package var environment: AppStoreEnvironment

    func isSame(as other: Self) -> Bool { bundleID.isExactly(other.bundleID) && environment == other.environment }
}

/// A text of a report that the server did not store, or stored for another customer.
package struct RefusedText: Sendable, Hashable {
    /// The position in the request, such as `signed_transactions[3]`; nil for a purchase of a receipt.
    package var parameter: String?
    /// The transaction identifier. If the text does not verify, this is its unverified claim.
    package var id: String?
    /// The error code, as in error responses.
    package var code: String
}

/// Verifies purchase reports of apps. A device may store data that was signed long ago, so certificates must be valid
/// at the signing date.
package struct PurchaseVerifier: Sendable {
    let apps: Apps
    let receiptAnchors: TrustAnchors
    /// Verifies signed data at its signing date.
    let verifier: SignedDataVerifier
    let clock: ServerClock

    package init(apps: Apps, receiptAnchors: TrustAnchors, verifier: SignedDataVerifier, clock: ServerClock) {
        self.apps = apps
        self.receiptAnchors = receiptAnchors
        self.verifier = verifier
        self.clock = clock
    }

    /// Verifies each part of a report on its own.
    ///
    /// A report may have a thousand texts, which takes up to a second, and Swift has one thread for each processor. So
    /// other tasks run between two texts.
    ///
    /// - Parameter forged: Grows by one for each transaction or renewal info whose signature or certificate chain is
    ///   invalid, and for each KiB of a refused receipt, also if this method throws. Such texts cost most, because
    ///   their refusal is not cached.
    /// - Throws: ``ServiceFailure`` if no part verifies, if a failure may be temporary, if the app transaction or the
    ///   receipt does not verify, or if the parts belong to different apps or environments.
    package func verify(_ report: PurchaseReport, forged: inout Int) async throws -> VerifiedPurchases {
        var verified = VerifiedPurchases()
        var first: ServiceFailure?
        func skip(_ item: PurchaseReport.Item, _ failure: ServiceFailure) throws(ServiceFailure) {
            if failure.isForgery { forged += 1 }
            try verified.skip(item, failure)
            first = first ?? failure
        }
        for item in report.signedTransactions {
            await Task.yield()
            do throws(ServiceFailure) {
                try verified.add(
                    try await attributingFailures(to: item.parameter) { () throws(VerificationError) in
                        try await verifier.transaction(item.text)
                    })
            } catch { try skip(item, error) }
        }
        for item in report.signedRenewals {
            await Task.yield()
            do throws(ServiceFailure) {
                let renewal = try await attributingFailures(to: item.parameter) { () throws(VerificationError) in
                    try await verifier.renewalInfo(item.text)
                }
                verified.renewals.append((renewal, item.parameter))
            } catch { try skip(item, error) }
        }
        if let text = report.appTransaction {
            try verified.add(
                try await attributingFailures(to: "app_transaction") { () throws(VerificationError) in
                    try await verifier.appTransaction(text)
                })
        }
        if let text = report.receipt {
            do throws(ServiceFailure) {
                try verified.add(
                    try await attributingFailures(to: "receipt") { () throws(VerificationError) in
                        try verifyReceipt(text)
                    })
            } catch {
                // The time to parse a receipt depends on its size, and anybody can make up a large one.
                forged += text.utf8.count / 1024
                throw error
            }
        }
        if let first, verified.isEmpty { throw first }
        return verified
    }

    /// Runs a verification and rethrows its error as a ``ServiceFailure`` that names the parameter.
    func attributingFailures<Value>(
        to parameter: String, _ verify: () async throws(VerificationError) -> Value
    ) async throws(ServiceFailure) -> Value {
        do { return try await verify() } catch { throw ServiceFailure(error, parameter: parameter) }
    }
}

extension ServiceFailure {
    private static let forgeries = [VerificationError.Code.badSignature, .badChainSignature].map { "\($0)" }

    /// Whether the failure is an invalid signature of a text or of its certificate chain.
    fileprivate var isForgery: Bool { Self.forgeries.contains(code) }
}

extension VerifiedPurchases {
    /// Adds a text to `refused`. Rethrows the failure if it may be temporary or if the text belongs to another app or
    /// environment than the rest.
    fileprivate mutating func skip(_ item: PurchaseReport.Item, _ failure: ServiceFailure) throws(ServiceFailure) {
        guard !failure.isRetryable, failure.code != Self.mixed else { throw failure }
        refused.append(RefusedText(parameter: item.parameter, id: Self.claimedID(item.text), code: failure.code))
    }

    /// Returns the transaction identifier that an unverified text claims. It is only returned to the sender.
    private static func claimedID(_ text: String) -> String? {
        struct Payload: Decodable {
            var transactionId, originalTransactionId: String?
        }
        // Splitting characters instead of bytes takes a tenth of a second for a text of four megabytes.
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let json = Base64.decodeURL(Substring(parts[1])),
            // A text that is no payload names no transaction.
            let payload = try? StrictJSONDecoder.decode(Payload.self, from: json)
        else { return nil }
        return (payload.transactionId ?? payload.originalTransactionId).flatMap { $0.utf8.count <= 64 ? $0 : nil }
    }
}
