internal import AppStoreTrust
internal import Basics
public import Foundation

/// Answers `verifyReceipt`, the retired endpoint, from a validation of one's own.
///
/// The receipt is authenticated and nothing else: as at Apple's, the bundle identifier is for the client to compare, and
/// the end of a volume purchase stands in the answer. Authenticity comes before secret and environment, so a forged
/// sandbox receipt is a forgery (21003), not a sandbox receipt (21007).
public struct VerifyReceiptEndpoint: Sendable {
    /// What authenticates receipts, and gives the time of the request.
    public var validator: ReceiptValidator

    /// The environment that this endpoint is for; nil for all, as no endpoint of Apple's is.
    public var environment: ReceiptEnvironment?

    /// The shared secrets that are accepted. Empty: secrets are not looked at.
    ///
    /// A wrong one is always refused, a missing one for receipts with auto-renewable subscriptions; both with 21004, where
    /// reports of Apple's answer to a missing one differ.
    public var sharedSecrets: Set<String>

    /// An endpoint.
    public init(validator: ReceiptValidator, environment: ReceiptEnvironment? = nil, sharedSecrets: Set<String> = []) {
        self.validator = validator
        self.environment = environment
        self.sharedSecrets = sharedSecrets
    }

    /// Answers a request as it came over HTTP. The answer goes out with HTTP status 200, whatever its own status is.
    public func response(method: String = "POST", body: Data) -> VerifyReceiptResponse {
        guard method == "POST" else { return VerifyReceiptResponse(status: .notPost) }
        do {
            return response(to: try VerifyReceiptRequest(body: body, limits: validator.limits))
        } catch {
            return VerifyReceiptResponse(status: .refusing(error), reason: error)
        }
    }

    /// Answers a request.
    public func response(to request: VerifyReceiptRequest) -> VerifyReceiptResponse {
        do {
            let receipt = try validator.authenticate(base64: request.receiptData).payload
            guard accepts(request.password, for: receipt) else { return VerifyReceiptResponse(status: .wrongSecret) }
            return response(about: receipt)
        } catch {
            return VerifyReceiptResponse(status: .refusing(error), reason: error)
        }
    }

    /// Answers about a receipt as it lies in a file: its bytes, or their base64. No secret is asked for.
    public func response(contents: Data) -> VerifyReceiptResponse {
        do {
            return response(about: try validator.authenticate(contents: contents).payload)
        } catch {
            return VerifyReceiptResponse(status: .refusing(error), reason: error)
        }
    }

    /// The answer about a receipt that was authenticated before, without looking at environment and secret.
    public func response(about receipt: Verified<Receipt>) -> VerifyReceiptResponse { success(receipt.payload) }

    private func response(about receipt: Receipt) -> VerifyReceiptResponse {
        switch (environment, receipt.environment) {
        // Nobody has signed where it is from. It is accepted by no endpoint, as by ``ReceiptValidator``: an answer would
        // have to name an environment. What is not known to be of production is not, and production says so.
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
