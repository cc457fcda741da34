// The declarations of StoreKit that the adapter uses or might use wrongly, without implementations, for the compiler only.
//
// Written from Apple's documentation. Each declaration names its page below developer.apple.com/documentation/storekit and
// the first systems that have it. Scripts/check-storekit compiles this file with library evolution, like the framework, and
// reads the systems. The file belongs to no package, because on a Mac it would hide the framework.
// swift-format-ignore-file
public import Foundation

/// verificationresult · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
@frozen public enum VerificationResult<SignedType> {
    case unverified(SignedType, VerificationError)
    case verified(SignedType)

    /// verificationresult/verificationerror · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public enum VerificationError: Error { case revokedCertificate, invalidCertificateChain, invalidDeviceVerification, invalidEncoding, invalidSignature, missingRequiredProperties }

    /// verificationresult/unsafepayloadvalue · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var unsafePayloadValue: SignedType { fatalError() }
    /// verificationresult/payloadvalue · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var payloadValue: SignedType { get throws { fatalError() } }
}
extension VerificationResult: Sendable where SignedType: Sendable {}
extension VerificationResult where SignedType == Transaction {
    /// verificationresult/jwsrepresentation-21vgo · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var jwsRepresentation: String { fatalError() }
}
extension VerificationResult where SignedType == Product.SubscriptionInfo.RenewalInfo {
    /// verificationresult/jwsrepresentation-178oj · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var jwsRepresentation: String { fatalError() }
}
extension VerificationResult where SignedType == AppTransaction {
    /// verificationresult/jwsrepresentation · iOS 16, macOS 13, tvOS 16, watchOS 9, visionOS 1
    public var jwsRepresentation: String { fatalError() }
}

/// transaction · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
public struct Transaction: Hashable, Identifiable, Sendable {
    init() {}
    /// transaction/id · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var id: UInt64 { fatalError() }
    /// transaction/originalid · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var originalID: UInt64 { fatalError() }
    /// transaction/productid · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var productID: String { fatalError() }
    /// transaction/producttype · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var productType: Product.ProductType { fatalError() }
    /// transaction/purchasedquantity · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var purchasedQuantity: Int { fatalError() }
    /// transaction/purchasedate · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var purchaseDate: Date { fatalError() }
    /// transaction/expirationdate · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var expirationDate: Date? { fatalError() }
    /// transaction/revocationdate · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var revocationDate: Date? { fatalError() }
    /// transaction/isupgraded · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var isUpgraded: Bool { fatalError() }
    /// transaction/appaccounttoken · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var appAccountToken: UUID? { fatalError() }
    /// transaction/subscriptiongroupid · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var subscriptionGroupID: String? { fatalError() }
    /// transaction/signeddate · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var signedDate: Date { fatalError() }
    /// transaction/ownershiptype-swift.property · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var ownershipType: OwnershipType { fatalError() }
    /// transaction/environment · iOS 16, macOS 13, tvOS 16, watchOS 9, visionOS 1
    public var environment: AppStore.Environment { fatalError() }
    /// transaction/environmentstringrepresentation · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    @available(*, deprecated, message: "use environment") public var environmentStringRepresentation: String { fatalError() }
    /// transaction/apptransactionid · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var appTransactionID: String { fatalError() }
    /// transaction/revocationreason-swift.property · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var revocationReason: RevocationReason? { fatalError() }
    /// transaction/offertype-swift.property · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    @available(*, deprecated, message: "use offer") public var offerType: OfferType? { fatalError() }
    /// transaction/reason-swift.property · iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1
    public var reason: Reason { fatalError() }
    /// transaction/finish() · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public func finish() async {}
    /// transaction/updates · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public static var updates: Transactions { fatalError() }
    /// transaction/all · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public static var all: Transactions { fatalError() }
    /// transaction/unfinished · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public static var unfinished: Transactions { fatalError() }
    /// transaction/currententitlements · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public static var currentEntitlements: Transactions { fatalError() }
    /// transaction/latest(for:) · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public static func latest(for productID: String) async -> VerificationResult<Transaction>? { fatalError() }

    /// transaction/ownershiptype-swift.struct · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public struct OwnershipType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// transaction/ownershiptype-swift.struct/familyshared · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static var familyShared: OwnershipType { fatalError() }
        /// transaction/ownershiptype-swift.struct/purchased · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static var purchased: OwnershipType { fatalError() }
    }

    /// transaction/revocationreason-swift.struct · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public struct RevocationReason: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// transaction/revocationreason-swift.struct/developerissue · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static var developerIssue: RevocationReason { fatalError() }
        /// transaction/revocationreason-swift.struct/other · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static var other: RevocationReason { fatalError() }
    }

    /// transaction/offertype-swift.struct · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public struct OfferType: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// transaction/offertype-swift.struct/introductory · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static var introductory: OfferType { fatalError() }
        /// transaction/offertype-swift.struct/promotional · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static var promotional: OfferType { fatalError() }
        /// transaction/offertype-swift.struct/code · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static var code: OfferType { fatalError() }
        /// transaction/offertype-swift.struct/winback · iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2
        public static var winBack: OfferType { fatalError() }
    }

    /// transaction/reason-swift.struct · iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1
    public struct Reason: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// transaction/reason-swift.struct/purchase · iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1
        public static var purchase: Reason { fatalError() }
        /// transaction/reason-swift.struct/renewal · iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1
        public static var renewal: Reason { fatalError() }
    }

    /// transaction/transactions · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public struct Transactions: AsyncSequence, Sendable {
        public typealias Element = VerificationResult<Transaction>
        public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
            public mutating func next() async -> VerificationResult<Transaction>? { fatalError() }
        }
        public func makeAsyncIterator() -> AsyncIterator { fatalError() }
    }
}

/// product · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
public struct Product: Hashable, Identifiable, Sendable {
    init() {}
    /// product/id · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var id: String { fatalError() }
    /// product/type · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var type: ProductType { fatalError() }
    /// product/displayname · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var displayName: String { fatalError() }
    /// product/description · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var description: String { fatalError() }
    /// product/price · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var price: Decimal { fatalError() }
    /// product/displayprice · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var displayPrice: String { fatalError() }
    /// product/subscription · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var subscription: SubscriptionInfo? { fatalError() }
    /// product/products(for:) · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public static func products<Identifiers>(for identifiers: Identifiers) async throws -> [Product] where Identifiers: Collection, Identifiers.Element == String { fatalError() }
    /// product/purchase(options:) · iOS 15, macOS 12, tvOS 15, watchOS 8
    @MainActor public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult { fatalError() }

    /// product/producttype · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public struct ProductType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        /// product/producttype/consumable · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static var consumable: ProductType { fatalError() }
        /// product/producttype/nonconsumable · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static var nonConsumable: ProductType { fatalError() }
        /// product/producttype/autorenewable · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static var autoRenewable: ProductType { fatalError() }
        /// product/producttype/nonrenewable · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static var nonRenewable: ProductType { fatalError() }
    }

    /// product/purchaseresult · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public enum PurchaseResult: Sendable {
        case success(VerificationResult<Transaction>)
        case userCancelled
        case pending
    }

    /// product/purchaseerror · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public enum PurchaseError: Error { case invalidQuantity, productUnavailable, purchaseNotAllowed, ineligibleForOffer, invalidOfferIdentifier, invalidOfferPrice, invalidOfferSignature, missingOfferParameters }

    /// product/purchaseoption · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public struct PurchaseOption: Hashable, Sendable {
        /// product/purchaseoption/appaccounttoken(_:) · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static func appAccountToken(_ token: UUID) -> PurchaseOption { fatalError() }
        /// product/purchaseoption/quantity(_:) · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static func quantity(_ quantity: Int) -> PurchaseOption { fatalError() }
        /// product/purchaseoption/promotionaloffer(_:compactjws:) · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static func promotionalOffer(_ offerID: String, compactJWS: String) -> [PurchaseOption] { fatalError() }
        /// product/purchaseoption/introductoryoffereligibility(compactjws:) · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static func introductoryOfferEligibility(compactJWS: String) -> PurchaseOption { fatalError() }
        /// product/purchaseoption/winbackoffer(_:) · iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2
        public static func winBackOffer(_ offer: SubscriptionOffer) -> PurchaseOption { fatalError() }
        /// product/purchaseoption/simulatesasktobuyinsandbox(_:) · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static func simulatesAskToBuyInSandbox(_ simulateAskToBuy: Bool) -> PurchaseOption { fatalError() }
    }

    /// product/subscriptionoffer · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public struct SubscriptionOffer: Hashable, Sendable {
        /// product/subscriptionoffer/id · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public var id: String? { fatalError() }
    }

    /// product/subscriptioninfo · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public struct SubscriptionInfo: Hashable, Sendable {
        /// product/subscriptioninfo/subscriptiongroupid · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public var subscriptionGroupID: String { fatalError() }
        /// product/subscriptioninfo/winbackoffers · iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2
        public var winBackOffers: [SubscriptionOffer] { fatalError() }
        /// product/subscriptioninfo/status(for:) · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public static func status(for groupID: String) async throws -> [Status] { fatalError() }

        /// product/subscriptioninfo/renewalstate · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public struct RenewalState: RawRepresentable, Hashable, Sendable {
            public let rawValue: Int
            public init(rawValue: Int) { self.rawValue = rawValue }
            /// product/subscriptioninfo/renewalstate/subscribed · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
            public static var subscribed: RenewalState { fatalError() }
            /// product/subscriptioninfo/renewalstate/expired · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
            public static var expired: RenewalState { fatalError() }
            /// product/subscriptioninfo/renewalstate/inbillingretryperiod · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
            public static var inBillingRetryPeriod: RenewalState { fatalError() }
            /// product/subscriptioninfo/renewalstate/ingraceperiod · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
            public static var inGracePeriod: RenewalState { fatalError() }
            /// product/subscriptioninfo/renewalstate/revoked · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
            public static var revoked: RenewalState { fatalError() }
        }

        /// product/subscriptioninfo/renewalinfo · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public struct RenewalInfo: Hashable, Sendable {
            /// product/subscriptioninfo/renewalinfo/originaltransactionid · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
            public var originalTransactionID: UInt64 { fatalError() }
            /// product/subscriptioninfo/renewalinfo/signeddate · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
            public var signedDate: Date { fatalError() }
            /// product/subscriptioninfo/renewalinfo/graceperiodexpirationdate · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
            public var gracePeriodExpirationDate: Date? { fatalError() }
            /// product/subscriptioninfo/renewalinfo/willautorenew · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
            public var willAutoRenew: Bool { fatalError() }
        }

        /// product/subscriptioninfo/status-swift.struct · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
        public struct Status: Hashable, Sendable {
            /// product/subscriptioninfo/status-swift.struct/state · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
            public var state: RenewalState { fatalError() }
            /// product/subscriptioninfo/status-swift.struct/transaction · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
            public var transaction: VerificationResult<Transaction> { fatalError() }
            /// product/subscriptioninfo/status-swift.struct/renewalinfo · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
            public var renewalInfo: VerificationResult<RenewalInfo> { fatalError() }
            /// product/subscriptioninfo/status-swift.struct/updates · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
            public static var updates: Statuses { fatalError() }
            /// product/subscriptioninfo/status-swift.struct/all · iOS 17, macOS 14, tvOS 17, watchOS 10, visionOS 1
            public static var all: AsyncStream<(groupID: String, statuses: [Status])> { fatalError() }
            public static func == (left: Status, right: Status) -> Bool { fatalError() }
            public func hash(into hasher: inout Hasher) {}

            /// product/subscriptioninfo/status-swift.struct/statuses · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
            public struct Statuses: AsyncSequence, Sendable {
                public typealias Element = Status
                public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
                    public mutating func next() async -> Status? { fatalError() }
                }
                public func makeAsyncIterator() -> AsyncIterator { fatalError() }
            }
        }
    }
}

/// apptransaction · iOS 16, macOS 13, tvOS 16, watchOS 9, visionOS 1
public struct AppTransaction: Hashable, Sendable {
    /// apptransaction/shared · iOS 16, macOS 13, tvOS 16, watchOS 9, visionOS 1
    public static var shared: VerificationResult<AppTransaction> { get async throws { fatalError() } }
    /// apptransaction/refresh() · iOS 16, macOS 13, tvOS 16, watchOS 9, visionOS 1
    public static func refresh() async throws -> VerificationResult<AppTransaction> { fatalError() }
}

/// appstore · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
public enum AppStore {
    /// appstore/sync() · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public static func sync() async throws {}
    /// appstore/environment · iOS 16, macOS 13, tvOS 16, watchOS 9, visionOS 1
    public struct Environment: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

/// storekiterror · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
public enum StoreKitError: Error {
    case unknown
    case userCancelled
    case networkError(URLError)
    case systemError(any Error)
    case notAvailableInStorefront
    case notEntitled
    case unsupported
}

/// storefront · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
public struct Storefront: Hashable, Identifiable, Sendable {
    init() {}
    /// storefront/id · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var id: String { fatalError() }
    /// storefront/countrycode · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public var countryCode: String { fatalError() }
    /// storefront/current · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public static var current: Storefront? { get async { fatalError() } }
    /// storefront/updates · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public static var updates: Storefronts { fatalError() }

    /// storefront/storefronts · iOS 15, macOS 12, tvOS 15, watchOS 8, visionOS 1
    public struct Storefronts: AsyncSequence, Sendable {
        public typealias Element = Storefront
        public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
            public mutating func next() async -> Storefront? { fatalError() }
        }
        public func makeAsyncIterator() -> AsyncIterator { fatalError() }
    }
}

/// purchaseintent · iOS 16.4, macOS 14.4
public struct PurchaseIntent: Hashable, Identifiable, Sendable {
    init() {}
    /// purchaseintent/id · iOS 16.4, macOS 14.4
    public var id: Product.ID { fatalError() }
    /// purchaseintent/product · iOS 16.4, macOS 14.4
    public var product: Product { fatalError() }
    /// purchaseintent/intents · iOS 16.4, macOS 14.4
    public static var intents: PurchaseIntents { fatalError() }

    /// purchaseintent/purchaseintents · iOS 16.4, macOS 14.4
    public struct PurchaseIntents: AsyncSequence {
        public typealias Element = PurchaseIntent
        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async -> PurchaseIntent? { fatalError() }
        }
        public func makeAsyncIterator() -> AsyncIterator { fatalError() }
    }
}

/// message · iOS 16, visionOS 1
public struct Message: Sendable {
    init() {}
    /// message/reason-swift.property · iOS 16, visionOS 1
    public var reason: Reason { fatalError() }

    /// message/reason-swift.struct · iOS 16, visionOS 1
    public struct Reason: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// message/reason-swift.struct/generic · iOS 16, visionOS 1
        public static var generic: Reason { fatalError() }
        /// message/reason-swift.struct/priceincreaseconsent · iOS 16, visionOS 1
        public static var priceIncreaseConsent: Reason { fatalError() }
        /// message/reason-swift.struct/billingissue · iOS 16.4, visionOS 1
        public static var billingIssue: Reason { fatalError() }
        /// message/reason-swift.struct/winbackoffer · iOS 18, visionOS 2
        public static var winBackOffer: Reason { fatalError() }
    }
}
