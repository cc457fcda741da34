internal import AppStoreModels
internal import Basics
internal import ConfigurationReading

extension Catalogue {
    /// Checks the requirements of the simulator. The parsers of both formats call the same checks. Call this once for
    /// catalogues that are created in code.
    ///
    /// - Throws: ``CatalogueError`` with every problem. Paths are in terms of these types:
    ///   `products[2].offers[0].price`.
    public func validate() throws(CatalogueError) {
        let problems = CatalogueCheck(self, sourcePaths: []).problems
        guard problems.isEmpty else { throw CatalogueError(problems: problems) }
    }
}

/// Checks a catalogue.
struct CatalogueCheck {
    /// The paths of a product and its offers in a file. Problems are reported with these paths.
    struct SourcePaths {
        var product: String
        var introductoryOffer = ""
        var offers: [String] = []
    }

    static let maximumProducts = 10_000
    static let maximumLevel = 1000
    /// The maximum number of storefronts, more than the App Store has.
    private static let maximumStorefronts = 300
    /// Ten years. The App Store has no periods longer than a year; the limit keeps dates within the range of calendars.
    private static let maximumDays = 3660

    private(set) var problems: [CatalogueError.Problem] = []
    private let catalogue: Catalogue
    private let sourcePaths: [SourcePaths]

    /// Checks `catalogue`. `sourcePaths` has an element for each product, or is empty.
    init(_ catalogue: Catalogue, sourcePaths: [SourcePaths]) {
        self.catalogue = catalogue
        self.sourcePaths = sourcePaths
        guard catalogue.products.count <= Self.maximumProducts else {
            add("products", "more than \(Self.maximumProducts)")
            return
        }
        guard catalogue.storefronts.count <= Self.maximumStorefronts else {
            add("storefronts", "more than \(Self.maximumStorefronts)")
            return
        }
        checkStorefronts()
        checkGroups()
        checkProducts()
    }

    private mutating func add(_ path: String, _ message: String) {
        problems.append(.init(path: path, message: message))
    }

    private mutating func checkStorefronts() {
        if catalogue.storefronts.isEmpty { add("storefronts", "at least one is needed") }
        var codes: Set<String> = []
        for (index, storefront) in catalogue.storefronts.enumerated() {
            let path = "storefronts[\(index)]"
            if !storefront.code.isThreeLetterCode {
                add(path + ".code", "\(quoted(storefront.code)) is not three capital letters such as USA")
            } else if !codes.insert(storefront.code).inserted {
                add(path, "\(storefront.code) is there twice")
            }
            if !storefront.id.isDigits(upTo: 12) {
                add(path + ".id", "\(quoted(storefront.id)) is not a number such as 143441")
            }
            if !storefront.currency.isThreeLetterCode {
                add(path + ".currency", "\(quoted(storefront.currency)) is not three capital letters such as USD")
            }
        }
    }

    private mutating func checkGroups() {
        var ids: Set<String> = []
        for (index, group) in catalogue.groups.enumerated() {
            check(id: group.id, among: &ids, "groups[\(index)].id")
        }
    }

    private mutating func check(id: String, among ids: inout Set<String>, _ path: String) {
        if !Self.isIdentifier(id) {
            add(
                path,
                id.isEmpty ? "is empty" : "\(quoted(id)) has spaces or control characters or is longer than 255 bytes")
        } else if !ids.insert(id).inserted {
            add(path, "\(quoted(id)) is there twice")
        }
    }

    /// Whether `text` can be an identifier. Apple's rules are stricter for products and unknown for groups; Xcode
    /// accepts any text.
    private static func isIdentifier(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && !text.hasSpacesOrControlCharacters
    }

    private mutating func checkProducts() {
        let groups = Set(catalogue.groups.map(\.id))
        let storefronts = Set(catalogue.storefronts.map(\.code))
        var ids: Set<String> = []
        for (index, product) in catalogue.products.enumerated() {
            let paths = index < sourcePaths.count ? sourcePaths[index] : nil
            let path = paths?.product ?? "products[\(index)]"
            check(id: product.id, among: &ids, path + ".id")
            check(price: product.price, path + ".price")
            for (storefront, price) in product.prices.sorted(by: { $0.key < $1.key }) {
                let path = "\(path).prices.\(storefront.isThreeLetterCode ? storefront : quoted(storefront))"
                check(price: price, path)
                if !storefronts.contains(storefront) {
                    // Suggestions are slow and of no use for hundreds of problems.
                    let suggestion =
                        problems.count < 100 ? SpellingSuggestion.suggestion(for: storefront, among: storefronts) : ""
                    add(path, "is a price for a storefront that is not listed" + suggestion)
                }
            }
            checkType(of: product, path)
            if let terms = product.subscription { check(terms, groups: groups, path, paths) }
            check(product.subscription?.offers ?? product.offers, of: product, path, paths)
        }
    }

    private mutating func checkType(of product: Product, _ path: String) {
        switch product.type {
        case .autoRenewableSubscription:
            if product.subscription == nil { add(path, "has no period, though it is an auto-renewable subscription") }
            if !product.offers.isEmpty {
                add(path + ".offers", "of an auto-renewable subscription belong to its terms")
            }
        case .consumable, .nonConsumable, .nonRenewingSubscription:
            if product.subscription != nil { add(path, "has a period, though it is no auto-renewable subscription") }
        default: add(path + ".type", "\(quoted(product.type.rawValue)) is not a kind of product")
        }
        if product.isFamilyShareable, ![.autoRenewableSubscription, .nonConsumable].contains(product.type) {
            add(
                path + ".familyShareable",
                "only auto-renewable subscriptions and non-consumables can be shared with the family")
        }
    }

    private mutating func check(_ terms: SubscriptionTerms, groups: Set<String>, _ path: String, _ paths: SourcePaths?)
    {
        if !groups.contains(terms.group) { add(path + ".group", "there is no group \(quoted(terms.group))") }
        if !(1...Self.maximumLevel).contains(terms.level) {
            add(path + ".level", "\(terms.level) is not from 1 to \(Self.maximumLevel)")
        }
        if terms.period.approximateDays > Self.maximumDays { add(path + ".period", "is longer than ten years") }
        if let offer = terms.introductoryOffer {
            let path = paths?.introductoryOffer ?? path + ".introductoryOffer"
            if offer.type != .introductory { add(path + ".type", "is not introductory") }
            if offer.identifier != nil { add(path + ".id", "introductory offers have none") }
            check(offer, path)
            checkSubscriptionDiscount(of: offer, path)
        }
        var types: Set<BillingPlanType> = []
        for (index, plan) in terms.billingPlans.enumerated() {
            let path = "\(path).billingPlans[\(index)]"
            if !types.insert(plan.type).inserted { add(path + ".type", "is there twice") }
            if ![.billedUpfront, .monthly].contains(plan.type) {
                add(path + ".type", "\(quoted(plan.type.rawValue)) is not a kind of billing plan")
            }
            check(price: plan.price, path + ".price")
            check(price: plan.commitmentPrice, path + ".commitment")
        }
    }

    private mutating func check(_ offers: [Offer], of product: Product, _ path: String, _ paths: SourcePaths?) {
        // Identifiers are unique within a type: the App Store has separate lists for the three types.
        var identifiers: [OfferType: Set<String>] = [:]
        for (index, offer) in offers.enumerated() {
            let path =
                if let paths, index < paths.offers.count { paths.offers[index] } else { "\(path).offers[\(index)]" }
            if let identifier = offer.identifier {
                if !Self.isOfferIdentifier(identifier) {
                    add(
                        path + ".id", identifier.isEmpty ? "is empty" : "\(quoted(identifier)) is longer than 255 bytes"
                    )
                } else if !identifiers[offer.type, default: []].insert(identifier).inserted {
                    add(path + ".id", "\(quoted(identifier)) is there twice")
                }
            } else {
                add(path + ".id", "is missing")
            }
            check(offer, path)
            if product.subscription != nil {
                if ![.promotional, .offerCode, .winBack].contains(offer.type) {
                    add(path + ".type", "is none of promotional, offer code and win-back")
                }
                checkSubscriptionDiscount(of: offer, path)
            } else {
                if offer.type != .offerCode { add(path + ".type", "only subscriptions have offers other than codes") }
                if offer.discount != .oneTime { add(path + ".mode", "only subscriptions have offers that last") }
                if offer.period != nil { add(path + ".period", "only subscriptions have offers that last") }
            }
        }
    }

    /// Whether `text` can be the identifier of an offer. Offer codes use reference names, which can contain spaces.
    private static func isOfferIdentifier(_ text: String) -> Bool { (1...255).contains(text.utf8.count) }

    private mutating func checkSubscriptionDiscount(of offer: Offer, _ path: String) {
        if ![.freeTrial, .payAsYouGo, .payUpFront].contains(offer.discount) {
            add(path + ".mode", "is none of free, pay as you go and pay up front")
        }
        guard let period = offer.period else { return add(path + ".period", "is missing") }
        guard offer.periodCount >= 1 else { return }
        if (period.multiplied(by: offer.periodCount)?.approximateDays ?? .max) > Self.maximumDays {
            add(path + ".periods", "make the offer longer than ten years")
        }
    }

    private mutating func check(_ offer: Offer, _ path: String) {
        check(price: offer.price, path + ".price")
        if offer.discount == .freeTrial, offer.price != 0 { add(path + ".price", "a free offer has none") }
        if offer.periodCount < 1 { add(path + ".periods", "\(offer.periodCount) is less than 1") }
        if offer.eligibility != nil, offer.type != .offerCode {
            add(path + ".eligibility", "only offer codes have one")
        }
        if let limit = offer.maximumRedemptions, !(1...1_000_000).contains(limit) {
            add(path + ".redemptions", "is not from 1 to 1000000")
        }
        guard let rules = offer.winBack else { return }
        if offer.type != .winBack { add(path + ".winBack", "only win-back offers have one") }
        if !(0...1200).contains(rules.minimumPaidMonths) { add(path + ".winBack.paidMonths", "is not from 0 to 1200") }
        if !(0...1200).contains(rules.minimumMonthsSinceExpiry) {
            add(path + ".winBack.monthsSinceExpiry", "is not from 0 to 1200")
        }
        if let months = rules.minimumMonthsBetweenOffers, !(1...1200).contains(months) {
            add(path + ".winBack.monthsBetweenOffers", "is not from 1 to 1200")
        }
    }

    private mutating func check(price: Int64, _ path: String) {
        if price < 0 { add(path, "a price cannot be negative") }
        if price > PriceParser.maximum { add(path, "a price is at most \(PriceParser.maximum / 1000)") }
    }
}

extension String {
    // Other spaces, such as U+00A0 and U+3000, look like the one of ASCII.
    var hasSpacesOrControlCharacters: Bool {
        unicodeScalars.contains { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
    }

    /// Whether the text has the form of an alpha-3 country code or a currency code: three capital letters.
    var isThreeLetterCode: Bool {
        utf8.count == 3 && utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}

extension Period {
    /// The maximum number of days in the period.
    fileprivate var approximateDays: Int {
        switch unit {
        case .day: count
        case .week: count * 7
        case .month: count * 31
        case .year: count * 366
        }
    }
}
