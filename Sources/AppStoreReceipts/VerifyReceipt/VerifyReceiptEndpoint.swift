public import AppStoreModels
internal import AppStoreTrust
internal import Basics
public import Foundation

/// Responds to `verifyReceipt` requests, like Apple's deprecated endpoint, by validating the receipts.
///
/// Only authenticity and environment are checked. As with Apple's endpoint, the client has to compare the bundle
/// identifier, and the expiration of a volume purchase is in the response. Authenticity is checked before secret and
/// environment, so a forged sandbox receipt is a forgery (21003), not a sandbox receipt (21007).
public struct VerifyReceiptEndpoint: Sendable {
    /// Verifies receipts, and provides the time of the request.
    public var validator: ReceiptValidator

    /// The environment of the endpoint; nil for all environments, unlike Apple's endpoints.
    public var environment: AppStoreEnvironment?

    /// The accepted shared secrets. If empty, secrets are not checked.
    ///
    /// A wrong secret is always refused, a missing one for receipts with auto-renewable subscriptions, both with 21004.
    /// Reports differ about Apple's response to a missing secret.
    public var sharedSecrets: Set<String>

    /// Creates an endpoint.
    public init(validator: ReceiptValidator, environment: AppStoreEnvironment? = nil, sharedSecrets: Set<String> = []) {
        self.validator = validator
        self.environment = environment
        self.sharedSecrets = sharedSecrets
    }

    /// Responds to an HTTP request. Send the response with HTTP status 200, whatever its own status is.
    public func response(method: String = "POST", body: Data) -> VerifyReceiptResponse {
        guard method == "POST" else { return VerifyReceiptResponse(status: .notPost) }
        do {
            return response(to: try VerifyReceiptRequest(body: body, limits: validator.limits))
        } catch {
            return VerifyReceiptResponse(status: .refusing(error), reason: error)
        }
    }

    /// Responds to a request.
    public func response(to request: VerifyReceiptRequest) -> VerifyReceiptResponse {
        do {
            let receipt = try validator.authenticate(base64: request.receiptData).payload
            guard accepts(request.password, for: receipt) else { return VerifyReceiptResponse(status: .wrongSecret) }
            return response(for: receipt)
        } catch {
            return VerifyReceiptResponse(status: .refusing(error), reason: error)
        }
    }

    /// Responds with a receipt from a file: bytes or base64. Needs no secret.
    public func response(contents: Data) -> VerifyReceiptResponse {
        do {
            return response(for: try validator.authenticate(contents: contents).payload)
        } catch {
            return VerifyReceiptResponse(status: .refusing(error), reason: error)
        }
    }

    /// Returns the response for a verified receipt, without checking environment and secret.
    public func response(for receipt: Verified<Receipt>) -> VerifyReceiptResponse { success(receipt.payload) }

    private func response(for receipt: Receipt) -> VerifyReceiptResponse {
        switch (environment, receipt.environment) {
        // The environment is not signed. No endpoint accepts such a receipt, like ``ReceiptValidator``: a response with
        // status 0 would have to name an environment. Production refuses it as not from production.
        case (nil, nil) where receipt.isUnified, (.sandbox, nil) where receipt.isUnified:
            let reason = VerificationError(.wrongEnvironment, "the receipt's environment is not known")
            return VerifyReceiptResponse(status: .malformed, reason: reason)
        case (nil, _), (.production, .production), (.sandbox, .sandbox), (.sandbox, nil), (.xcode, .xcode):
            return success(receipt)
        case (_, .xcode): return VerifyReceiptResponse(status: .malformed)
        case (.production, _): return VerifyReceiptResponse(status: .sandboxReceipt)
        default: return VerifyReceiptResponse(status: .productionReceipt)
        }
    }

    private func success(_ receipt: Receipt) -> VerifyReceiptResponse {
        let now = validator.now()
        switch receipt {
        case .app(let app):
            return VerifyReceiptResponse(
                status: .valid, environment: receipt.environment, receipt: .verifyReceipt(app, requestDate: now))
        case .transaction(let transaction):
            let hasEnded = transaction.expirationDate.map { $0 <= now } ?? false
            return VerifyReceiptResponse(
                status: hasEnded ? .expiredSubscription : .valid, environment: receipt.environment,
                receipt: .verifyReceipt(transaction))
        }
    }

    private func accepts(_ password: String?, for receipt: Receipt) -> Bool {
        guard !sharedSecrets.isEmpty else { return true }
        guard let password else { return !receipt.hasAutoRenewables }
        return sharedSecrets.reduce(false) { $1.isSameSecret(as: password) || $0 }
    }
}

extension Receipt {
    fileprivate var isUnified: Bool {
        if case .app = self { true } else { false }
    }

    fileprivate var hasAutoRenewables: Bool {
        switch self {
        case .app(let receipt):
            receipt.purchases.contains { purchase in
                purchase.productType.map { $0 == .autoRenewableSubscription } ?? (purchase.expirationDate != nil)
            }
        case .transaction(let receipt): receipt.expirationDate != nil
        }
    }
}
