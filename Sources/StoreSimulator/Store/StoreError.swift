/// Why the simulated store refuses a command. Nothing has changed.
public struct StoreError: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    /// What is wrong, for programs.
    public let code: Code
    /// What is wrong, for people: a sentence.
    public let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message.
    public var description: String { "\(code.rawValue): \(message)" }

    /// What can be wrong.
    public struct Code: RawRepresentable, Sendable, Hashable, Codable {
        /// Snake case.
        public let rawValue: String
        /// Takes any code.
        public init(rawValue: String) { self.rawValue = rawValue }

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
        /// The simulator holds as many customers, transactions or notifications as it may.
        public static let limitReached = Self(rawValue: "limit_reached")
    }
}
