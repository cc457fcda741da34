package import Ledger
package import AppStoreModels
package import AppStoreReceipts
internal import AppStoreTrust
internal import Entitlements
package import Foundation
package import Logging

/// Answers `verifyReceipt`, the retired endpoint, for clients that cannot be changed any more: from the receipt, and, for
/// what happened after it was made, from the ledger.
package struct VerifyReceiptService: Sendable {
    let storage: any ClaimStorage
    let apps: Apps
    let scopes: ScopeRegistry
    let prover: PurchaseProver
    let histories: AccountHistories
    let logger: Logger

    package init(
        storage: any ClaimStorage, apps: Apps, scopes: ScopeRegistry, prover: PurchaseProver,
        histories: AccountHistories, logger: Logger
    ) {
        self.storage = storage
        self.apps = apps
        self.scopes = scopes
        self.prover = prover
        self.histories = histories
        self.logger = logger
    }

    /// The answer, which goes out with HTTP status 200 whatever its own status is.
    ///
    /// - Parameter environment: Which of Apple's two endpoints this one stands for.
    package func answer(_ body: Data, environment: AppStoreEnvironment) async -> OrderedJSON {
        do {
            return try await verified(body, environment)
        } catch let refusal as Refusal {
            return VerifyReceiptResponse(status: refusal.status).object
        } catch {
            logger.error("verifyReceipt failed", metadata: ["reason": "\(error.logReason)"])
            return VerifyReceiptResponse(status: .internalDataAccess).object
        }
    }

    private struct Refusal: Error { var status: VerifyReceiptStatus }

    private func verified(_ body: Data, _ environment: AppStoreEnvironment) async throws -> OrderedJSON {
        let request: VerifyReceiptRequest
        do { request = try VerifyReceiptRequest(body: body, limits: prover.receiptValidator.limits) } catch {
            throw Refusal(status: .refusing(error))
        }
        // Before anything is validated, which takes a while: a stranger without a secret gets nothing for it.
        guard apps.all.contains(where: { $0.accepts(password: request.password) }) else {
            throw Refusal(status: .wrongSecret)
        }
        let receipt: ProvenReceipt
        do {
            receipt = try prover.read(prover.receiptValidator.authenticate(base64: request.receiptData))
        } catch {
            throw Refusal(status: .refusing(error))
        }
        // Apple tells everybody about every app. Here the secret is the key, so there has to be one, and an app.
        guard let app = apps[receipt.audience.bundleID] else {
            throw Refusal(status: .notAuthentic)
        }
        guard app.accepts(password: request.password) else { throw Refusal(status: .wrongSecret) }
        guard receipt.audience.environment == environment else {
            throw Refusal(status: environment == .production ? .sandboxReceipt : .productionReceipt)
        }
        // A unified receipt whose type is absent or not known is no endpoint's: an answer would have to name one.
        do { try prover.receiptValidator.checkEnvironment(receipt.receipt) } catch { throw Refusal(status: .malformed) }
        guard let scope = apps.served(app.bundleID, environment, among: scopes) else {
            throw Refusal(status: .notAuthentic)
        }
        let response = VerifyReceiptEndpoint(validator: prover.receiptValidator).response(about: receipt.receipt)
        guard case .app(let appReceipt) = receipt.receipt.payload, !receipt.facts.isEmpty,
            case .object(let members) = response.object
        else { return response.object }
        return .object(members + (try await latest(request, receipt, appReceipt, scope)))
    }

    /// What became of the purchases since. Old clients ask often, so the App Store is asked once a minute. If it does not
    /// answer, what is known has to do: notifications have told of most of it.
    private func latest(
        _ request: VerifyReceiptRequest, _ receipt: ProvenReceipt, _ appReceipt: AppReceipt, _ scope: Scope
    ) async throws -> [OrderedJSON.Member] {
        let originals = Set(receipt.facts.map(\.originalTransactionID)).sorted()
        let history = try await histories.ask(
            about: originals, in: scope, because: .receipt, unlessYoungerThan: AccountHistories.pause)
        if history.state == .refused(String(APIErrorCode.accountNotFound.rawValue)) {
            throw Refusal(status: .accountNotFound)
        }
        let relatives = try await storage.relatives(of: originals + history.found, in: scope.id)
        let known = Set(relatives.flatMap { $0.transactions.map(\.transactionID) })
        let lineages = relatives.adding(receipt.facts.filter { !known.contains($0.transactionID) })
        let latest = LatestReceipt(
            lineages: lineages, receipt: appReceipt, excludesOld: request.excludesOldTransactions)
        guard latest.hasAutoRenewables else { return [] }
        return [
            .init("latest_receipt_info", latest.transactions), .init("latest_receipt", .string(request.receiptData)),
            .init("pending_renewal_info", latest.renewals),
        ]
    }
}

extension VerifyReceiptStatus {
    /// The account is not there, or was deleted.
    fileprivate static let accountNotFound = Self(rawValue: 21010)
}
