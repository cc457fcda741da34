/// A kind of notification: a type with one of its subtypes, or without.
///
/// ``all`` is the only table of kinds. The server's events, sentences and recovery, the simulator's triggers and the
/// table of events in `docs/webhooks.md` derive from it.
package struct NotificationKind: Sendable, Hashable {
    /// The content of the payload.
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
        /// `data` with only the app.
        case app
    }

    /// A placeholder of ``sentence``. The template contains its name in braces.
    package enum Placeholder: String, Sendable, CaseIterable {
        /// The product of the transaction, or of the renewal.
        case product
        /// The product of the next renewal, or of the next commitment.
        case nextProduct
        /// The same, if it is another product than the present one.
        case otherProduct
        /// The price; `free` if it is zero.
        case price
        /// The day on which the transaction expires.
        case expiry
        /// The day on which the subscription ends or changes at a renewal: the end of the commitment, if there is one.
        /// Unknown if it has passed: a cancellation in a grace period or in billing retry ends the subscription at once.
        case end
        /// The day on which the grace period ends.
        case graceExpiry
        /// The day on which the transaction was refunded or revoked.
        case revocation
        /// `in part` if only a part of the price was refunded.
        case refundedPart
        /// What ended when the customer lost the purchase: `sharing`, or `the assignment` of a seat.
        case lossCause
        /// Who pays: `the customer`, or `the purchaser` of what is shared or assigned.
        case payer
        /// The quantity, if it is greater than one.
        case quantity
    }

    package let type: NotificationTypeV2
    package let subtype: NotificationSubtype?
    package let content: Content
    /// The event in webhooks.
    package let event: String
    /// The corresponding events in the compatible vocabulary: several, one or none.
    package let compatible: [CompatibleEvent]
    /// A template of an English sentence that describes the event. It contains each ``Placeholder`` in braces. A phrase in
    /// brackets is omitted if one of its values is unknown. Nil if there is nothing to add to the kind.
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

// MARK: - Sentences

extension NotificationKind {
    /// Returns the sentence with its placeholders filled; nil if the kind has no sentence.
    ///
    /// - Parameter value: Returns the text for a placeholder; nil if it is unknown.
    package func sentence(filling value: (Placeholder) -> String?) -> String? {
        sentence?[...].pieces(between: "[", "]").compactMap { Self.phrase($0, filling: value) }.joined()
    }

    private static func phrase(_ template: Substring, filling value: (Placeholder) -> String?) -> String? {
        var text = ""
        for (index, piece) in template.pieces(between: "{", "}").enumerated() {
            if index.isMultiple(of: 2) {
                text += piece
            } else if let filled = Placeholder(rawValue: String(piece)).flatMap(value) {
                text += filled
            } else {
                return nil
            }
        }
        return text
    }
}

extension Substring {
    /// Splits the text at the marks. The pieces with odd indices are between an opening and a closing mark.
    fileprivate func pieces(between opening: Character, _ closing: Character) -> [Substring] {
        split(omittingEmptySubsequences: false) { $0 == opening || $0 == closing }
    }
}

// MARK: - Names and rows

extension NotificationKind {
    /// Returns a name such as `EXPIRED.VOLUNTARY`, or the type alone.
    package static func name(_ type: NotificationTypeV2, _ subtype: NotificationSubtype?) -> String {
        type.rawValue + (subtype.map { "." + $0.rawValue } ?? "")
    }

    /// A name such as `EXPIRED.VOLUNTARY`, or the type alone.
    package var name: String { Self.name(type, subtype) }

    /// Returns the row of exactly this pair; nil for a pair that Apple does not document.
    package static func exactly(_ type: NotificationTypeV2, _ subtype: NotificationSubtype?) -> NotificationKind? {
        rows[type]?.first { $0.subtype == subtype }
    }

    /// Returns the row for a pair that may be newer than this table. Returns nil for an unknown type, and for an
    /// unknown subtype if the row of the type alone would have another meaning.
    package static func closest(to type: NotificationTypeV2, _ subtype: NotificationSubtype?) -> NotificationKind? {
        // Apple's changelog has another name for a migration than the documentation of the type.
        let type = type.rawValue == "MIGRATE" ? NotificationTypeV2.migration : type
        if let kind = exactly(type, subtype) { return kind }
        if subtype != nil, typesDefinedBySubtype.contains(type) { return nil }
        return exactly(type, nil) ?? fallbacks[type]
    }

    /// Types whose meaning depends on the subtype, such as a withdrawn plan change or a price increase without consent.
    static let typesDefinedBySubtype: Set<NotificationTypeV2> = [
        .didChangeRenewalPref, .priceIncrease, .renewalExtension, .externalPurchaseToken,
    ]

    private static let rows = Dictionary(grouping: all, by: \.type)
    private static let fallbacks = Dictionary(grouping: withoutSubtype, by: \.type).compactMapValues(\.first)
}
