package import AppStoreModels

/// A filter of a notification history request: a type with exactly this subtype, or without a subtype.
package struct NotificationFilter: Sendable, Hashable {
    package var type: NotificationTypeV2
    package var subtype: NotificationSubtype?

    package init(_ type: NotificationTypeV2, _ subtype: NotificationSubtype? = nil) {
        self.type = type
        self.subtype = subtype
    }

    /// `EXPIRED.VOLUNTARY`, or the type alone.
    package var name: String { NotificationKind.name(type, subtype) }

    /// The types that change access. Recovery requests them first after a long outage.
    package static let urgent: [NotificationFilter] = [
        .didRenew, .expired, .refund, .revoke, .subscribed,
    ].flatMap(all(of:))

    /// Returns the filters for a type with each of its subtypes. For a type alone, the App Store returns only the
    /// notifications without a subtype.
    package static func all(of type: NotificationTypeV2) -> [NotificationFilter] { known.filter { $0.type == type } }

    /// Returns the filters that `EXPIRED` or `EXPIRED.VOLUNTARY` means; empty for unknown names.
    package static func named(_ text: String) -> [NotificationFilter] {
        known.filter { $0.name == text || $0.type.rawValue == text }
    }

    /// Creates the filter with exactly this ``name``.
    package init?(name: String) {
        guard let known = Self.known.first(where: { $0.name == name }) else { return nil }
        self = known
    }

    /// Every documented pair. The App Store refuses all others.
    package static let known = NotificationKind.all.map { NotificationFilter($0.type, $0.subtype) }
}
