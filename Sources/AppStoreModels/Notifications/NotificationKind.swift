/// A kind of notification: a type with one of its subtypes, or with none.
///
/// ``all`` is the one table of them. The events of the server, its sentences and its recovery, the triggers of the simulator
/// and the table of events in `docs/webhooks.md` derive from it.
package struct NotificationKind: Sendable, Hashable {
    /// What the payload carries.
    package enum Content: Sendable, Hashable {
        /// `data` with a transaction and renewal info.
        case subscription
        /// `data` with a transaction, and renewal info if the transaction is a subscription's.
        case purchase
        /// `data` with a transaction, never with renewal info.
        case oneTimePurchase
        /// `summary`.
        case summary
        /// `externalPurchaseToken`.
        case externalPurchaseToken
        /// `appData` with an app transaction.
        case appTransaction
        /// `data` that names the app and has nothing else.
        case app
    }

    /// What a sentence leaves open. In ``sentence`` the name stands in braces.
    package enum Place: String, Sendable, CaseIterable {
        /// The product of the transaction, or of the renewal.
        case product
        /// The product of the next renewal.
        case nextProduct
        /// What was paid; `free` if that is nothing.
        case price
        /// The day on which the transaction expires.
        case expiry
        /// The day on which the grace period ends.
        case graceExpiry
        /// The day on which the transaction was refunded or revoked.
        case revocation
        /// How many were bought, if there are several.
        case quantity
    }

    package let type: NotificationTypeV2
    package let subtype: NotificationSubtype?
    package let content: Content
    /// The event that webhooks tell of it.
    package let event: String
    /// The same in the compatible vocabulary: several names, one, or none.
    package let compatible: [CompatibleEvent]
    /// What happened, for people: a template with each ``Place`` in braces. A phrase in brackets is left out when a place in it
    /// is not known. Nil where there is nothing to say but the kind.
    package let sentence: String?

    init(
        _ type: NotificationTypeV2, _ subtype: NotificationSubtype? = nil, content: Content = .subscription,
        event: String, compatible: [CompatibleEvent] = [], _ sentence: String? = nil
    ) {
        self.type = type
        self.subtype = subtype
        self.content = content
        self.event = event
        self.compatible = compatible
        self.sentence = sentence
    }
}

// MARK: - Names and rows

extension NotificationKind {
    /// `EXPIRED.VOLUNTARY`, or the type alone.
    package static func name(_ type: NotificationTypeV2, _ subtype: NotificationSubtype?) -> String {
        type.rawValue + (subtype.map { "." + $0.rawValue } ?? "")
    }

    /// `EXPIRED.VOLUNTARY`, or the type alone.
    package var name: String { Self.name(type, subtype) }

    /// The row of exactly this pair. Nil for a pair that Apple does not document.
    package static func exactly(_ type: NotificationTypeV2, _ subtype: NotificationSubtype?) -> NotificationKind? {
        rows[type]?.first { $0.subtype == subtype }
    }

    /// The row that a pair is told by, which may be newer than this table. Nil for a type that is not in the table, and for a
    /// newer subtype where the type alone would say something else.
    package static func closest(to type: NotificationTypeV2, _ subtype: NotificationSubtype?) -> NotificationKind? {
        if let kind = exactly(type, subtype) { return kind }
        if subtype != nil, saysLittleAlone.contains(type) { return nil }
        return exactly(type, nil) ?? fallbacks[type]
    }

    /// Types of which a subtype turns the meaning: a change of plan that was taken back, a price that was not agreed to.
    static let saysLittleAlone: Set<NotificationTypeV2> = [
        .didChangeRenewalPref, .priceIncrease, .renewalExtension, .externalPurchaseToken,
    ]

    private static let rows = Dictionary(grouping: all, by: \.type)
    private static let fallbacks = Dictionary(grouping: withoutSubtype, by: \.type).compactMapValues(\.first)
}
