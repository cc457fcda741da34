/// What becomes of a received notification whose UUID is known.
///
/// A UUID should have one text. If there ever were two, both would count, so that the ledger does not depend on the
/// order of arrival.
package enum RepeatedNotification: Sendable, Hashable {
    /// The text is stored and did not fail: nothing changes.
    case duplicate
    /// The stored text with this ``InboxText/code`` failed. It becomes pending again, since it may verify now.
    case retry(Int64)
    /// The text replaces the first one, and becomes pending, because it may differ. If it does not, processing it again
    /// changes nothing.
    case replacement
    /// The text differs. It is stored beside the others, and is pending.
    case otherText

    /// Decides about a text.
    ///
    /// - Parameters:
    ///   - isFirstDamaged: Whether the first text with the UUID is corrupt, so that nobody knows whether this one
    ///     differs.
    ///   - same: The ``InboxText/code`` of the stored text that is exactly this one; nil if there is none.
    package init(isFirstDamaged: Bool, same: (id: Int64, hasFailed: Bool)?) {
        if isFirstDamaged {
            self = .replacement
        } else if let same {
            self = same.hasFailed ? .retry(same.id) : .duplicate
        } else {
            self = .otherText
        }
    }
}
