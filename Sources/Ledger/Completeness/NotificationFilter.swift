package import AppStoreModels

/// A kind of notification, as the notification history can be asked for it: a type with exactly this subtype, or with none.
package struct NotificationFilter: Sendable, Hashable {
    package var type: NotificationTypeV2
    package var subtype: NotificationSubtype?

    package init(_ type: NotificationTypeV2, _ subtype: NotificationSubtype? = nil) {
        self.type = type
        self.subtype = subtype
    }

    /// `EXPIRED.VOLUNTARY`, or the type alone.
    package var name: String { NotificationKind.name(type, subtype) }

    /// Those that change access: what is asked for first after a long outage.
    package static let urgent: [NotificationFilter] = [
        .didRenew, .expired, .refund, .revoke, .subscribed,
    ].flatMap(all(of:))

    /// A type with each of its subtypes. The App Store answers for a mere type only what has no subtype.
    package static func all(of type: NotificationTypeV2) -> [NotificationFilter] { known.filter { $0.type == type } }

    /// What a text such as `EXPIRED` or `EXPIRED.VOLUNTARY` means; empty for what the App Store does not know.
    package static func named(_ text: String) -> [NotificationFilter] {
        known.filter { $0.name == text || $0.type.rawValue == text }
    }

    /// The filter whose ``name`` is exactly this.
    package init?(name: String) {
        guard let known = Self.known.first(where: { $0.name == name }) else { return nil }
        self = known
    }

    /// Every pair that is documented: the App Store refuses all others.
    package static let known = NotificationKind.all.map { NotificationFilter($0.type, $0.subtype) }
}
