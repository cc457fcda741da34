internal import AppStoreModels
internal import ConfigurationReading

extension Catalogue {
    /// Checks what the simulator relies on. Both readers do this themselves; a catalogue made in code should be checked
    /// once before it is used.
    ///
    /// - Throws: ``CatalogueError`` with every problem, its path in terms of these types: `products[2].offers[0].price`.
    public func validate() throws(CatalogueError) {
        let problems = CatalogueCheck(self, places: []).problems
        guard problems.isEmpty else { throw CatalogueError(problems: problems) }
    }
}

/// What a catalogue must be like.
struct CatalogueCheck {
    /// Where a product was read from, so that problems are told in terms of the file.
    struct Place {
        var product: String
        var introductoryOffer: String
        var offers: [String]
    }

    static let maximumProducts = 10_000
    static let maximumLevel = 1000
    /// More than the App Store has.
    private static let maximumStorefronts = 300
    /// Ten years. The App Store sells nothing longer than a year; dates must stay within what calendars can do.
    private static let maximumDays = 3660

    private(set) var problems: [CatalogueError.Problem] = []
    private let catalogue: Catalogue
    private let places: [Place]

    /// Checks `catalogue`. `places` has one for each product, or none at all.
    init(_ catalogue: Catalogue, places: [Place]) {
        self.catalogue = catalogue
        self.places = places
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
            if !Self.isCode(storefront.code) {
                add(path + ".code", "\(quoted(storefront.code)) is not three capital letters such as USA")
            } else if !codes.insert(storefront.code).inserted {
                add(path, "\(storefront.code) is there twice")
            }
            if !(1...12).contains(storefront.id.utf8.count)
                || !storefront.id.utf8.allSatisfy({ (48...57).contains($0) })
            {
                add(path + ".id", "\(quoted(storefront.id)) is not a number such as 143441")
            }
            if !Self.isCode(storefront.currency) {
                add(path + ".currency", "\(quoted(storefront.currency)) is not three capital letters such as USD")
            }
        }
    }

    private static func isCode(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
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

    /// Apple's rules are narrower for products and unknown for the rest; Xcode lets developers use what they like.
    private static func isIdentifier(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                !$0.properties.isWhitespace && $0.properties.generalCategory != .control
            }
    }

    private mutating func checkProducts() {
        let groups = Set(catalogue.groups.map(\.id))
        let storefronts = Set(catalogue.storefronts.map(\.code))
        var ids: Set<String> = []
        for (index, product) in catalogue.products.enumerated() {
            let place = index < places.count ? places[index] : nil
            let path = place?.product ?? "products[\(index)]"
            check(id: product.id, among: &ids, path + ".id")
            check(price: product.price, path + ".price")
            for (storefront, price) in product.prices.sorted(by: { $0.key < $1.key }) {
                let path = "\(path).prices.\(Self.isCode(storefront) ? storefront : quoted(storefront))"
                check(price: price, path)
                if !storefronts.contains(storefront) {
                    // Nobody reads the suggestions of a thousand problems.
                    let suggestion =
                        problems.count < 100 ? Spelling.suggestion(for: storefront, among: storefronts) : ""
                    add(path, "is a price for a storefront that is not listed" + suggestion)
                }
            }
            checkType(of: product, path)
            if let terms = product.subscription { check(terms, groups: groups, path, place) }
            check(product.subscription?.offers ?? product.offers, of: product, path, place)
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

    private mutating func check(_ terms: SubscriptionTerms, groups: Set<String>, _ path: String, _ place: Place?) {
        if !groups.contains(terms.group) { add(path + ".group", "there is no group \(quoted(terms.group))") }
        if !(1...Self.maximumLevel).contains(terms.level) {
            add(path + ".level", "\(terms.level) is not from 1 to \(Self.maximumLevel)")
        }
        if terms.period.approximateDays > Self.maximumDays { add(path + ".period", "is longer than ten years") }
        if let offer = terms.introductoryOffer {
            let path = place?.introductoryOffer ?? path + ".introductoryOffer"
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

    private mutating func check(_ offers: [Offer], of product: Product, _ path: String, _ place: Place?) {
        /// The App Store has separate lists for the three types.
        struct Key: Hashable {
            var type: OfferType
            var identifier: String
        }
        var keys: Set<Key> = []
        for (index, offer) in offers.enumerated() {
            let path =
                if let place, index < place.offers.count { place.offers[index] } else { "\(path).offers[\(index)]" }
            if let identifier = offer.identifier {
                if !Self.isOfferIdentifier(identifier) {
                    add(
                        path + ".id", identifier.isEmpty ? "is empty" : "\(quoted(identifier)) is longer than 255 bytes"
                    )
                } else if !keys.insert(Key(type: offer.type, identifier: identifier)).inserted {
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

    /// Reference names serve as identifiers of offer codes, and they have spaces.
    private static func isOfferIdentifier(_ text: String) -> Bool { (1...255).contains(text.utf8.count) }

    private mutating func checkSubscriptionDiscount(of offer: Offer, _ path: String) {
        if ![.freeTrial, .payAsYouGo, .payUpFront].contains(offer.discount) {
            add(path + ".mode", "is none of free, pay as you go and pay up front")
        }
        guard let period = offer.period else { return add(path + ".period", "is missing") }
        guard offer.periodCount >= 1 else { return }
        if (period.times(offer.periodCount)?.approximateDays ?? .max) > Self.maximumDays {
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
        guard let rules = offer.winBack else { return }
        if offer.type != .winBack { add(path + ".winBack", "only win-back offers have one") }
        if !(0...1200).contains(rules.paidMonths) { add(path + ".winBack.paidMonths", "is not from 0 to 1200") }
        if !(0...1200).contains(rules.monthsSinceExpiry) {
            add(path + ".winBack.monthsSinceExpiry", "is not from 0 to 1200")
        }
    }

    private mutating func check(price: Int64, _ path: String) {
        if price < 0 { add(path, "a price cannot be negative") }
        if price > Thousandths.maximum { add(path, "a price is at most \(Thousandths.maximum / 1000)") }
    }
}

extension Period {
    /// How many days it has at most.
    fileprivate var approximateDays: Int {
        switch unit {
        case .day: count
        case .week: count * 7
        case .month: count * 31
        case .year: count * 366
        }
    }
}
