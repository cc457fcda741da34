public import AppStoreModels

/// Why the simulated store refuses a command. Nothing has changed.
public struct StoreError: CounterfoilError, Hashable, Codable {
    /// What is wrong, for programs.
    public let code: Code
    /// What is wrong, for people: a sentence.
    public let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message.
    public var description: String { "\(code): \(message)" }

    /// What can be wrong.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
        /// Snake case.
        public let rawValue: String
        /// Takes any code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Snake case.
        public var description: String { rawValue }

        /// No such customer.
        public static let unknownCustomer = Self(rawValue: "unknown_customer")
        /// No such product in the catalogue.
        public static let unknownProduct = Self(rawValue: "unknown_product")
        /// The product has no such offer.
        public static let unknownOffer = Self(rawValue: "unknown_offer")
        /// No such transaction.
        public static let unknownTransaction = Self(rawValue: "unknown_transaction")
        /// The customer has no such subscription, or none at all.
        public static let noSubscription = Self(rawValue: "no_subscription")
        /// No such storefront in the catalogue.
        public static let unknownStorefront = Self(rawValue: "unknown_storefront")
        /// The customer has bought or used that already.
        public static let alreadyOwned = Self(rawValue: "already_owned")
        /// A customer of that name exists.
        public static let alreadyExists = Self(rawValue: "already_exists")
        /// The offer is not for this customer.
        public static let notEligible = Self(rawValue: "not_eligible")
        /// A promotional offer comes without a signature. So are the following: what is wrong about it.
        public static let offerSignatureMissing = Self(rawValue: "offer_signature_missing")
        /// It cannot be read, or lacks something.
        public static let offerSignatureMalformed = Self(rawValue: "offer_signature_malformed")
        /// It names a key that is not the app's.
        public static let offerSignatureWrongKey = Self(rawValue: "offer_signature_wrong_key")
        /// It does not match what is signed.
        public static let offerSignatureInvalid = Self(rawValue: "offer_signature_invalid")
        /// It is for another purpose.
        public static let offerSignatureWrongAudience = Self(rawValue: "offer_signature_wrong_audience")
        /// It is of another issuer, or for another app.
        public static let offerSignatureWrongApp = Self(rawValue: "offer_signature_wrong_app")
        /// It is for another product.
        public static let offerSignatureWrongProduct = Self(rawValue: "offer_signature_wrong_product")
        /// It is for another offer.
        public static let offerSignatureWrongOffer = Self(rawValue: "offer_signature_wrong_offer")
        /// It is for another account of the app than the purchase names.
        public static let offerSignatureWrongAccount = Self(rawValue: "offer_signature_wrong_account")
        /// The transaction that it names is not the customer's.
        public static let offerSignatureWrongCustomer = Self(rawValue: "offer_signature_wrong_customer")
        /// It was used for a purchase already.
        public static let offerSignatureReused = Self(rawValue: "offer_signature_reused")
        /// It is older than 24 hours.
        public static let offerSignatureExpired = Self(rawValue: "offer_signature_expired")
        /// It is from the future.
        public static let offerSignatureNotYetValid = Self(rawValue: "offer_signature_not_yet_valid")
        /// The offer code has expired.
        public static let offerExpired = Self(rawValue: "offer_expired")
        /// The offer code was redeemed as often as it can be.
        public static let offerExhausted = Self(rawValue: "offer_exhausted")
        /// The customer has redeemed the offer already.
        public static let offerAlreadyRedeemed = Self(rawValue: "offer_already_redeemed")
        /// The product is not for sale.
        public static let notForSale = Self(rawValue: "not_for_sale")
        /// The customer's payment method fails.
        public static let paymentDeclined = Self(rawValue: "payment_declined")
        /// The transaction is refunded or revoked already.
        public static let alreadyRefunded = Self(rawValue: "already_refunded")
        /// The command makes no sense in the state the subscription, the refund or the customer is in.
        public static let impossibleTransition = Self(rawValue: "impossible_transition")
        /// A value is out of its range, or not of its kind.
        public static let invalidArgument = Self(rawValue: "invalid_argument")
        /// The device has no network.
        public static let deviceOffline = Self(rawValue: "device_offline")
        /// The customer's device has no receipt.
        public static let noReceipt = Self(rawValue: "no_receipt")
        /// The simulator holds as many customers, transactions or notifications as it may.
        public static let limitReached = Self(rawValue: "limit_reached")
    }
}
