internal import AppStoreModels
internal import Basics
internal import Foundation

extension Store {
    /// A customer's purchase request.
    struct Purchase {
        var customer: String
        var product: Product
        var quantity = 1
        var offer: String?
        var wantsIntroductoryOffer = true
        /// The `appAccountToken` of this purchase and of later ones.
        var accountToken: UUID?
        var plan: BillingPlanType?
        /// The offer signatures that the app provides.
        var authorization = OfferAuthorization()
        /// The decision of the developer's server, or of the simulator in its place, about the introductory offer; nil
        /// if neither has decided.
        var allowsIntroductoryOffer: Bool?
    }

    mutating func purchase(_ purchase: Purchase, at now: Date) throws(StoreError) -> Subject {
        let product = purchase.product
        try checkBuyer(purchase.customer)
        guard product.isOnSale else { throw StoreError(.notForSale, "\(product.id) is not for sale") }
        guard product.isAdvancedCommerce == false else {
            throw StoreError(.invalidArgument, "\(product.id) is bought with an Advanced Commerce request")
        }
        let approval = try approval(of: purchase, at: now)
        var purchase = purchase
        if let approval { purchase.allowsIntroductoryOffer = approval.allowsIntroductoryOffer }
        let subject =
            if let terms = product.subscription { try subscribe(purchase, terms, at: now) } else {
                try buyOneTimeProduct(purchase, at: now)
            }
        recordRedemption(purchase, at: now)
        if let approval { usedOfferNonces[approval.nonce] = approval.date }
        // Later purchases keep the account.
        customers[purchase.customer]?.accountToken = purchase.accountToken
        return subject
    }

    private mutating func buyOneTimeProduct(_ purchase: Purchase, at now: Date) throws(StoreError) -> Subject {
        let product = purchase.product
        let maximum = product.type == .consumable ? 10 : 1
        guard (1...maximum).contains(purchase.quantity) else {
            throw StoreError(
                .invalidArgument, "the quantity of \(product.id) is 1\(maximum > 1 ? " to \(maximum)" : "")")
        }
        guard purchase.plan == nil else { throw StoreError(.invalidArgument, "\(product.id) has no billing plans") }
        let offer = try oneTimeOffer(purchase, at: now)
        if product.type == .nonConsumable, owns(purchase.customer, product.id) {
            throw StoreError(.alreadyOwned, "\(purchase.customer) has \(product.id) already")
        }
        let unitPrice = offer?.billing ?? product.price(in: storefront(of: purchase.customer))
        let (price, overflow) = unitPrice.multipliedReportingOverflow(by: Int64(purchase.quantity))
        guard !overflow else {
            throw StoreError(.invalidArgument, "\(purchase.quantity) of \(product.id) cost too much")
        }
        let customer = addCustomer(purchase.customer, at: now)
        var payload = draft(product, for: customer, at: now, reason: .purchase)
        payload.quantity = Int32(purchase.quantity)
        payload.price = price
        payload.appAccountToken = purchase.accountToken
        payload.apply(offer)
        let transaction = add(payload, for: customer.id)
        announce(.oneTimeCharge, about: transaction, at: now)
        for member in customer.family { shareNonConsumable(transaction, with: member, at: now) }
        return Subject(customer: customer.id, transaction: payload.transactionId)
    }

    private func oneTimeOffer(_ purchase: Purchase, at now: Date) throws(StoreError) -> Offer? {
        guard let identifier = purchase.offer else { return nil }
        guard let offer = purchase.product.offer(identifier) else { throw unknownOffer(purchase) }
        // The sandbox does not check the audience of offer codes for products other than subscriptions.
        if !isSandbox { try checkAudience(offer, audience(of: purchase.customer, for: purchase.product.id)) }
        try checkCode(offer, purchase, at: now)
        return offer
    }

    private func audience(of customer: String, for product: String) -> Offer.Audience {
        let bought = transactions(of: customer).contains { $0.payload.productId == product }
        return bought ? owns(customer, product) ? .existing : .expired : .new
    }

    func unknownOffer(_ purchase: Purchase) -> StoreError {
        let offers = purchase.product.subscription?.offers ?? purchase.product.offers
        let known = offers.compactMap(\.identifier).prefix(10).joined(separator: ", ")
        return StoreError(
            .unknownOffer,
            "\(purchase.product.id) has no offer \((purchase.offer ?? "").quoted)"
                + (known.isEmpty ? "" : "; it has \(known)"))
    }

    /// Whether the customer has bought a product and has not been refunded.
    private func owns(_ customer: String, _ product: String) -> Bool {
        (customers[customer]?.transactions ?? []).contains {
            guard let transaction = transactions[$0]?.payload else { return false }
            return transaction.productId == product && transaction.revocationDate == nil
                && transaction.inAppOwnershipType == .purchased
        }
    }

    /// Shares a purchase with a family member. Does nothing unless it is a non-consumable that can be shared.
    mutating func shareNonConsumable(_ original: StoredTransaction, with member: String, at now: Date) {
        guard let customer = customers[member], let product = catalogue.product(original.payload.productId),
            product.isFamilyShareable, product.type == .nonConsumable, original.payload.type == .nonConsumable,
            original.payload.inAppOwnershipType == .purchased, original.payload.revocationDate == nil
        else { return }
        let payload = draft(product, for: customer, at: now, reason: .purchase, ownership: .familyShared)
        let transaction = add(payload, for: member, sharedFrom: original.payload.transactionId)
        announce(.oneTimeCharge, about: transaction, at: now)
    }
}
