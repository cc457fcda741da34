package import AppStoreModels
internal import Basics
package import Foundation

/// A real-time request to the developer's server, which chooses the message for a customer who is about to cancel, and
/// the evaluation of the answer.
///
/// If the answer is unusable for any reason, the customer sees the default message for the product and the language, or
/// nothing if there is none. The caller signs and sends the request.
package struct RealtimeExchange: Sendable {
    /// The maximum size of an answer, in bytes.
    package static let maximumSize = 64 * 1024

    package let request: DecodedRealtimeRequestBody
    /// The time limit for this answer, in milliseconds.
    package var timeLimit: Int64 = 700
    private let isAdvancedCommerce: Bool
    private let alternatives: Set<String>

    /// Creates an exchange about one subscription. `alternatives` are the other products of its group.
    package init(_ request: DecodedRealtimeRequestBody, isAdvancedCommerce: Bool, alternatives: Set<String>) {
        self.request = request
        self.isAdvancedCommerce = isAdvancedCommerce
        self.alternatives = alternatives
    }

    /// The result of the request to the developer's server.
    package enum ServerResult: Sendable, Hashable {
        case response(status: Int, body: [UInt8], milliseconds: Int64)
        case failure(SendAttemptResult)
    }

    package struct Outcome: Sendable, Hashable {
        /// What the customer sees.
        package let content: RealtimeRecord.Content
        /// The message of the content; nil if nothing is shown.
        package let messageIdentifier: UUID?
        /// The result of the exchange, also for performance tests.
        package let result: SendAttemptResult
        /// Why the answer was rejected; nil if it was used.
        package let rejectionReason: String?
    }

    /// Evaluates a result. `check` verifies the signatures in it and returns the problem; the caller has the keys.
    package func evaluate(
        _ result: ServerResult, _ messaging: RetentionMessaging, check: (RealtimeResponseBody) -> String? = { _ in nil }
    ) -> Outcome {
        do throws(Rejection) {
            let body = try body(of: result)
            let (content, message) = try content(of: body, messaging)
            if let problem = check(body) { throw Rejection(problem) }
            return Outcome(content: content, messageIdentifier: message, result: .success, rejectionReason: nil)
        } catch {
            let message = defaultMessage(messaging)
            return Outcome(
                content: message == nil ? .nothing : .defaultMessage, messageIdentifier: message, result: error.result,
                rejectionReason: error.reason)
        }
    }

    private func defaultMessage(_ messaging: RetentionMessaging) -> UUID? {
        guard let locale = RetentionLocale(request.userLocale),
            let identifier = messaging.defaultMessage(product: request.productId, locale: locale),
            let message = messaging.message(identifier), messaging.isApproved(message)
        else { return nil }
        return identifier
    }
}

private struct Rejection: Error {
    let result: SendAttemptResult
    let reason: String

    init(_ reason: String, _ result: SendAttemptResult = .invalidResponse) {
        self.result = result
        self.reason = reason
    }
}

// Validation of responses.
extension RealtimeExchange {
    private func body(of result: ServerResult) throws(Rejection) -> RealtimeResponseBody {
        switch result {
        case .failure(let failure): throw Rejection("there was no answer: \(failure.rawValue)", failure)
        case .response(let status, let body, let milliseconds):
            guard milliseconds <= timeLimit else {
                throw Rejection("the answer took \(milliseconds) ms, more than \(timeLimit)", .timedOut)
            }
            guard status == 200 else {
                throw Rejection("the answer has status \(status), not 200", .unsuccessfulHTTPResponseCode)
            }
            guard body.count <= Self.maximumSize else {
                throw Rejection("the answer has more than \(Self.maximumSize) bytes")
            }
            do { return try StrictJSONDecoder.decode(RealtimeResponseBody.self, from: body) } catch {
                throw Rejection("the answer is not a RealtimeResponseBody")
            }
        }
    }

    private func content(
        of body: RealtimeResponseBody, _ messaging: RetentionMessaging
    ) throws(Rejection) -> (RealtimeRecord.Content, message: UUID) {
        switch (body.message, body.alternateProduct, body.promotionalOffer, body.advancedCommerceInfo) {
        case (let message?, nil, nil, nil):
            try Self.checkMessage(message.messageIdentifier, messaging, mayHaveImage: true)
            return (.message, message.messageIdentifier)
        case (nil, let product?, nil, nil):
            try Self.checkMessage(product.messageIdentifier, messaging, mayHaveImage: false)
            try checkProduct(product.productId, mayBeCurrent: false)
            return (.alternateProduct, product.messageIdentifier)
        case (nil, nil, let offer?, nil):
            try Self.checkMessage(offer.messageIdentifier, messaging, mayHaveImage: false)
            guard let signed = offer.signed else {
                throw Rejection("the offer must have exactly one signature that names a product and an offer")
            }
            try checkProduct(signed.product, mayBeCurrent: true)
            return (.promotionalOffer, offer.messageIdentifier)
        case (nil, nil, nil, let info?):
            guard isAdvancedCommerce else { throw Rejection("the subscription is not an Advanced Commerce one") }
            try Self.checkMessage(info.messageIdentifier, messaging, mayHaveImage: true)
            try Self.checkData(info.advancedCommerceData)
            return (.advancedCommerce, info.messageIdentifier)
        default: throw Rejection("the answer must have exactly one of the four kinds of content")
        }
    }

    private static func checkMessage(
        _ identifier: UUID, _ messaging: RetentionMessaging, mayHaveImage: Bool
    ) throws(Rejection) {
        guard let message = messaging.message(identifier) else { throw Rejection("the message is unknown") }
        if let problem = messaging.problem(message) { throw Rejection(problem.message) }
        guard mayHaveImage || message.images.isEmpty else {
            throw Rejection("a message with an offer or another product must have no image")
        }
    }

    private func checkProduct(_ id: String, mayBeCurrent: Bool) throws(Rejection) {
        guard alternatives.contains(id) || mayBeCurrent && id == request.productId else {
            throw Rejection("the product \(id) is not another one of the subscription's group")
        }
    }
}

// Validation of the signed request to change an Advanced Commerce subscription. `check` verifies its signature.
extension RealtimeExchange {
    private static func checkData(_ data: String) throws(Rejection) {
        guard Data(base64Encoded: data) != nil, let envelope = try? AdvancedCommerceEnvelope(data),
            let request = try? StrictJSONDecoder.decode(
                AdvancedCommerceSubscriptionModifyInAppRequest.self, from: envelope.request)
        else { throw Rejection("the advancedCommerceData holds no signed request to modify a subscription") }
        guard request.operation == .modifySubscription, request.changeItems?.count == 1 else {
            throw Rejection("the signed request has not exactly one item to change")
        }
    }
}
