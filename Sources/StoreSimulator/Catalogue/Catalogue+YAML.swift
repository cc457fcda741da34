internal import AppStoreModels
internal import Basics
internal import ConfigurationReading
internal import Foundation

extension Catalogue {
    /// Parses a catalogue in YAML.
    ///
    /// ```yaml
    /// storefronts: [USA, DEU, {code: ISL, id: "143558", currency: USD}]
    /// groups:
    ///   - id: premium
    ///     name: Premium
    ///     subscriptions:
    ///       - id: com.example.premium.monthly
    ///         level: 1
    ///         period: P1M
    ///         price: 9.99
    ///         prices: {DEU: 10.99}
    ///         familyShareable: true
    ///         introductoryOffer: {mode: free, period: P1W}
    ///         offers:
    ///           - {id: save20, type: promotional, mode: payAsYouGo, period: P1M, periods: 3, price: 7.99}
    ///           - {id: WELCOME, type: offerCode, mode: free, period: P1M, eligibility: [new, expired]}
    ///           - {id: comeback, type: winBack, mode: payUpFront, period: P3M, price: 9.99}
    ///       - id: com.example.premium.yearly
    ///         period: P1Y
    ///         price: 99.99
    ///         billingPlans:
    ///           - {type: upfront, price: 99.99}
    ///           - {type: monthly, price: 8.99, commitment: 107.88}
    /// products:
    ///   - {id: com.example.coins, type: consumable, price: 0.99}
    ///   - {id: com.example.unlock, type: nonConsumable, price: 4.99, familyShareable: true}
    /// ```
    ///
    /// The keys, with the default values of optional ones in parentheses:
    ///
    /// - `storefronts` (`[USA]`): The codes of ``Storefront/known`` suffice; other storefronts need `code`, `id` and
    ///   `currency`. The first one is the default of new customers.
    /// - `groups` (none): Each has an `id`, a `name` and `subscriptions`.
    /// - A subscription: required are `id`, `period` and `price`; optional are `name`, `level` (1), `prices`,
    ///   `familyShareable` (false), `onSale` (true), `advancedCommerce` (false), `introductoryOffer`, `offers` and
    ///   `billingPlans`.
    /// - An offer: required are `id` (except for introductory offers), `type` (`promotional`, `offerCode`, `winBack`),
    ///   `mode` (`free`, `payAsYouGo`, `payUpFront`), `period`, and `price` unless the mode is `free`; optional is
    ///   `periods` (1). Offer codes can have `eligibility` (`new`, `existing`, `expired`; all three), `codes` (the
    ///   codes that customers can enter besides the `id`), `expires` (an instant), `redemptions` (the maximum number in
    ///   total) and `stacks` (whether the offer follows the introductory offer). Win-back offers can have `winBack`
    ///   with `paidMonths` (0), `monthsSinceExpiry` (0) and `monthsBetweenOffers` (none).
    /// - A billing plan: required are `type` (`upfront`, `monthly`) and `price`; optional are `commitment`, the price
    ///   of the whole commitment (the same as `price`), and `enabled` (true).
    /// - `products` (none): required are `id`, `type` (`consumable`, `nonConsumable`, `nonRenewing`) and `price`;
    ///   optional are `name`, `prices`, `familyShareable`, `onSale`, `advancedCommerce`, and `offers`, which are offer
    ///   codes with `id`, `price` (0) and the keys that limit their redemption.
    ///
    /// Prices are decimal numbers with at most three decimals and are stored exactly. Periods are in ISO 8601 with one
    /// unit: `P3D`, `P1W`, `P1M`, `P1Y`. YAML aliases, unknown keys, texts of more than 1 MiB and catalogues of more
    /// than 10,000 products are refused.
    ///
    /// - Throws: ``CatalogueError`` with every problem, its path in the file and its line. If the text is not YAML, the
    ///   error contains only the first problem.
    public init(yaml text: String) throws(CatalogueError) {
        do throws(ConfigurationProblems) {
            let root = try ConfigurationValue(yaml: text)
            let diagnostics = ConfigurationDiagnostics(unknownKeys: .areProblems)
            var reader = YAMLCatalogueReader()
            if var section = Section(root, path: "", diagnostics: diagnostics) { reader.read(&section) }
            diagnostics.add(CatalogueCheck(reader.catalogue, sourcePaths: reader.sourcePaths).problems)
            try diagnostics.finish()
            self = reader.catalogue
        } catch {
            throw CatalogueError(error)
        }
    }
}

/// Parses the sections of the YAML format. A default replaces each missing or invalid value, so that the remaining
/// values are checked, too. The diagnostics then prevent the use of the catalogue.
private struct YAMLCatalogueReader {
    private(set) var catalogue = Catalogue(products: [], storefronts: [])
    private(set) var sourcePaths: [CatalogueCheck.SourcePaths] = []

    mutating func read(_ root: inout Section) {
        if root.has("storefronts") {
            catalogue.storefronts = root.list("storefronts").compactMap {
                Self.storefront($0.value, path: $0.path, diagnostics: root.diagnostics)
            }
        } else {
            catalogue.storefronts = [.usa]
        }
        root.readEach("groups") { group in
            let id = group.requiredText("id") ?? ""
            catalogue.groups.append(SubscriptionGroup(id: id, name: group.text("name") ?? ""))
            group.readEach("subscriptions") { readSubscription(&$0, group: id) }
        }
        root.readEach("products") { readProduct(&$0) }
        root.finish()
    }

    private static func storefront(_ value: ConfigurationValue, path: String, diagnostics: ConfigurationDiagnostics)
        -> Storefront?
    {
        diagnostics.locate(path, line: value.line)
        if case .text(let code) = value.content {
            if let storefront = Storefront.known(code) { return storefront }
            diagnostics.problem(
                path,
                "\(quoted(code)) is not a storefront with a known number; write {code: …, id: …, currency: …}"
                    + SpellingSuggestion.suggestion(for: code, among: Storefront.known.map(\.code)))
            return nil
        }
        guard var section = Section(value, path: path, diagnostics: diagnostics) else { return nil }
        let code = section.requiredText("code") ?? ""
        let known = Storefront.known(code)
        let id = section.text("id") ?? known?.id ?? ""
        let currency = section.text("currency") ?? known?.currency ?? ""
        section.finish()
        return Storefront(code: code, id: id, currency: currency)
    }

    private mutating func readSubscription(_ section: inout Section, group: String) {
        section.require("period")
        var terms = SubscriptionTerms(
            group: group, level: section.number("level") ?? 1, period: section.period("period") ?? .month)
        var paths = CatalogueCheck.SourcePaths(
            product: section.path, introductoryOffer: section.path("introductoryOffer"))
        section.read("introductoryOffer") { terms.introductoryOffer = Self.offer(&$0, type: .introductory) }
        section.readEach("offers") { offer in
            offer.require("type")
            let identifier = offer.requiredText("id") ?? ""
            let type = offer.word("type", of: CatalogueValueNames.offerTypes) ?? .offerCode
            paths.offers.append(offer.path)
            terms.offers.append(Self.offer(&offer, type: type, identifier: identifier))
        }
        section.readEach("billingPlans") { terms.billingPlans.append(Self.billingPlan(&$0)) }
        var product = Self.product(&section, type: .autoRenewableSubscription)
        product.subscription = terms
        catalogue.products.append(product)
        sourcePaths.append(paths)
    }

    private mutating func readProduct(_ section: inout Section) {
        section.require("type")
        let type = section.word("type", of: CatalogueValueNames.productTypes) ?? .nonConsumable
        var paths = CatalogueCheck.SourcePaths(product: section.path)
        var product = Self.product(&section, type: type)
        section.readEach("offers") { offer in
            paths.offers.append(offer.path)
            var read = Offer(
                identifier: offer.requiredText("id") ?? "",
                type: offer.word("type", of: CatalogueValueNames.offerTypes) ?? .offerCode, discount: .oneTime,
                price: offer.price("price") ?? 0, eligibility: Self.eligibility(&offer))
            Self.readCode(&offer, into: &read)
            product.offers.append(read)
        }
        catalogue.products.append(product)
        sourcePaths.append(paths)
    }

    /// Parses the values that all types of products have.
    private static func product(_ section: inout Section, type: ProductType) -> Product {
        section.require("price")
        var prices: [String: Int64] = [:]
        if var section = section.section("prices") {
            for storefront in section.keys { prices[storefront] = section.price(storefront) }
        }
        return Product(
            id: section.requiredText("id") ?? "", type: type, name: section.text("name") ?? "",
            price: section.price("price") ?? 0, prices: prices,
            isFamilyShareable: section.flag("familyShareable") ?? false, isOnSale: section.flag("onSale") ?? true,
            isAdvancedCommerce: section.flag("advancedCommerce") ?? false)
    }

    private static func offer(_ section: inout Section, type: OfferType, identifier: String? = nil) -> Offer {
        section.require("mode", "period")
        var offer = Offer(
            identifier: identifier, type: type,
            discount: section.word("mode", of: CatalogueValueNames.discounts) ?? .freeTrial,
            period: section.period("period") ?? .month, periodCount: section.number("periods") ?? 1,
            price: section.price("price") ?? 0, eligibility: eligibility(&section))
        if offer.discount != .freeTrial { section.require("price") }
        if type != .introductory, var rules = section.section("winBack") {
            offer.winBack = .init(
                minimumPaidMonths: rules.number("paidMonths") ?? 0,
                minimumMonthsSinceExpiry: rules.number("monthsSinceExpiry") ?? 0,
                minimumMonthsBetweenOffers: rules.number("monthsBetweenOffers"))
            rules.finish()
        }
        readCode(&section, into: &offer)
        return offer
    }

    /// Parses the limits of an offer code.
    private static func readCode(_ section: inout Section, into offer: inout Offer) {
        guard offer.type == .offerCode else { return }
        offer.codes = section.texts("codes")?.map(\.text)
        offer.maximumRedemptions = section.number("redemptions")
        offer.stacksWithIntroductoryOffer = section.flag("stacks")
        offer.expires = section.parse("expires", orProblem: "is not an instant") {
            InstantText.milliseconds(iso8601: $0, acceptsDays: true).flatMap { Date(millisecondsSince1970: $0) }
        }
    }

    private static func eligibility(_ section: inout Section) -> [Offer.Audience]? {
        guard section.has("eligibility") else { return nil }
        return section.words("eligibility", of: CatalogueValueNames.audiences)
    }

    private static func billingPlan(_ section: inout Section) -> BillingPlan {
        section.require("type", "price")
        let price = section.price("price") ?? 0
        return BillingPlan(
            type: section.word("type", of: CatalogueValueNames.billingPlans) ?? .billedUpfront, price: price,
            commitmentPrice: section.price("commitment") ?? price, isEnabled: section.flag("enabled") ?? true)
    }
}
