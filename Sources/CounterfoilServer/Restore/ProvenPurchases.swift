internal import AppStoreModels
internal import AppStoreReceipts
internal import AppStoreServer
internal import AppStoreTrust
internal import Entitlements
internal import Foundation
internal import HTTPTypes

/// What an app sent, proven: of one app and one environment.
struct ProvenPurchases: Sendable {
    /// Whom it is about; nil when nothing was sent.
    private(set) var audience: PurchaseAudience?
    private(set) var transactions: [Verified<JWSTransactionDecodedPayload>] = []
    private(set) var appTransaction: Verified<AppTransaction>?
    private(set) var receipt: ProvenReceipt?

    /// The subscriptions and purchases that were sent, the receipt's included.
    var originalTransactionIds: [String] {
        let all =
            transactions.map(\.payload.originalTransactionId) + (receipt?.facts ?? []).map(\.originalTransactionId)
        return Set(all).sorted()
    }

    mutating func add(_ transaction: Verified<JWSTransactionDecodedPayload>) throws(APIFailure) {
        try agree(
            PurchaseAudience(
                bundleId: transaction.payload.bundleId, environment: transaction.payload.environment),
            "signed_transactions")
        transactions.append(transaction)
    }

    mutating func add(_ transaction: Verified<AppTransaction>) throws(APIFailure) {
        try agree(
            PurchaseAudience(bundleId: transaction.payload.bundleId, environment: transaction.payload.receiptType),
            "app_transaction")
        appTransaction = transaction
    }

    mutating func add(_ proven: ProvenReceipt) throws(APIFailure) {
        try agree(proven.audience, "receipt")
        receipt = proven
    }

    private mutating func agree(_ other: PurchaseAudience, _ parameter: String) throws(APIFailure) {
        guard audience?.isSame(as: other) ?? true else {
            throw APIFailure(
                .badRequest, "mixed_audience", "All that is sent at once must be of one app and one environment.",
                parameter: parameter)
        }
        audience = other
    }
}

/// The app and the environment of something that was bought.
struct PurchaseAudience: Sendable {
    var bundleId: String
    var environment: AppStoreEnvironment

    func isSame(as other: Self) -> Bool { bundleId.isExactly(other.bundleId) && environment == other.environment }
}

extension ServerCore {
    /// Proves what an app sent. What a device keeps may have been signed long ago, so certificates are judged at the
    /// signing date.
    func prove(_ report: PurchaseReport) async throws -> ProvenPurchases {
        var proven = ProvenPurchases()
        for text in report.signedTransactions {
            try proven.add(try await naming("signed_transactions") { try await historical.transaction(text) })
        }
        if let text = report.appTransaction {
            try proven.add(try await naming("app_transaction") { try await historical.appTransaction(text) })
        }
        if let text = report.receipt {
            try proven.add(try await naming("receipt") { try proveReceipt(text) })
        }
        return proven
    }

    /// Says in an answer what cannot be believed, and why.
    func naming<Value>(_ parameter: String, _ proof: () async throws -> Value) async throws -> Value {
        do { return try await proof() } catch let error as VerificationError {
            throw APIFailure(
                error.isRetryable ? .serviceUnavailable : .badRequest, "\(error.code)", error.reason,
                isRetryable: error.isRetryable, backoff: error.isRetryable ? 30_000 : nil, parameter: parameter)
        }
    }
}
