public import AppStoreModels

/// The reason why the simulated store refuses a command. The command has had no effect. Events that were due before it,
/// such as renewals, may have happened.
public struct StoreError: CounterfoilError, Hashable, Codable {
    /// The machine-readable reason.
    public let code: Code
    /// The reason in a sentence, for people.
    public let message: String

    /// Creates an error with these values, for tests of error handling.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The machine-readable reason of a refusal.
    public struct Code: OpenEnumeration {
        /// The code in snake case.
        public let rawValue: String
        /// Creates a code from any text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The customer does not exist.
        public static let unknownCustomer = Self(rawValue: "unknown_customer")
        /// The catalogue has no such product.
        public static let unknownProduct = Self(rawValue: "unknown_product")
        /// The product has no such offer.
        public static let unknownOffer = Self(rawValue: "unknown_offer")
        /// The transaction does not exist.
        public static let unknownTransaction = Self(rawValue: "unknown_transaction")
        /// The customer has no such subscription, or none at all.
        public static let noSubscription = Self(rawValue: "no_subscription")
        /// The catalogue has no such storefront.
        public static let unknownStorefront = Self(rawValue: "unknown_storefront")
        /// The customer already has the product, the subscription or a seat in the group.
        public static let alreadyOwned = Self(rawValue: "already_owned")
        /// A customer with this name exists already.
        public static let alreadyExists = Self(rawValue: "already_exists")
        /// The customer is not eligible for the offer or the renewal date extension.
        public static let notEligible = Self(rawValue: "not_eligible")
        /// The signature of a promotional offer is missing.
        public static let offerSignatureMissing = Self(rawValue: "offer_signature_missing")
        /// The offer signature cannot be parsed, or lacks a required field. As a JWS, it has another algorithm than ES256,
        /// another type than JWT, critical header members, or a nonce that is not a UUID.
        public static let offerSignatureMalformed = Self(rawValue: "offer_signature_malformed")
        /// The offer signature names a key that is not the app's.
        public static let offerSignatureWrongKey = Self(rawValue: "offer_signature_wrong_key")
        /// The offer signature does not match the signed content.
        public static let offerSignatureInvalid = Self(rawValue: "offer_signature_invalid")
        /// The offer signature has another audience.
        public static let offerSignatureWrongAudience = Self(rawValue: "offer_signature_wrong_audience")
        /// The offer signature is of another issuer, or for another app.
        public static let offerSignatureWrongApp = Self(rawValue: "offer_signature_wrong_app")
        /// The offer signature is for another product.
        public static let offerSignatureWrongProduct = Self(rawValue: "offer_signature_wrong_product")
        /// The offer signature is for another offer.
        public static let offerSignatureWrongOffer = Self(rawValue: "offer_signature_wrong_offer")
        /// The offer signature is for another `appAccountToken` than the purchase's.
        public static let offerSignatureWrongAccount = Self(rawValue: "offer_signature_wrong_account")
        /// The transaction in the offer signature is not the customer's.
        public static let offerSignatureWrongCustomer = Self(rawValue: "offer_signature_wrong_customer")
        /// The offer signature was used for a purchase already.
        public static let offerSignatureReused = Self(rawValue: "offer_signature_reused")
        /// The offer signature is older than 24 hours.
        public static let offerSignatureExpired = Self(rawValue: "offer_signature_expired")
        /// The offer signature is dated in the future.
        public static let offerSignatureNotYetValid = Self(rawValue: "offer_signature_not_yet_valid")
        /// The offer code has expired.
        public static let offerExpired = Self(rawValue: "offer_expired")
        /// The offer code has reached its redemption limit.
        public static let offerExhausted = Self(rawValue: "offer_exhausted")
        /// The customer has redeemed the offer already.
        public static let offerAlreadyRedeemed = Self(rawValue: "offer_already_redeemed")
        /// The product is not for sale.
        public static let notForSale = Self(rawValue: "not_for_sale")
        /// The customer's payment method fails.
        public static let paymentDeclined = Self(rawValue: "payment_declined")
        /// The transaction is refunded or revoked already.
        public static let alreadyRefunded = Self(rawValue: "already_refunded")
        /// The command is not possible in the current state of the subscription, the refund or the customer.
        public static let impossibleTransition = Self(rawValue: "impossible_transition")
        /// A value is out of range or malformed.
        public static let invalidArgument = Self(rawValue: "invalid_argument")
        /// The device is offline.
        public static let deviceOffline = Self(rawValue: "device_offline")
        /// The customer's device has no receipt.
        public static let noReceipt = Self(rawValue: "no_receipt")
        /// The Advanced Commerce API refuses the request; the message begins with Apple's code.
        public static let refusedRequest = Self(rawValue: "refused_request")
        /// A limit of the simulator, such as the number of customers, is reached.
        public static let limitReached = Self(rawValue: "limit_reached")
    }
}
