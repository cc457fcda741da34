internal import AppStoreModels
internal import AppStoreServer
internal import Foundation

// The Retention Messaging API, endpoints R1 to R14. `RetentionMessaging` implements the rules; the store knows the
// products and purchases.

extension Store {
    mutating func respondToRetentionRequest(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        let image = request.path["imageIdentifier"] ?? ""
        let message = request.path["messageIdentifier"] ?? ""
        let (product, locale) = (request.path["productId"] ?? "", request.path["locale"] ?? "")
        let subscriptions = Set(catalogue.products.filter { $0.subscription != nil }.map(\.id))
        switch request.endpoint {
        case .uploadImage:
            let size = try QueryParameters(request.query).string("imageSize", or: .badRequestImageSize)
            try retention.uploadImage(image, size: size, bytes: request.body)
        case .deleteImage: try retention.deleteImage(image)
        case .images: return APIResponse(body: .model(retention.imageList()))
        case .uploadMessage: try retention.uploadMessage(message, body: request.fields())
        case .deleteMessage: try retention.deleteMessage(message)
        case .messages: return APIResponse(body: .model(retention.messageList()))
        case .setRealtimeURL:
            try retention.setRealtimeURL(request.fields(), hasPassedTest: hasPassedPerformanceTest)
        case .realtimeURL: return APIResponse(body: .model(try retention.realtimeURLResponse()))
        case .deleteRealtimeURL: try retention.deleteRealtimeURL()
        case .startPerformanceTest: return try startPerformanceTest(request, at: now)
        case .performanceTest:
            let id = request.path["requestId"] ?? ""
            return APIResponse(body: .model(try retention.performanceTest(id, now: now)))
        case .setDefaultMessage:
            try retention.setDefaultMessage(
                product: product, locale: locale, body: request.fields(), isSubscription: subscriptions.contains)
        case .defaultMessage:
            let message = try retention.defaultMessage(
                product: product, locale: locale, isSubscription: subscriptions.contains)
            return APIResponse(body: .model(message))
        case .deleteDefaultMessage:
            try retention.deleteDefaultMessage(product: product, locale: locale, isSubscription: subscriptions.contains)
        default: throw APIFailure(status: 404, "\(request.endpoint.title) is not part of the App Store's APIs.")
        }
        return APIResponse()
    }

    private mutating func startPerformanceTest(_ request: APIRequest, at now: Date) throws(APIFailure) -> APIResponse {
        // Work on copies, so that a refused request does not use up an identifier.
        var (messaging, identifiers) = (retention, identifiers)
        let id = identifiers.version4()
        let response = try messaging.startPerformanceTest(request.fields(), id: id, now: now) {
            (id) throws(APIFailure) in try checkTestable(id)
        }
        (retention, self.identifiers) = (messaging, identifiers)
        return APIResponse(body: .model(response))
    }

    /// Throws unless `id` is the original transaction of a subscription that its customer has purchased.
    private func checkTestable(_ id: String) throws(APIFailure) {
        guard id.isIdentifier else {
            throw APIFailure(.invalidTransactionId, "The identifier is invalid: expected 1 to 20 digits.")
        }
        guard customersByAppTransaction[id] == nil else {
            throw APIFailure(.appTransactionIdNotSupported, "The identifier is that of an app transaction.")
        }
        guard let transaction = transactions[id], transaction.isSubscription else {
            throw APIFailure(.invalidTransactionId, "There is no such transaction of a subscription.")
        }
        try requireOriginal(transaction, id)
    }
}
