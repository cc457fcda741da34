internal import AppStoreModels
internal import Basics
internal import Foundation

/// The validated filters of a transaction history request.
struct HistoryQuery {
    var startDate: Date?
    var endDate: Date?
    var products: Set<String>
    var types: Set<ProductType>
    var isDescending: Bool
    var groups: Set<String>
    var ownership: InAppOwnershipType?
    var revoked: Bool?
    var excludesRevoked: Bool
    var revision: String?

    private typealias Kind = TransactionHistoryRequest.ProductKind
    private typealias Order = TransactionHistoryRequest.Order

    private static let types: [Kind: ProductType] = [
        .autoRenewable: .autoRenewableSubscription, .nonRenewable: .nonRenewingSubscription,
        .consumable: .consumable, .nonConsumable: .nonConsumable,
    ]

    init(_ query: String, _ catalogue: Catalogue) throws(APIFailure) {
        let query = try QueryParameters(query)
        startDate = try query.date("startDate", or: .invalidStartDate)
        endDate = try query.date("endDate", or: .invalidEndDate)
        if let startDate, let endDate, endDate <= startDate {
            throw APIFailure(.invalidEndDate, "endDate is not later than startDate.")
        }
        products = Set(try query.strings("productId", or: .invalidProductId))
        for product in products { try catalogue.checkProduct(product) }
        let kinds = try query.values("productType", of: Array(Self.types.keys), or: .invalidProductType)
        types = Set(kinds.compactMap { Self.types[$0] })
        let sort = try query.value("sort", of: [Order.ascending, .descending], or: .invalidSort)
        isDescending = sort == .descending
        groups = Set(try query.strings("subscriptionGroupIdentifier", or: .invalidSubscriptionGroupIdentifier))
        for group in groups where !group.isIdentifier && !catalogue.groups.contains(where: { $0.id.isExactly(group) }) {
            throw APIFailure(.invalidSubscriptionGroupIdentifier, "A group's identifier is a number.")
        }
        ownership = try query.value(
            "inAppOwnershipType", of: [InAppOwnershipType.purchased, .familyShared], or: .invalidInAppOwnershipType)
        revoked = try query.bool("revoked", or: .invalidRevoked)
        excludesRevoked = try query.bool("excludeRevoked", or: .invalidExcludeRevoked) ?? false
        revision = try query.string("revision", or: .invalidRequestRevision)
    }

    /// Whether a transaction matches: different filters combine with "and", several values of one filter with "or".
    func accepts(_ payload: JWSTransactionDecodedPayload) -> Bool {
        let isRevoked = payload.revocationDate != nil
        return startDate.map { payload.purchaseDate >= $0 } ?? true
            && endDate.map { payload.purchaseDate < $0 } ?? true
            && (products.isEmpty || products.contains(payload.productId))
            && (types.isEmpty || types.contains(payload.type))
            && (groups.isEmpty || payload.subscriptionGroupIdentifier.map(groups.contains) ?? false)
            && ownership.map { payload.inAppOwnershipType == $0 } ?? true
            && revoked.map { isRevoked == $0 } ?? true
            && !(excludesRevoked && isRevoked)
    }

    /// The filters as text, independent of the order of the parameters. A `revision` is bound to them.
    var canonical: [String] {
        [
            "\(startDate?.millisecondsSince1970 ?? -1)", "\(endDate?.millisecondsSince1970 ?? -1)",
            isDescending ? "descending" : "ascending", ownership?.rawValue ?? "", "\(revoked.map(String.init) ?? "")",
            "\(excludesRevoked)", "products",
        ] + products.sorted() + ["types"] + types.map(\.rawValue).sorted() + ["groups"] + groups.sorted()
    }
}

extension Catalogue {
    /// Throws if `id` cannot be a product identifier. The product need not exist.
    func checkProduct(_ id: String) throws(APIFailure) {
        let isPossible =
            (1...255).contains(id.utf8.count)
            && id.utf8.allSatisfy { $0.isASCIIAlphanumeric || [0x2D, 0x2E, 0x5F].contains($0) }
        guard isPossible || product(id) != nil else {
            throw APIFailure(.invalidProductId, "A product's identifier has letters, digits, '.', '_' and '-'.")
        }
    }
}
