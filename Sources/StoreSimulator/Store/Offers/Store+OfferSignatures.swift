internal import AppStoreModels
internal import Foundation

// Offer signatures of purchases.

extension Store {
    /// The offer signatures that an app passes with a purchase.
    struct OfferAuthorization {
        var signature: OfferSignature?
        /// The JWS that states whether the customer gets the introductory offer.
        var introductorySignature: String?
        /// Whether the simulator approves the offer in place of the developer's server.
        var isSignedBySimulator = false
        /// Checks the signatures. If nil, every signature is refused.
        var check: OfferSignatureCheck?
    }

    /// Checks the signatures of a purchase. Returns nil if none is required or the simulator signs. Throws if a
    /// signature is missing or not valid.
    func approval(of purchase: Purchase, at now: Date) throws(StoreError) -> OfferSignatureCheck.Approval? {
        let authorization = purchase.authorization
        guard authorization.signature == nil || authorization.introductorySignature == nil else {
            throw StoreError(.invalidArgument, "a purchase has a promotional or an introductory offer, not both")
        }
        let offer = purchase.offer.flatMap { purchase.product.offer($0) }
        if let token = authorization.introductorySignature {
            guard purchase.offer == nil, purchase.product.subscription != nil else {
                throw StoreError(.invalidArgument, "the signature is for introductory offers")
            }
            return try unused(
                signatureCheck(for: authorization).introductory(token, for: subject(of: purchase), at: now))
        }
        guard offer?.type == .promotional else {
            guard authorization.signature == nil else {
                throw StoreError(.invalidArgument, "only promotional offers have a signature")
            }
            return nil
        }
        guard let signature = authorization.signature else {
            guard authorization.isSignedBySimulator else {
                throw StoreError(
                    .offerSignatureMissing,
                    "a promotional offer needs a signature of the developer's server, or sign: true")
            }
            return nil
        }
        return try unused(
            signatureCheck(for: authorization).promotional(signature, for: subject(of: purchase), at: now))
    }

    private func signatureCheck(for authorization: OfferAuthorization) throws(StoreError) -> OfferSignatureCheck {
        guard !authorization.isSignedBySimulator else {
            throw StoreError(.invalidArgument, "use either sign or a signature, not both")
        }
        guard let check = authorization.check else {
            throw StoreError(.offerSignatureWrongKey, "the store has no key to check a signature with")
        }
        return check
    }

    private func unused(_ approval: OfferSignatureCheck.Approval) throws(StoreError) -> OfferSignatureCheck.Approval {
        guard usedOfferNonces[approval.nonce] == nil else {
            throw StoreError(.offerSignatureReused, "the signature was used already; each purchase needs its own")
        }
        return approval
    }

    private func subject(of purchase: Purchase) -> OfferSignatureCheck.Subject {
        offerSubject(
            purchase.product, purchase.offer ?? "", account: purchase.accountToken, customer: purchase.customer)
    }

    /// Returns what the signature of an offer to a customer must match.
    func offerSubject(
        _ product: Product, _ offer: String, account: UUID?, customer name: String
    ) -> OfferSignatureCheck.Subject {
        let customer = customers[name]
        var identifiers = Set(customer?.transactions ?? [])
        if let id = customer?.appTransactionID { identifiers.insert(id) }
        return OfferSignatureCheck.Subject(
            product: product, offer: offer, account: account, identifiers: identifiers, catalogue: catalogue,
            otherAccounts: [nil, customer?.accountToken, defaultAccountToken(of: name)])
    }
}
