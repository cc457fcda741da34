public import AppStoreModels
public import Foundation

/// Gives an entitlement to customers who got the app early, for example before it became free.
///
/// All conditions that are set must hold. Unknown values are not guessed: see ``OriginalPurchaseFinding``.
public struct OriginalPurchaseRule: Sendable, Hashable {
    /// The first version that does not qualify. Customers whose original version is earlier have the entitlement.
    public var version: AppVersion?
    /// The first instant that does not qualify.
    public var date: Date?
    /// Whether the version and the date of a test environment count. The sandbox reports the same ones for everybody.
    /// If false, the rule gives nothing in the sandbox; if true, everybody there has the entitlement.
    public var countsTestData: Bool

    /// Creates a rule. Set at least one of the conditions: a rule without conditions accepts every fact.
    public init(version: AppVersion? = nil, date: Date? = nil, countsTestData: Bool = false) {
        self.version = version
        self.date = date
        self.countsTestData = countsTestData
    }
}

/// The result of an ``OriginalPurchaseRule``.
public struct OriginalPurchaseFinding: OpenEnumeration {
    /// The text in JSON.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer got the app before the version and the date of the rule. Gives access.
    public static let before = Self(rawValue: "before")
    /// The customer got the app at the version or date of the rule, or later.
    public static let notBefore = Self(rawValue: "not_before")
    /// The customer's original version is unknown, or is not a version.
    public static let versionUnknown = Self(rawValue: "version_unknown")
    /// The date when the customer first got the app is unknown.
    public static let dateUnknown = Self(rawValue: "date_unknown")
    /// Only data of a test environment are known, and the rule does not count them.
    public static let testData = Self(rawValue: "test_data")
    /// No app transaction and no receipt of the customer is known.
    public static let noFacts = Self(rawValue: "nothing_known")

    /// Whether it is still possible that the customer got the app early.
    public var isUnknown: Bool { self != .before && self != .notBefore }
}

extension OriginalPurchaseRule {
    /// Evaluates the rule for a customer at an instant. If a customer has several Apple accounts, the most favourable
    /// result counts.
    public func finding(in facts: [OriginalPurchaseFact], asOf: Date) -> OriginalPurchaseFinding {
        decision(in: facts, asOf: asOf).finding
    }

    /// Returns the result and the fact that decided.
    func decision(in facts: [OriginalPurchaseFact], asOf: Date) -> ExplainedOriginalPurchase {
        let results = facts.filter { ($0.purchaseDate ?? .distantPast) <= asOf }.sorted { $0.precedes($1) }
            .map { ExplainedOriginalPurchase(finding: finding(in: $0), fact: $0) }
        let best =
            results.first { $0.finding == .before } ?? results.first { $0.finding.isUnknown } ?? results.first
        return best ?? ExplainedOriginalPurchase(finding: .noFacts)
    }

    /// Evaluates the rule for one fact. One failed condition decides; otherwise one unknown condition makes the result
    /// unknown.
    private func finding(in fact: OriginalPurchaseFact) -> OriginalPurchaseFinding {
        if fact.isTestData, !countsTestData { return .testData }
        let known = fact.applicationVersion.flatMap { AppVersion($0) }
        if let version, let known, known >= version { return .notBefore }
        if let date, let purchased = fact.purchaseDate, purchased >= date { return .notBefore }
        if version != nil, known == nil { return .versionUnknown }
        if date != nil, fact.purchaseDate == nil { return .dateUnknown }
        return .before
    }
}
