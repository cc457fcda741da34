internal import AppStoreModels
public import Foundation

/// Computes what a customer has, from facts that the App Store signed.
///
/// The engine is a pure function without a clock: the same facts, in any order and with any repetitions, give the same
/// answer for the same instant. To see the effect of time, pass a later instant.
public struct EntitlementEngine: Sendable {
    /// The products of the app.
    public let catalogue: ProductCatalogue
    /// The names of the entitlements, sorted.
    let names: [String]
    /// The indices in `names` of the entitlements that a product gives.
    private let namesByProduct: [ExactText: [Int]]
    private let levels: [ExactText: Int]
    private let durations: [ExactText: Period]
    private let groupsByProduct: [ExactText: String]
    /// The subscription groups of the catalogue.
    let groups: Set<ExactText>

    /// Creates an engine for the products of an app.
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
        groups = Set(catalogue.groups.values.map { ExactText($0) })
    }

    /// Returns what a customer has now. Call this method to decide about access.
    ///
    /// Facts that were signed after `now` are included, because the host's clock can be behind the App Store's. Without
    /// them, a customer whose grace period has just been signed would have no access until the host's clock has caught
    /// up.
    ///
    /// - Parameters:
    ///   - facts: All known facts about the customer.
    ///   - now: The present, by the host's clock.
    public func currentState(of facts: CustomerFacts, now: Date) -> CustomerStates {
        state(of: facts, asOf: facts.evaluationDate(now: now))
    }

    /// Returns what a customer had at an instant. For the present call ``currentState(of:now:)``.
    ///
    /// - Parameters:
    ///   - facts: All known facts about the customer. ``CustomerFacts`` describes which of them count at an instant.
    ///   - asOf: The instant. A period that ends exactly then is over.
    public func state(of facts: CustomerFacts, asOf: Date) -> CustomerStates {
        state(of: EffectiveFacts(facts, asOf: asOf))
    }

    func state(of facts: consuming EffectiveFacts) -> CustomerStates {
        var builder = CustomerStatesBuilder(facts: facts, engine: self)
        builder.build()
        return builder.states
    }

    // Compare bytes: a signed identifier that is only canonically equivalent is another product.
    func level(of productID: String) -> Int { levels[ExactText(productID)] ?? .max }

    func duration(of productID: String) -> Period? { durations[ExactText(productID)] }

    /// Returns the subscription group of a product in the catalogue.
    func group(of productID: String) -> String? { groupsByProduct[ExactText(productID)] }

    /// Returns the indices in `names` of the entitlements that a product gives.
    func names(of productID: String) -> [Int] { namesByProduct[ExactText(productID)] ?? [] }

    private static func byExactText<Value>(_ values: [String: Value]) -> [ExactText: Value] {
        values.reduce(into: [:]) { $0[ExactText($1.key)] = $1.value }
    }
}
