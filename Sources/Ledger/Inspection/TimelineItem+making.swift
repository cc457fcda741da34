internal import AppStoreModels
internal import Entitlements
internal import Foundation

// The entries of a timeline that are not notifications. No notification has their number 0.
extension TimelineItem {
    /// Returns the entries of a grant: its creation, its revocation, and its end once the event `grant.expired` exists.
    package static func items(of grant: Grant, hasExpiryEvent: Bool) -> [TimelineItem] {
        let changes: [(kind: GrantChange.Kind, instant: Milliseconds?)] = [
            (.created, grant.createdAt), (.revoked, grant.revocation?.instant),
            (.expired, hasExpiryEvent ? grant.until : nil),
        ]
        return changes.compactMap { kind, instant in
            instant.map {
                TimelineItem(
                    position: TimelinePosition(date: $0, number: 0, name: "\(grant.id).\(kind.rawValue)"),
                    originalTransactionID: "", kind: .grant(GrantChange(kind: kind, grant: grant)))
            }
        }
    }

    /// Creates the entry of a change of the owners of a purchase.
    package init(_ change: Ownership.Change, of original: String) {
        self.init(
            position: TimelinePosition(date: change.instant, number: 0, name: original),
            originalTransactionID: original, kind: .change(change))
    }

    /// Creates the entry of an original purchase of the app; nil if the customer no longer owns it. One without a date
    /// has no place in a timeline.
    package init?(_ owned: OwnedOriginalPurchase, for customer: String) {
        guard let date = owned.purchase.fact.purchaseDate, owned.ownership.owners.containsExactly(customer) else {
            return nil
        }
        self.init(
            position: TimelinePosition(date: date.milliseconds, number: 0, name: owned.purchase.subject),
            originalTransactionID: "", kind: .originalPurchase(owned.purchase.fact))
    }
}

extension TimelinePosition {
    /// Creates the position of a grant among the grants of its customer.
    package init(_ grant: Grant) {
        self.init(date: grant.createdAt, number: 0, name: grant.id)
    }

    /// Creates the position of a notification.
    package init(_ mention: LineageRecord.Mention) {
        self.init(date: mention.signedDate, number: mention.notification)
    }
}
