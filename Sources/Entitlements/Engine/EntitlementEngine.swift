public import Foundation

/// Says what a customer has, from what the App Store signed.
///
/// A pure function: the same facts, in any order and however often, give the same answer for the same instant. There is no
/// clock in here: time passes by asking for a later instant.
public struct EntitlementEngine: Sendable {
    /// What is known of the products.
    public let catalogue: ProductCatalogue
    /// The names of the entitlements, sorted.
    let names: [String]
    /// Which of `names` a product gives.
    let namesByProduct: [String: [Int]]

    /// An engine for the products of an app.
    public init(catalogue: ProductCatalogue) {
        self.catalogue = catalogue
        names = catalogue.entitlements.keys.sorted()
        var index: [String: [Int]] = [:]
        for (position, name) in names.enumerated() {
            for product in catalogue.entitlements[name] ?? [] { index[product, default: []].append(position) }
        }
        namesByProduct = index
    }

    /// What a customer has at an instant.
    ///
    /// - Parameters:
    ///   - facts: All that is known of the customer; see ``CustomerFacts`` for what counts at an instant.
    ///   - asOf: The instant. What ends at it has ended.
    public func state(of facts: CustomerFacts, asOf: Date) -> CustomerStates {
        state(of: CountingFacts(facts, asOf: asOf))
    }

    func state(of facts: CountingFacts) -> CustomerStates {
        var fold = CustomerFold(facts: facts, engine: self)
        fold.run()
        return fold.states
    }

    func level(of productId: String) -> Int { catalogue.levels[productId] ?? .max }
}
