public import AppStoreModels

/// Signed data of any kind, recognized by members that only one kind has.
@nonexhaustive
public enum AnySignedPayload: Sendable, Hashable {
    /// A `signedTransactionInfo`.
    case transaction(JWSTransactionDecodedPayload)
    /// A `signedRenewalInfo`.
    case renewalInfo(JWSRenewalInfoDecodedPayload)
    /// A notification's `signedPayload`.
    case notification(ResponseBodyV2DecodedPayload)
    /// An app transaction.
    case appTransaction(AppTransaction)
    /// A retention request's `signedPayload`.
    case realtimeRequest(DecodedRealtimeRequestBody)

    /// The kind's name: `transaction`, `renewalInfo`, `notification`, `appTransaction` or `realtimeRequest`.
    public var kind: String {
        switch self {
        case .transaction: "transaction"
        case .renewalInfo: "renewalInfo"
        case .notification: "notification"
        case .appTransaction: "appTransaction"
        case .realtimeRequest: "realtimeRequest"
        }
    }

    /// The signed texts inside a notification, by the names of their members.
    package var signedTexts: [(String, String)] {
        guard case .notification(let payload) = self else { return [] }
        return [
            ("signedTransactionInfo", payload.data?.signedTransactionInfo),
            ("signedRenewalInfo", payload.data?.signedRenewalInfo),
            ("signedAppTransactionInfo", payload.appData?.signedAppTransactionInfo),
        ].compactMap { name, text in text.map { (name, $0) } }
    }
}

extension AnySignedPayload: Decodable {
    private enum Distinction: String, CodingKey {
        case notificationType, receiptType, autoRenewProductId, transactionId, userLocale
    }

    /// Decodes the kind that the members indicate.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Distinction.self)
        if fields.contains(.notificationType) {
            self = .notification(try ResponseBodyV2DecodedPayload(from: decoder))
        } else if fields.contains(.receiptType) {
            self = .appTransaction(try AppTransaction(from: decoder))
        } else if fields.contains(.autoRenewProductId) {
            self = .renewalInfo(try JWSRenewalInfoDecodedPayload(from: decoder))
        } else if fields.contains(.transactionId) {
            self = .transaction(try JWSTransactionDecodedPayload(from: decoder))
        } else if fields.contains(.userLocale) {
            self = .realtimeRequest(try DecodedRealtimeRequestBody(from: decoder))
        } else {
            throw UnknownPayloadKind()
        }
    }
}

/// The payload has none of the members that identify a kind.
struct UnknownPayloadKind: Error {}

extension AnySignedPayload: SignedPayload {
    var audience: Audience {
        switch self {
        case .transaction(let payload): payload.audience
        case .renewalInfo(let payload): payload.audience
        case .notification(let payload): payload.audience
        case .appTransaction(let payload): payload.audience
        case .realtimeRequest(let payload): payload.audience
        }
    }
}
