public import Foundation

/// Gives an entitlement to customers who got the app early: before it became free, for example.
///
/// Each condition that is set has to hold. What is not known is not guessed: see ``OriginalPurchaseFinding``.
public struct OriginalPurchaseRule: Sendable, Hashable {
    /// The first version that does not count: customers who first got an earlier one have the entitlement.
    public var version: AppVersion?
    /// The first instant that does not count.
    public var date: Date?
    /// Whether the version and the date of a test environment count, which are the same for everybody there. Off, the rule
    /// says nothing in the sandbox; on, everybody there has the entitlement.
    public var countsTestData: Bool

    /// A rule. At least one of the conditions should be there.
    public init(version: AppVersion? = nil, date: Date? = nil, countsTestData: Bool = false) {
        self.version = version
        self.date = date
        self.countsTestData = countsTestData
    }
}

/// What came of an ``OriginalPurchaseRule``.
public struct OriginalPurchaseFinding: RawRepresentable, Hashable, Sendable, Codable {
    /// The text in JSON.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer got the app before the boundary. Gives access.
    public static let before = Self(rawValue: "before")
    /// The customer got the app at the boundary or later.
    public static let notBefore = Self(rawValue: "not_before")
    /// The version that the customer first got is not known, or is no version.
    public static let versionUnknown = Self(rawValue: "version_unknown")
    /// It is not known when the customer first got the app.
    public static let dateUnknown = Self(rawValue: "date_unknown")
    /// What is known is of a test environment and tells nothing.
    public static let testData = Self(rawValue: "test_data")
    /// No app transaction and no receipt of the customer's is known.
    public static let nothingKnown = Self(rawValue: "nothing_known")

    /// Whether it could still turn out that the customer got the app early.
    public var isUnknown: Bool { self != .before && self != .notBefore }
}

extension OriginalPurchaseRule {
    /// Judges all that is known of a customer at an instant. A customer with several Apple accounts got the app with the one
    /// that speaks for them best.
    public func finding(in facts: [OriginalPurchaseFact], asOf: Date) -> OriginalPurchaseFinding {
        deciding(in: facts, asOf: asOf).finding
    }

    /// The same with the fact that decided.
    func deciding(
        in facts: [OriginalPurchaseFact], asOf: Date
    ) -> (finding: OriginalPurchaseFinding, fact: OriginalPurchaseFact?) {
        let judged = facts.filter { ($0.purchaseDate ?? .distantPast) <= asOf }.sorted { $0.precedes($1) }
            .map { (finding: finding(in: $0), fact: $0) }
        let best =
            judged.first { $0.finding == .before } ?? judged.first { $0.finding.isUnknown } ?? judged.first
        return best.map { ($0.finding, $0.fact) } ?? (.nothingKnown, nil)
    }

    /// Judges one fact: it is no if one condition fails, unknown if one is unknown, and yes if all hold.
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
