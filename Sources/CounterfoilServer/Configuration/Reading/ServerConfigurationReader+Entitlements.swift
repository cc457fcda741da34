internal import AppStoreModels
internal import Basics
internal import ConfigurationReading
internal import Entitlements
internal import Foundation

extension ServerConfigurationReader {
    /// Reads the entitlements of an app. Each name has a list of products, or a mapping with `products` and
    /// `bought_before`.
    func entitlements(_ section: inout Section, _ catalogue: inout ProductCatalogue) {
        guard var names = section.section("entitlements") else { return }
        for name in names.keys {
            guard name.isSettingName else {
                names.ignore(name)
                names.problem(name, "should consist of letters, digits, dots, - and _, at most 100")
                continue
            }
            if case .mapping? = names.value(name)?.content {
                guard var entitlement = names.section(name) else { continue }
                let products = entitlement.texts("products") ?? []
                catalogue.entitlements[name] = Set(products.map(\.text))
                if var boundary = entitlement.section("bought_before") {
                    catalogue.originalPurchaseRules[name] = originalPurchaseRule(&boundary)
                } else if products.isEmpty {
                    addNote(names.path(name), "has no product and no bought_before, so only grants give it")
                }
                entitlement.finish()
            } else {
                let products = names.texts(name) ?? []
                if products.isEmpty { addNote(names.path(name), "has no product, so only grants give it") }
                catalogue.entitlements[name] = Set(products.map(\.text))
            }
        }
    }

    private func originalPurchaseRule(_ section: inout Section) -> OriginalPurchaseRule {
        var rule = OriginalPurchaseRule()
        rule.version = section.parse("version", orProblem: "is not a version such as \"2.0\" or \"2024.3.1\"") {
            AppVersion($0)
        }
        rule.date = section.parse("date", orProblem: "is not a day such as 2024-03-01, or 2024-03-01T09:00:00Z") {
            InstantText.milliseconds(iso8601: $0, acceptsDays: true).flatMap { Date(millisecondsSince1970: $0) }
        }
        if !section.has("version"), !section.has("date") {
            section.problem("version", "is missing, and so is date: set at least one of them")
        }
        rule.countsTestData = section.flag("counts_sandbox") ?? false
        if rule.countsTestData {
            addNote(section.path("counts_sandbox"), "everybody in the sandbox has this entitlement")
        }
        section.finish()
        return rule
    }
}
