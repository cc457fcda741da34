package import AppStoreModels
package import AppStoreReceipts
internal import AppStoreTrust
internal import Entitlements
package import Foundation
package import Ledger
package import Logging

/// Implements the retired endpoint `verifyReceipt` for clients that cannot be updated. The response consists of the
/// receipt and, for later changes, of the ledger's data.
package struct VerifyReceiptService: Sendable {
    let storage: any ClaimStorage
    let apps: Apps
    let scopes: AppEnvironmentRegistry
    let purchaseVerifier: PurchaseVerifier
    let histories: AccountHistories
    let logger: Logger
    /// Old clients repeat their requests, and all of them fail while the ledger cannot be read.
    private let logMeter = RateMeter(perHour: 60)

    package init(
        storage: any ClaimStorage, apps: Apps, scopes: AppEnvironmentRegistry, purchaseVerifier: PurchaseVerifier,
        histories: AccountHistories, logger: Logger
    ) {
        self.storage = storage
        self.apps = apps
        self.scopes = scopes
        self.purchaseVerifier = purchaseVerifier
        self.histories = histories
        self.logger = logger
    }

    /// Returns the response. It is sent with HTTP status 200, whatever its own `status` is.
    ///
    /// - Parameter environment: The environment of the Apple endpoint that this one replaces.
    package func answer(_ body: Data, environment: AppStoreEnvironment) async -> OrderedJSON {
        do {
            return try await verified(body, environment)
        } catch let error as VerificationError {
            return VerifyReceiptResponse(status: .refusing(error)).object
        } catch let refusal as Refusal {
            return VerifyReceiptResponse(status: refusal.status).object
        } catch {
            logger.log(.error, "verifyReceipt failed", limitedBy: logMeter, ["reason": "\(error.logReason)"])
            return VerifyReceiptResponse(status: .internalDataAccess).object
        }
    }

    private struct Refusal: Error { var status: VerifyReceiptStatus }

    private func verified(_ body: Data, _ environment: AppStoreEnvironment) async throws -> OrderedJSON {
        let request = try VerifyReceiptRequest(body: body, limits: purchaseVerifier.receiptValidator.limits)
        // Check the secret before validating the receipt, which is expensive.
        guard apps.all.contains(where: { $0.accepts(password: request.password) }) else {
            throw Refusal(status: .wrongSecret)
        }
        let receipt = try purchaseVerifier.read(
            purchaseVerifier.receiptValidator.authenticate(base64: request.receiptData))
        // Apple accepts receipts of every app. This server requires a configured app with a matching secret.
        guard let app = apps[receipt.audience.bundleID] else {
            throw Refusal(status: .notAuthentic)
        }
        guard app.accepts(password: request.password) else { throw Refusal(status: .wrongSecret) }
        guard receipt.audience.environment == environment else {
            throw Refusal(status: environment == .production ? .sandboxReceipt : .productionReceipt)
        }
        // A unified receipt without a known type has no environment, which the response must contain.
        do { try purchaseVerifier.receiptValidator.checkEnvironment(receipt.receipt) } catch {
            throw Refusal(status: .malformed)
        }
        guard let appEnvironment = apps.served(app.bundleID, environment, among: scopes) else {
            throw Refusal(status: .notAuthentic)
        }
        let response = VerifyReceiptEndpoint(validator: purchaseVerifier.receiptValidator).response(
            for: receipt.receipt)
        guard case .app(let appReceipt) = receipt.receipt.payload, !receipt.facts.isEmpty,
            case .object(let members) = response.object
        else { return response.object }
        return .object(members + (try await latest(request, receipt, appReceipt, appEnvironment)))
    }

    /// Returns the members about the current state of the purchases. Old clients request this often, so the App Store's
    /// history is fetched at most once a minute. If the App Store does not answer, the ledger's data is used, which
    /// notifications keep mostly up to date.
    private func latest(
        _ request: VerifyReceiptRequest, _ receipt: VerifiedReceipt, _ appReceipt: AppReceipt,
        _ appEnvironment: AppEnvironment
    ) async throws -> [OrderedJSON.Member] {
        let originals = Set(receipt.facts.map { ExactText($0.originalTransactionID) }).sorted().map(\.text)
        let history = try await histories.fetch(
            about: originals, in: appEnvironment, because: .receipt, unlessYoungerThan: AccountHistories.pause)
        if history.state == .refused(String(APIErrorCode.accountNotFound.rawValue)) {
            throw Refusal(status: .accountNotFound)
        }
        let relatives = try await storage.sameAccountPurchases(
            of: originals + history.found.map(\.text), in: appEnvironment.id)
        let lineages = relatives.adding(receipt.facts)
        let latest = LatestReceipt(
            lineages: lineages, receipt: appReceipt, excludesOld: request.excludesOldTransactions,
            engine: apps.engine(of: appEnvironment.bundleID), now: purchaseVerifier.clock.now())
        guard latest.hasAutoRenewables else { return [] }
        return [
            .init("latest_receipt_info", latest.transactions), .init("latest_receipt", .string(request.receiptData)),
            .init("pending_renewal_info", latest.renewals),
        ]
    }
}
