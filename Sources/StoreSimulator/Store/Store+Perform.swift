internal import AppStoreModels
package import Foundation

extension Store {
    /// The customer, transaction or token that a command affected.
    package struct Subject {
        package var customer: String?
        package var transaction: String?
        package var token: String?
        package var result: PurchaseResult?
        /// The error of a failed purchase.
        package var message: String?
        /// The device on which the purchase was made. It receives the transaction as the purchase's result, not as an
        /// update.
        package var device: String?
    }

    /// Processes all events due by `date`, then carries out the command. If the command is refused, the events have
    /// happened nevertheless.
    ///
    /// Without a `check`, every offer signature is refused.
    package mutating func perform(
        _ command: StoreCommand, at date: Date, checking check: OfferSignatureCheck? = nil
    ) throws(StoreError) -> StoreOutcome {
        let now = try instant(date)
        run(until: now)
        let (first, signed) = (notifications.count, lastSigned)
        let subject = try apply(command, at: now, checking: check)
        if lastSigned == signed, command.changesSignedPayloads { advanceSigningDate(at: now) }
        updateDevices(at: now, except: subject)
        return outcome(subject, since: first)
    }

    /// Rounds the instant of a command to the millisecond. Throws if the year is out of range: calendars and payloads
    /// have limits.
    func instant(_ date: Date) throws(StoreError) -> Date {
        guard Self.years.contains(date.timeIntervalSince1970) else {
            throw StoreError(.invalidArgument, "the date must be in the years 1 to 9999")
        }
        return date.wholeMilliseconds
    }

    // A range of numbers instead of dates: it never contains NaN.
    private static let years: ClosedRange<TimeInterval> = -62_135_596_800...253_402_300_799

    /// Returns the outcome of a command or trigger. `first` is the number of its first notification.
    func outcome(_ subject: Subject, since first: Int) -> StoreOutcome {
        let transaction = subject.transaction.flatMap { transactions[$0] }
        return StoreOutcome(
            environment: environment, customer: subject.customer, transactionID: subject.transaction,
            originalTransactionID: transaction?.payload.originalTransactionId, orderID: transaction?.order,
            appAccountToken: transaction?.payload.appAccountToken?.text, token: subject.token, result: subject.result,
            message: subject.message,
            notifications: notifications.dropFirst(first).map {
                .init(
                    notificationType: $0.type, subtype: $0.subtype, notificationUUID: $0.uuid,
                    version: $0.version == .one ? 1 : nil)
            })
    }

    /// Carries out the command without processing due events first.
    mutating func apply(
        _ command: StoreCommand, at now: Date, checking check: OfferSignatureCheck? = nil
    ) throws(StoreError) -> Subject {
        try command.checkValues()
        return switch command {
        case .createCustomer(let customer, let storefront, let version, let date, let preorderDate):
            try createCustomer(
                customer, in: storefront,
                first: FirstDownload(version: version, date: date, preorderDate: preorderDate, at: now), at: now)
        case .releaseVersion(let version): try release(version)
        case .purchase(
            let customer, let product, let quantity, let offer, let introductory, let token, let plan, let device,
            let signature, let introductorySignature, let sign):
            try order(
                Purchase(
                    customer: customer, product: try self.product(product), quantity: quantity ?? 1, offer: offer,
                    wantsIntroductoryOffer: introductory ?? true,
                    accountToken: accountToken(of: customer, choosing: token), plan: plan,
                    authorization: OfferAuthorization(
                        signature: signature, introductorySignature: introductorySignature,
                        isSignedBySimulator: sign ?? false, check: check),
                    allowsIntroductoryOffer: sign == true && introductory == true ? true : nil), on: device, at: now)
        case .cancel(let customer, let subscription): try cancel(customer, subscription, at: now)
        case .resume(let customer, let subscription): try resume(customer, subscription, at: now)
        case .failBilling(let customer, let subscription, let recovers):
            try failBilling(of: customer, subscription, recovers: recovers ?? false)
        case .fixBilling(let customer, let subscription): try fixBilling(of: customer, subscription, at: now)
        case .changeStorefront(let customer, let storefront):
            try changeStorefront(of: customer, to: storefront, at: now)
        case .accelerate(let customer, let subscription): try accelerate(customer, subscription, at: now)
        case .requestRefund(let customer, let transaction, let reason, let inApp, let note):
            try requestRefund(customer, transaction, reason: reason, inApp: inApp ?? false, note: note, at: now)
        case .approveRefund(let customer, let transaction, let reason, let percentage):
            try approveRefund(customer, transaction, reason: reason, percentage: percentage, at: now)
        case .declineRefund(let customer, let transaction): try declineRefund(customer, transaction, at: now)
        case .reverseRefund(let customer, let transaction): try reverseRefund(customer, transaction, at: now)
        case .shareWithFamily(let customer, let member): try share(customer, with: member, at: now)
        case .stopSharing(let customer, let member): try stopSharing(customer, with: member, at: now)
        case .increasePrice(let product, let price, let consent, let customer):
            try increasePrice(of: product, to: price, needsConsent: consent, for: customer, at: now)
        case .schedulePriceChange(
            let product, let price, let date, let consent, let storefronts, let preservesPrices):
            try schedulePriceChange(
                PriceCampaign(
                    number: priceCampaigns.count + 1, product: product, price: price,
                    effective: date?.wholeMilliseconds ?? now, consent: consent, storefronts: storefronts,
                    preservesPrices: preservesPrices ?? false), at: now)
        case .acceptPrice(let customer, let subscription): try acceptPrice(customer, subscription, at: now)
        case .removeFromSale(let product): try setOnSale(product, false)
        case .returnToSale(let product): try setOnSale(product, true)
        case .finish(let customer, let transaction, let device): try finish(customer, transaction, on: device)
        case .setAppAccountToken(let customer, let token, let transaction):
            try setAccountToken(token, of: customer, transaction, at: now)
        case .answerConsumptionRequest(let customer, let transaction, let preference, let percentage):
            try answer(customer, transaction, preference: preference, percentage: percentage, at: now)
        case .extendRenewal(let customer, let days, let subscription, _):
            try extend(customer, subscription, days: days, at: now)
        case .extendAllRenewals(let product, let days, let storefronts):
            try extendAll(product, days: days, storefronts: knownStorefronts(storefronts), request: nil, at: now)
        case .rescindConsent(let customer): try rescindConsent(customer, at: now)
        case .createExternalPurchaseToken(let type): createExternalPurchaseToken(type, at: now)
        case .reportExternalPurchaseToken(let token, let duplicate):
            try reportExternalPurchaseToken(token, isDuplicate: duplicate ?? false)
        case .requestTestNotification: try requestTestNotification(at: now)
        case .clearHistory(let customer): try clearHistory(of: customer, at: now)
        case .assignSeat(let customer, let product): try assignSeat(customer, product, at: now)
        case .withdrawSeat(let customer, let product): try withdrawSeat(customer, product, at: now)
        case .assignVolumePurchase(let customer, let expires):
            try assignVolumePurchase(to: customer, until: expires, at: now)
        case .revokeVolumePurchase(let customer): try revokeVolumePurchase(of: customer, at: now)
        case .refreshReceipt(let customer, let device): try refreshReceipt(of: customer, on: device, at: now)
        case .joinGroup(let customer, let group, let organization, let administrator):
            try join(customer, group, isOrganization: organization ?? true, isAdministrator: administrator ?? false)
        case .installApp(let customer, let device, let system): try install(device, of: customer, system, at: now)
        case .goOffline(let customer, let device): try setOffline(true, device, of: customer, at: now)
        case .goOnline(let customer, let device): try setOffline(false, device, of: customer, at: now)
        case .sync(let customer, let device): try sync(device, of: customer, at: now)
        case .askToBuy(let customer): try setAskToBuy(true, customer, at: now)
        case .stopAskingToBuy(let customer): try setAskToBuy(false, customer, at: now)
        case .approvePurchase(let customer, let product): try approve(customer, product, at: now)
        case .declinePurchase(let customer, let product): try decline(customer, product)
        case .setNextPurchaseResult(let customer, let device, let result, let message):
            try change(device, of: customer, at: now) { $0.nextPurchase = .init(result: result, message: message) }
        case .holdUpdates(let customer, let device):
            try change(device, of: customer, at: now) { $0.holdsUpdates = true }
        case .releaseUpdates(let customer, let device, let reversed):
            try change(device, of: customer, at: now) { device in
                device.holdsUpdates = false
                if reversed ?? false { device.heldUpdates.reverse() }
                device.receiveHeldUpdates()
            }
        case .hideRenewals(let customer, let device):
            try change(device, of: customer, at: now) { $0.hidesRenewals = true }
        case .resendUpdate(let customer, let device, let transaction):
            try resendUpdate(device, of: customer, transaction, at: now)
        case .failVerification(let customer, let device, let transaction):
            try resendUpdate(device, of: customer, transaction, breaking: true, at: now)
        case .subscribeAdvancedCommerce(let customer, let product, let request):
            try performInApp(Self.json(request), for: customer, product, at: now)
        case .chargeAdvancedCommerce(let customer, let product, let request):
            try performInApp(Self.json(request), for: customer, product, at: now)
        case .requestAdvancedCommerce(let customer, let data, let product):
            // The caller, who has the key, has checked the signature.
            try performInApp(
                Self.mappingAPIFailure { () throws(APIFailure) in try AdvancedCommerceEnvelope(data).request },
                for: customer, product, at: now)
        case .approveMessage(let id): try decide(message: id, .approved)
        case .rejectMessage(let id): try decide(message: id, .rejected)
        case .approveImage(let id): try decide(image: id, .approved)
        case .rejectImage(let id): try decide(image: id, .rejected)
        }
    }
}

extension Date {
    /// The instant rounded to the millisecond, the precision of payloads. Encoding it in a payload and decoding it
    /// again returns an equal date.
    package var wholeMilliseconds: Date { millisecondsSince1970.flatMap { Date(millisecondsSince1970: $0) } ?? self }

    /// Returns the date `seconds` later, to the millisecond. It is never earlier than this date; intervals are limited
    /// to 1e11 seconds so that the date stays representable.
    func after(_ seconds: TimeInterval) -> Date {
        (self + (seconds > 0 ? min(seconds, 1e11) : 0)).wholeMilliseconds
    }
}
