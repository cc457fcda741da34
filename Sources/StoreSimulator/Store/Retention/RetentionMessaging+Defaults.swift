package import AppStoreModels
internal import Foundation

extension RetentionMessaging {
    /// R7. Sets or replaces a default message. `isSubscription` returns whether the app sells a subscription with that
    /// product identifier.
    package mutating func setDefaultMessage(
        product: String, locale: String, body: RequestBody, isSubscription: (String) -> Bool
    ) throws(APIFailure) {
        let locale = try Self.check(product, locale, isSubscription)
        let identifier = try body.uuid("messageIdentifier", or: nil)
        guard let message = message(identifier) else { throw Self.messageNotFound(identifier) }
        if let problem = problem(message) { throw problem }
        defaults.removeAll { $0.productID == product && $0.locale == locale }
        defaults.append(Default(productID: product, locale: locale, messageIdentifier: identifier))
    }

    /// R8. Returns the default message for a product and a language.
    package func defaultMessage(
        product: String, locale: String, isSubscription: (String) -> Bool
    ) throws(APIFailure) -> DefaultConfigurationResponse {
        let locale = try Self.check(product, locale, isSubscription)
        guard let found = defaultMessage(product: product, locale: locale) else {
            throw APIFailure(.defaultMessageNotFound, "There is no default message for \(product) in \(locale.text).")
        }
        return DefaultConfigurationResponse(messageIdentifier: found)
    }

    /// R9. Deletes a default message. Does nothing if there is none.
    package mutating func deleteDefaultMessage(
        product: String, locale: String, isSubscription: (String) -> Bool
    ) throws(APIFailure) {
        let locale = try Self.check(product, locale, isSubscription)
        defaults.removeAll { $0.productID == product && $0.locale == locale }
    }

    func defaultMessage(product: String, locale: RetentionLocale) -> UUID? {
        defaults.first { $0.productID == product && $0.locale == locale }?.messageIdentifier
    }

    private static func check(
        _ product: String, _ locale: String, _ isSubscription: (String) -> Bool
    ) throws(APIFailure) -> RetentionLocale {
        guard isSubscription(product) else {
            throw APIFailure(.invalidProductId, "There is no subscription with the product identifier \(product).")
        }
        guard let locale = RetentionLocale(locale) else {
            throw APIFailure(.invalidLocale, "The locale is not a language tag such as en-US.")
        }
        return locale
    }
}
