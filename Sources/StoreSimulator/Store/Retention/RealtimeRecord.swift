public import AppStoreModels
public import Foundation

/// What became of asking the developer's server what to show a customer who is about to cancel.
public struct RealtimeRecord: Sendable, Hashable, Codable {
    /// What was asked.
    public var question: DecodedRealtimeRequestBody
    /// Whom.
    public var url: String
    /// How the exchange ended.
    public var result: SendAttemptResult
    /// How long the answer took, in milliseconds.
    public var milliseconds: Int64
    /// What the customer sees.
    public var shown: Shown
    /// The message, if there is one.
    public var messageIdentifier: UUID?
    /// Why the answer was not used; nil if it was.
    public var objection: String?

    /// What a customer can see.
    @nonexhaustive
    public enum Shown: String, Sendable, Hashable, Codable {
        /// The message that the developer's server named.
        case message
        /// Another product of the same group.
        case alternateProduct
        /// A promotional offer.
        case promotionalOffer
        /// A change of an Advanced Commerce subscription.
        case advancedCommerce
        /// The default message for the product and the language.
        case defaultMessage
        /// Nothing.
        case nothing
    }

    init(
        _ question: DecodedRealtimeRequestBody, url: String, _ outcome: RealtimeExchange.Outcome, milliseconds: Int64
    ) {
        self.question = question
        self.url = url
        self.milliseconds = milliseconds
        result = outcome.result
        objection = outcome.objection
        switch outcome.shown {
        case .message(let id): (shown, messageIdentifier) = (.message, id)
        case .alternateProduct(let product): (shown, messageIdentifier) = (.alternateProduct, product.messageIdentifier)
        case .promotionalOffer(let offer): (shown, messageIdentifier) = (.promotionalOffer, offer.messageIdentifier)
        case .advancedCommerce(let info): (shown, messageIdentifier) = (.advancedCommerce, info.messageIdentifier)
        case .defaultMessage(let id): (shown, messageIdentifier) = (.defaultMessage, id)
        case .nothing: shown = .nothing
        }
    }
}

extension Store {
    /// What the App Store asks when a customer is about to cancel; nil if nobody is to be asked, or nothing to be cancelled.
    mutating func question(
        about customer: String, _ selector: String?, at now: Date
    ) -> (RealtimeExchange, url: String)? {
        guard let url = retention.realtimeURL, let subscription = try? subscription(of: customer, selector),
            subscription.ownership == .purchased, subscription.renewsAutomatically, !isLapsed(subscription, at: now)
        else { return nil }
        var exchange = exchange(about: subscription, at: now)
        exchange.timeLimit = Int64(min(max(settings.realtimeTimeout, 0.001), 3600) * 1000)
        return (exchange, url)
    }

    mutating func exchange(about subscription: Subscription, at now: Date) -> RealtimeExchange {
        let product = transactions[subscription.current]?.payload.productId ?? subscription.renewalProduct
        let question = DecodedRealtimeRequestBody(
            originalTransactionId: subscription.id, appAppleId: app.appAppleID, productId: product,
            userLocale: Self.locales[customers[subscription.customer]?.storefront ?? ""] ?? "en-US",
            requestIdentifier: UUID(uuidString: exchangeIdentifiers.uuid()) ?? UUID(), environment: environment,
            signedDate: now
        )
        let others = catalogue.products.filter {
            $0.id != product && $0.subscription?.group == subscription.group && $0.isOnSale
        }
        return RealtimeExchange(
            question, isAdvancedCommerce: subscription.advancedCommerce != nil, alternatives: Set(others.map(\.id)))
    }

    // The language that most customers of a storefront read: the store does not know theirs.
    private static let locales = ["DEU": "de-DE", "FRA": "fr-FR", "GBR": "en-GB", "JPN": "ja-JP", "USA": "en-US"]
}
