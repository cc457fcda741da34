public import AppStoreModels
public import Foundation

/// The record of a real-time request to the developer's server, which chooses the message for a customer who is about
/// to cancel.
public struct RealtimeRecord: Sendable, Hashable, Codable {
    /// The request.
    public var request: DecodedRealtimeRequestBody
    /// The URL of the developer's server.
    public var url: String
    /// The result of the exchange.
    public var result: SendAttemptResult
    /// How long the answer took, in milliseconds.
    public var milliseconds: Int64
    /// The kind of content that the customer sees.
    public var content: Content
    /// The identifier of the message; nil if nothing is shown.
    public var messageIdentifier: UUID?
    /// Why the answer was rejected; nil if it was used.
    public var rejectionReason: String?

    /// The kinds of content that a customer can see.
    @nonexhaustive
    public enum Content: String, Sendable, Hashable, Codable {
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

    init(_ request: DecodedRealtimeRequestBody, url: String, _ outcome: RealtimeExchange.Outcome, milliseconds: Int64) {
        self.request = request
        self.url = url
        self.milliseconds = milliseconds
        result = outcome.result
        content = outcome.content
        messageIdentifier = outcome.messageIdentifier
        rejectionReason = outcome.rejectionReason
    }
}

extension Store {
    /// Returns the real-time request for a customer who is about to cancel; nil if no URL is set or there is no
    /// subscription to cancel.
    mutating func realtimeExchange(
        for customer: String, _ selector: String?, at now: Date
    ) -> (RealtimeExchange, url: String)? {
        guard let url = retention.realtimeURL, let subscription = try? subscription(of: customer, selector),
            subscription.ownership == .purchased, subscription.renewsAutomatically, !isLapsed(subscription, at: now)
        else { return nil }
        var exchange = exchange(for: subscription, at: now)
        exchange.timeLimit = Int64(min(max(settings.realtimeTimeout, 0.001), 3600) * 1000)
        return (exchange, url)
    }

    mutating func exchange(for subscription: Subscription, at now: Date) -> RealtimeExchange {
        let product = currentProduct(of: subscription)
        let request = DecodedRealtimeRequestBody(
            originalTransactionId: subscription.id, appAppleId: app.appAppleID, productId: product,
            userLocale: Self.locales[customers[subscription.customer]?.storefront ?? ""] ?? "en-US",
            requestIdentifier: exchangeIdentifiers.version4(), environment: environment, signedDate: now)
        let others = catalogue.products.filter {
            $0.id != product && $0.subscription?.group == subscription.group && $0.isOnSale
        }
        return RealtimeExchange(
            request, isAdvancedCommerce: subscription.advancedCommerce != nil, alternatives: Set(others.map(\.id)))
    }

    // The store does not know customers' languages and uses the storefront's main language.
    private static let locales = ["DEU": "de-DE", "FRA": "fr-FR", "GBR": "en-GB", "JPN": "ja-JP", "USA": "en-US"]
}
