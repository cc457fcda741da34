internal import AppStoreModels
internal import Foundation

// What has to be signed for a purchase.

extension Store {
    /// What an app hands over with a purchase.
    struct HandedOver {
        var signature: OfferSignature?
        /// The JWS that says whether the customer gets the introductory offer.
        var introductorySignature: String?
        /// Whether the simulator signs in the place of the developer's server.
        var isSignedHere = false
        /// Nil where nobody can check: every signature is refused then.
        var check: OfferSignatureCheck?
    }

    /// Throws unless everything is signed that has to be; nil where nothing has to, or the simulator signs.
    func approval(of purchase: Purchase, at now: Date) throws(StoreError) -> OfferSignatureCheck.Approval? {
        let given = purchase.handedOver
        guard given.signature == nil || given.introductorySignature == nil else {
            throw StoreError(.invalidArgument, "a purchase has a promotional or an introductory offer, not both")
        }
        let offer = purchase.offer.flatMap { purchase.product.offer($0) }
        if let token = given.introductorySignature {
            guard purchase.offer == nil, purchase.product.subscription != nil else {
                throw StoreError(.invalidArgument, "the signature is for introductory offers")
            }
            return try unused(checked(given).introductory(token, for: subject(of: purchase), at: now))
        }
        guard offer?.type == .promotional else {
            guard given.signature == nil else {
                throw StoreError(.invalidArgument, "only promotional offers have a signature")
            }
            return nil
        }
        guard let signature = given.signature else {
            guard given.isSignedHere else {
                throw StoreError(
                    .offerSignatureMissing,
                    "a promotional offer needs a signature of the developer's server, or sign: true")
            }
            return nil
        }
        return try unused(checked(given).promotional(signature, for: subject(of: purchase), at: now))
    }

    private func checked(_ given: HandedOver) throws(StoreError) -> OfferSignatureCheck {
        guard !given.isSignedHere else {
            throw StoreError(.invalidArgument, "sign takes the place of a signature; give one of them")
        }
        guard let check = given.check else {
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
        let customer = customers[purchase.customer]
        var identifiers = Set(customer?.transactions ?? [])
        if let id = customer?.appTransactionID { identifiers.insert(id) }
        return OfferSignatureCheck.Subject(
            product: purchase.product, offer: purchase.offer ?? "", account: purchase.accountToken,
            identifiers: identifiers, catalogue: catalogue,
            otherAccounts: [nil, customer?.accountToken, defaultAccountToken(of: purchase.customer)])
    }
}
