internal import AppStoreModels
internal import Entitlements

/// The result of adding a notification to the records of its purchases.
package struct NotificationOutcome: Sendable {
    /// Whether the record did not contain the notification before.
    package var isNew = true
    /// Whether the record contained a newer notification before.
    package var isLate = false
    /// The ``FactSource/code`` of each version that was replaced.
    package var replaced: [Int64] = []
    /// The purchase that the notification is about, from which the owner follows.
    package var lineage: Lineage?
    /// The same purchase before the change, without its facts.
    package var former: Lineage?

    package init() {}

    fileprivate mutating func add(_ outcome: LineageRecord.Outcome) {
        if let source = outcome.replaced { replaced.append(source) }
    }
}

extension ProcessedNotification {
    /// The purchases whose records change. Both facts are about one purchase; should the App Store ever sign otherwise,
    /// both are updated, and the notification is about the first.
    package var originals: [String] {
        guard let first = originalTransactionID else { return [] }
        guard let other = renewal?.originalTransactionID, !other.isExactly(first) else { return [first] }
        return [first, other]
    }
}

extension LineageRecord {
    /// Adds the facts of a notification about this purchase. The purchase that the notification is about lists it.
    package mutating func add(
        _ notification: ProcessedNotification, _ source: Source, _ outcome: inout NotificationOutcome
    ) throws {
        let original = lineage.originalTransactionID
        let isListed = notification.originalTransactionID?.isExactly(original) ?? false
        if isListed {
            outcome.former = lineage.withoutFacts
            outcome.isLate = isLate(signedDate: notification.signedDate)
            outcome.isNew = addMention(of: source.id, signedDate: notification.signedDate)
        }
        if let fact = notification.transaction, fact.originalTransactionID.isExactly(original) {
            outcome.add(try add(fact, source))
        }
        if let fact = notification.renewal, fact.originalTransactionID.isExactly(original) {
            outcome.add(try add(fact, source))
        }
        if isListed { outcome.lineage = lineage }
    }
}
