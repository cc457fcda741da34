internal import AppStoreModels
internal import ConfigurationReading

/// Parses the sections of a `.storekit` file. Only the keys without which a product cannot be sold are required.
struct StoreKitReader {
    private static let newestFormat = 5

    private(set) var catalogue = Catalogue(products: [])
    private(set) var sourcePaths: [CatalogueCheck.SourcePaths] = []
    private(set) var settings = StoreKitConfiguration.Settings()
    private(set) var hasOfferKey = false
    private(set) var formatVersion: Int?
    let diagnostics: ConfigurationDiagnostics

    mutating func read(_ root: inout Section) {
        root.ignore("identifier", "appPolicies")
        hasOfferKey = root.has("subscriptionOffersKeyPair")
        root.read("version") { version in
            version.ignore("minor")
            formatVersion = version.number("major")
        }
        if let formatVersion, !(1...Self.newestFormat).contains(formatVersion) {
            diagnostics.note(
                "version \(formatVersion) of the format is not known; read as version \(Self.newestFormat)")
        }
        root.read("settings") { readSettings(&$0) }
        for key in ["products", "nonRenewingSubscriptions"] {
            root.readEach(key) { readProduct(&$0) }
        }
        root.readEach("subscriptionGroups") { group in
            group.ignore("localizations")
            let id = group.requiredText("id") ?? ""
            catalogue.groups.append(SubscriptionGroup(id: id, name: group.text("name") ?? ""))
            group.readEach("subscriptions") { readSubscription(&$0, group: id) }
        }
        root.finish()
    }

    private mutating func readSettings(_ section: inout Section) {
        section.ignore(
            "_compatibilityTimeRate", "_locale", "_disableDialogs", "_applicationInternalID", "_developerTeamID",
            "_lastSynchronizedDate")
        if let number = section.number("_timeRate") {
            settings.renewalRate = RenewalRate(storeKitValue: number)
            if settings.renewalRate == nil { diagnostics.note("settings._timeRate: there is no rate \(number)") }
        }
        settings.isBillingGracePeriodEnabled = section.flag("_billingGracePeriodEnabled") ?? false
        settings.areRenewalBillingIssuesEnabled = section.flag("_renewalBillingIssuesEnabled") ?? false
        settings.areBillingIssuesEnabled = section.flag("_billingIssuesEnabled") ?? false
        settings.isAskToBuyEnabled = section.flag("_askToBuyEnabled") ?? false
        if section.flag("_failTransactionsEnabled") ?? false {
            diagnostics.note("settings._failTransactionsEnabled: purchases do not fail by themselves here")
        }
        for var error in section.sections("_storeKitErrors") {
            guard error.flag("enabled") ?? false else { continue }
            diagnostics.note("\(error.path): the error \(quoted(error.text("name") ?? "")) is not simulated")
        }
        settings.storefront = section.text("_storefront")
        if let code = settings.storefront {
            if let storefront = Storefront.known(code) {
                catalogue.storefronts = [storefront]
            } else {
                diagnostics.note("settings._storefront: \(quoted(code)) is not known; the storefront is USA")
            }
        }
    }

    private mutating func readProduct(_ section: inout Section) {
        section.require("type")
        let type = section.word("type", of: CatalogueValueNames.productTypes) ?? .nonConsumable
        var paths = CatalogueCheck.SourcePaths(product: section.path)
        var product = Self.product(&section, type: type)
        section.readEach("codeOffers") { offer in
            offer.ignore("internalID", "isStackable", "paymentMode", "subscriptionPeriod", "numberOfPeriods")
            paths.offers.append(offer.path)
            product.offers.append(
                Offer(
                    identifier: identifier(&offer), type: .offerCode, discount: .oneTime,
                    price: offer.price("displayPrice") ?? 0, eligibility: eligibility(&offer)))
        }
        catalogue.products.append(product)
        sourcePaths.append(paths)
    }

    private mutating func readSubscription(_ section: inout Section, group: String) {
        // The enclosing group determines the group, and the type is always the same.
        section.ignore("subscriptionGroupID", "type")
        section.require("recurringSubscriptionPeriod")
        var terms = SubscriptionTerms(
            group: group, level: section.number("groupNumber") ?? 1,
            period: section.period("recurringSubscriptionPeriod") ?? .month)
        var paths = CatalogueCheck.SourcePaths(
            product: section.path, introductoryOffer: section.path("introductoryOffer"))
        // Format 5 has the single offer and a list that repeats it.
        let introductoryOffers = section.sections("introductoryOffers")
        if introductoryOffers.count > 1 {
            diagnostics.note("\(section.path("introductoryOffers")): only one introductory offer is used")
        }
        if var offer = section.section("introductoryOffer") ?? introductoryOffers.first {
            paths.introductoryOffer = offer.path
            offer.ignore("offerID", "referenceName")
            terms.introductoryOffer = read(&offer, type: .introductory)
        }
        for (key, type) in [
            ("adHocOffers", OfferType.promotional), ("codeOffers", .offerCode), ("winbackOffers", .winBack),
        ] {
            for var offer in section.sections(key) {
                paths.offers.append(offer.path)
                let identifier = identifier(&offer)
                terms.offers.append(read(&offer, type: type, identifier: identifier))
            }
        }
        section.readEach("billingPlans") { plan in
            plan.ignore("internalID")
            let price = plan.price("displayPrice") ?? 0
            terms.billingPlans.append(
                BillingPlan(
                    type: plan.word("billingPlanType", of: CatalogueValueNames.billingPlans) ?? .billedUpfront,
                    price: price,
                    commitmentPrice: plan.price("commitmentDisplayPrice") ?? price,
                    isEnabled: plan.flag("isEnabled") ?? true))
        }
        var product = Self.product(&section, type: .autoRenewableSubscription)
        product.subscription = terms
        catalogue.products.append(product)
        sourcePaths.append(paths)
    }

    /// Parses the values that all types of products have.
    private static func product(_ section: inout Section, type: ProductType) -> Product {
        section.ignore("internalID", "localizations")
        section.require("displayPrice")
        return Product(
            id: section.requiredText("productID") ?? "", type: type, name: section.text("referenceName") ?? "",
            price: section.price("displayPrice") ?? 0, isFamilyShareable: section.flag("familyShareable") ?? false)
    }

    private func read(_ section: inout Section, type: OfferType, identifier: String? = nil) -> Offer {
        section.ignore("internalID", "billingPlanType")
        section.require("paymentMode", "subscriptionPeriod")
        let discount = section.word("paymentMode", of: CatalogueValueNames.discounts) ?? .freeTrial
        if discount == .freeTrial {
            // A price can remain from another mode.
            section.ignore("displayPrice")
        } else if !section.has("displayPrice") {
            diagnostics.note("\(section.path("displayPrice")): is missing, so the offer costs nothing")
        }
        var offer = Offer(
            identifier: identifier, type: type, discount: discount,
            period: section.period("subscriptionPeriod") ?? .month,
            periodCount: section.number("numberOfPeriods") ?? 1,
            price: discount == .freeTrial ? 0 : section.price("displayPrice") ?? 0,
            eligibility: type == .offerCode ? eligibility(&section) : nil)
        // For offer codes, `isStackable` means that the introductory offer comes first. For other offers it has no
        // meaning.
        if type != .offerCode {
            section.ignore("isStackable")
        } else if section.flag("isStackable") ?? false {
            offer.stacksWithIntroductoryOffer = true
        }
        section.finish()
        return offer
    }

    /// Returns the identifier of an offer. Offer codes have only a reference name. If it is missing, the internal ID of
    /// Xcode is used.
    private func identifier(_ section: inout Section) -> String {
        section.ignore("referenceName")
        if let identifier = section.text("offerID") ?? section.text("referenceName"), !identifier.isEmpty {
            return identifier
        }
        let identifier = section.text("internalID") ?? ""
        diagnostics.note("\(section.path): has no name; its identifier is \(quoted(identifier))")
        return identifier
    }

    /// Returns the customers who can redeem an offer code. Unknown values are ignored with a note. Returns nil, for all
    /// customers, if no value is known.
    private func eligibility(_ section: inout Section) -> [Offer.Audience]? {
        guard section.has("eligibility") else { return nil }
        let audiences = section.list("eligibility").compactMap { item in
            guard case .text(let text) = item.value.content,
                let audience = CatalogueValueNames.audiences.value(of: text)
            else {
                diagnostics.note("\(item.path): not understood")
                return nil as Offer.Audience?
            }
            return audience
        }
        return audiences.isEmpty ? nil : audiences
    }
}
