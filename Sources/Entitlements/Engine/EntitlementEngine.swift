internal import AppStoreModels
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
    private let namesByProduct: [ExactText: [Int]]
    private let levels: [ExactText: Int]
    private let durations: [ExactText: Period]
    private let groupsByProduct: [ExactText: String]
    /// The subscription groups of the catalogue.
    let groups: Set<String>

    /// An engine for the products of an app.
    public init(catalogue: ProductCatalogue) {
        self.catalogue = catalogue
        names = catalogue.entitlements.keys.sorted()
        var index: [ExactText: [Int]] = [:]
        for (position, name) in names.enumerated() {
            for product in catalogue.entitlements[name] ?? [] {
                index[ExactText(product), default: []].append(position)
            }
        }
        namesByProduct = index
        levels = Self.byExactText(catalogue.levels)
        durations = Self.byExactText(catalogue.durations)
        groupsByProduct = Self.byExactText(catalogue.groups)
        groups = Set(catalogue.groups.values)
    }

    /// What a customer has now: call this to decide about access.
    ///
    /// Facts that were signed after `now` count as well, because the host's clock can be behind the App Store's. Evaluated
    /// at `now` alone, a customer whose grace period has just been signed would have nothing until that clock has caught up.
    ///
    /// - Parameters:
    ///   - facts: All that is known of the customer.
    ///   - now: The present, by the host's clock.
    public func currentState(of facts: CustomerFacts, now: Date) -> CustomerStates {
        state(of: facts, asOf: facts.present(now: now))
    }

    /// What a customer has at an instant, as it stood then. For the present call ``currentState(of:now:)``.
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

    // What the App Store signed is not to name a product of the catalogue by another text.
    func level(of productID: String) -> Int { levels[ExactText(productID)] ?? .max }

    func duration(of productID: String) -> Period? { durations[ExactText(productID)] }

    /// The group that the catalogue gives a product.
    func group(of productID: String) -> String? { groupsByProduct[ExactText(productID)] }

    /// Which of `names` a product gives.
    func names(of productID: String) -> [Int] { namesByProduct[ExactText(productID)] ?? [] }

    private static func byExactText<Value>(_ values: [String: Value]) -> [ExactText: Value] {
        values.reduce(into: [:]) { $0[ExactText($1.key)] = $1.value }
    }
}
