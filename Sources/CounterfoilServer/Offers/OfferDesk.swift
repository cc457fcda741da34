internal import AppStoreModels
internal import AppStoreServer
internal import Entitlements
internal import Foundation
internal import HTTPTypes

/// Signs offers for those who may have them.
struct OfferDesk: Sendable {
    let core: ServerCore
    let scope: Scope

    /// A promotional offer is for those who have, or had, a subscription of their own.
    func requireSubscriber(_ reading: CustomerReading) throws(APIFailure) {
        guard reading.states.subscriptions.contains(where: { $0.ownership == .purchased }) else {
            throw APIFailure(
                .conflict, "not_eligible",
                "A promotional offer is for customers who have or had a subscription; this one never had any.")
        }
    }

    /// An introductory offer is for those who have none of the group and never had an introductory offer in it. The group
    /// of a product that the customer never had is not known here; the App Store's own rule is left to decide then.
    func requireNewcomer(_ reading: CustomerReading, productId: String) throws(APIFailure) {
        let subscription = reading.states.subscriptions.first { $0.productId == productId }
        let groupId =
            subscription?.subscriptionGroupIdentifier
            ?? reading.facts.transactions.first { $0.productId == productId }?.subscriptionGroupIdentifier
        guard let groupId, !reading.states.group(groupId).isEligibleForIntroductoryOffer else { return }
        throw APIFailure(
            .conflict, "not_eligible", "The customer has a subscription of the group, or had its introductory offer.")
    }

    /// A transaction to tie a signature to: the one that was named, if it is not somebody else's, or the customer's last.
    func transactionId(_ named: String?, _ reading: CustomerReading) async throws -> String? {
        guard let named else {
            return reading.facts.transactions.max {
                ($0.purchaseDate, $0.transactionId) < ($1.purchaseDate, $1.transactionId)
            }?.transactionId ?? reading.lineages.compactMap(\.appTransactionId).first
        }
        guard let original = try await core.storage.originalTransactionId(of: named, in: scope.id) else { return named }
        let owners = try await core.storage.owners(of: original, in: scope.id)
        guard owners.isEmpty || owners.contains(reading.customer) else {
            throw APIFailure(
                .conflict, "not_the_customers", "The transaction belongs to another customer.",
                parameter: "transaction_id")
        }
        return named
    }

    /// Signs JWS, with the app's key for the App Store Server API.
    func signer() throws -> OfferSigner {
        guard let key = core.configuration.app(scope.bundleId)?.key else { throw Self.noKey }
        return try OfferSigner(
            key: key.signingKey, issuerID: key.issuerID, bundleID: scope.bundleId, now: core.clock.now)
    }

    /// Signs in the original format, which needs no issuer.
    func originalSigner(nonce: UUID?) throws -> OfferSigner {
        let app = core.configuration.app(scope.bundleId)
        guard let key = app?.offerKey ?? app?.key?.signingKey else { throw Self.noKey }
        return try OfferSigner(
            key: key, issuerID: app?.key?.issuerID ?? "none", bundleID: scope.bundleId, now: core.clock.now,
            nonce: { nonce ?? UUID() })
    }

    private static let noKey = APIFailure(
        .conflict, "not_configured", "The app has no key to sign with in the server's configuration.")
}
