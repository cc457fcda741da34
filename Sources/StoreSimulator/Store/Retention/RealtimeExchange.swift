internal import AppStoreServer
package import AppStoreModels
internal import Basics
package import Foundation

/// Asking the developer's server what to show a customer who is about to cancel, and judging what it says.
///
/// Whatever is wrong with an answer, the customer sees the default message for the product and the language, or nothing
/// if there is none. Signing the question and sending it is the caller's.
package struct RealtimeExchange: Sendable {
    /// How long the developer's server may take, in milliseconds.
    package static let timeLimit: Int64 = 700

    /// The most bytes of an answer that are read.
    package static let maximumSize = 64 * 1024

    package let question: DecodedRealtimeRequestBody
    /// How long the developer's server may take this time, in milliseconds.
    package var timeLimit = Self.timeLimit
    private let isAdvancedCommerce: Bool
    private let alternatives: Set<String>

    /// About one subscription. `alternatives` are the other products of its group.
    package init(_ question: DecodedRealtimeRequestBody, isAdvancedCommerce: Bool, alternatives: Set<String>) {
        self.question = question
        self.isAdvancedCommerce = isAdvancedCommerce
        self.alternatives = alternatives
    }

    /// What came back.
    package enum Answer: Sendable, Hashable {
        case response(status: Int, body: [UInt8], milliseconds: Int64)
        case failure(SendAttemptResult)
    }

    /// What the customer sees.
    package enum Shown: Sendable, Hashable {
        case message(UUID)
        case alternateProduct(RetentionAlternateProduct)
        case promotionalOffer(RetentionPromotionalOffer)
        case advancedCommerce(RetentionAdvancedCommerceInfo)
        case defaultMessage(UUID)
        case nothing
    }

    package struct Outcome: Sendable, Hashable {
        package let shown: Shown
        /// How the exchange counts, for a performance test too.
        package let result: SendAttemptResult
        /// Why the answer was not used; nil if it was.
        package let objection: String?
    }

    /// Decides what to show. `check` says what is wrong with a signature in the answer, for who has the keys.
    package func judge(
        _ answer: Answer, _ messaging: RetentionMessaging, check: (RealtimeResponseBody) -> String? = { _ in nil }
    ) -> Outcome {
        do throws(Objection) {
            let body = try body(of: answer)
            let shown = try shown(body, messaging)
            if let problem = check(body) { throw Objection(problem) }
            return Outcome(shown: shown, result: .success, objection: nil)
        } catch {
            return Outcome(shown: fallback(messaging), result: error.result, objection: error.reason)
        }
    }

    private func fallback(_ messaging: RetentionMessaging) -> Shown {
        guard let locale = RetentionLocale(question.userLocale),
            let identifier = messaging.defaultMessage(product: question.productId, locale: locale),
            let message = messaging.message(identifier), messaging.isApproved(message)
        else { return .nothing }
        return .defaultMessage(identifier)
    }
}

private struct Objection: Error {
    let result: SendAttemptResult
    let reason: String

    init(_ reason: String, _ result: SendAttemptResult = .invalidResponse) {
        self.result = result
        self.reason = reason
    }
}

// What is wrong with an answer.
extension RealtimeExchange {
    private func body(of answer: Answer) throws(Objection) -> RealtimeResponseBody {
        switch answer {
        case .failure(let result): throw Objection("there was no answer: \(result.rawValue)", result)
        case .response(let status, let body, let milliseconds):
            guard milliseconds <= timeLimit else {
                throw Objection("the answer took \(milliseconds) ms, more than \(timeLimit)", .timedOut)
            }
            guard status == 200 else {
                throw Objection("the answer has status \(status), not 200", .unsuccessfulHTTPResponseCode)
            }
            guard body.count <= Self.maximumSize else {
                throw Objection("the answer has more than \(Self.maximumSize) bytes")
            }
            do { return try StrictJSONDecoder.decode(RealtimeResponseBody.self, from: body) } catch {
                throw Objection("the answer is not a RealtimeResponseBody")
            }
        }
    }

    private func shown(_ body: RealtimeResponseBody, _ messaging: RetentionMessaging) throws(Objection) -> Shown {
        switch (body.message, body.alternateProduct, body.promotionalOffer, body.advancedCommerceInfo) {
        case (let message?, nil, nil, nil):
            try Self.checkMessage(message.messageIdentifier, messaging, mayHaveImage: true)
            return .message(message.messageIdentifier)
        case (nil, let product?, nil, nil):
            try Self.checkMessage(product.messageIdentifier, messaging, mayHaveImage: false)
            try checkProduct(product.productId, mayBeCurrent: false)
            return .alternateProduct(product)
        case (nil, nil, let offer?, nil):
            try Self.checkMessage(offer.messageIdentifier, messaging, mayHaveImage: false)
            guard (offer.promotionalOfferSignatureV1 == nil) != (offer.promotionalOfferSignatureV2 == nil) else {
                throw Objection("the offer has not exactly one signature")
            }
            if let signature = offer.promotionalOfferSignatureV1 {
                try checkProduct(signature.productId, mayBeCurrent: true)
            }
            return .promotionalOffer(offer)
        case (nil, nil, nil, let info?):
            guard isAdvancedCommerce else { throw Objection("the subscription is not an Advanced Commerce one") }
            try Self.checkMessage(info.messageIdentifier, messaging, mayHaveImage: true)
            try Self.checkData(info.advancedCommerceData)
            return .advancedCommerce(info)
        default: throw Objection("the answer has not exactly one of the four kinds of content")
        }
    }

    private static func checkMessage(
        _ identifier: UUID, _ messaging: RetentionMessaging, mayHaveImage: Bool
    ) throws(Objection) {
        guard let message = messaging.message(identifier) else { throw Objection("the message is unknown") }
        if let problem = messaging.problem(message) { throw Objection(problem.message) }
        guard mayHaveImage || message.images.isEmpty else {
            throw Objection("a message with an offer or another product must have no image")
        }
    }

    private func checkProduct(_ id: String, mayBeCurrent: Bool) throws(Objection) {
        guard alternatives.contains(id) || mayBeCurrent && id == question.productId else {
            throw Objection("the product \(id) is not another one of the subscription's group")
        }
    }
}

// The signed request to change an Advanced Commerce subscription. Here only what is asked for; the signature is for
// `check`.
extension RealtimeExchange {
    private struct Claims: Decodable { let request: String }

    private static func checkData(_ data: String) throws(Objection) {
        guard let bytes = Data(base64Encoded: data),
            let wrapper = try? StrictJSONDecoder.decode(AdvancedCommerceEnvelope.Wrapper.self, from: Array(bytes)),
            let request = request(in: wrapper.signatureInfo.token)
        else { throw Objection("the advancedCommerceData holds no signed request to modify a subscription") }
        guard request.operation == .modifySubscription, request.changeItems?.count == 1 else {
            throw Objection("the signed request has not exactly one item to change")
        }
    }

    private static func request(in token: String) -> AdvancedCommerceSubscriptionModifyInAppRequest? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64.decodeURL(parts.dropFirst().first ?? ""),
            let claims = try? StrictJSONDecoder.decode(Claims.self, from: payload),
            let request = Data(base64Encoded: claims.request)
        else { return nil }
        return try? StrictJSONDecoder.decode(
            AdvancedCommerceSubscriptionModifyInAppRequest.self, from: Array(request))
    }
}
