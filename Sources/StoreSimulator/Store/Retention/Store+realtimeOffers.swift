internal import AppStoreModels
internal import Basics
internal import Foundation

extension Store {
    /// Checks the signature of the promotional offer in the response to a real-time request, as at a purchase.
    func check(
        _ offer: RetentionPromotionalOffer, inResponseTo request: DecodedRealtimeRequestBody,
        by check: OfferSignatureCheck, at now: Date
    ) throws(StoreError) {
        guard let signed = offer.signed, let customer = transactions[request.originalTransactionId]?.customer else {
            throw StoreError(.offerSignatureMalformed, "the signature names no product and no offer")
        }
        guard let product = catalogue.product(signed.product), product.offer(signed.offer, type: .promotional) != nil
        else {
            throw StoreError(
                .offerSignatureWrongOffer,
                "the product \(signed.product.quoted) has no promotional offer \(signed.offer.quoted)")
        }
        let subject = offerSubject(product, signed.offer, account: signed.account, customer: customer)
        _ = try check.promotional(signed.signature, for: subject, at: now)
    }
}

extension RetentionPromotionalOffer {
    /// The signature, and what it names, not verified. Nil unless there is exactly one signature that can be read.
    var signed: (product: String, offer: String, account: UUID?, signature: OfferSignature)? {
        switch (promotionalOfferSignatureV1, promotionalOfferSignatureV2) {
        case (let first?, nil):
            let signature = OfferSignature.original(
                keyID: first.keyId, nonce: first.nonce.text, timestamp: first.timestamp,
                signature: first.encodedSignature)
            return (first.productId, first.offerIdentifier, first.appAccountToken, signature)
        case (nil, let token?):
            guard let named = OfferSignatureCheck.offer(namedIn: token) else { return nil }
            return (named.product, named.offer, nil, .jws(token))
        default: return nil
        }
    }
}
