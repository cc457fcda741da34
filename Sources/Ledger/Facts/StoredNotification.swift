internal import AppStoreModels

/// A stored notification.
package struct StoredNotification: Sendable, Hashable {
    package enum State: String, Sendable, Hashable { case pending, processed, failed }

    /// The ``InboxText/code``: the row identifier, or another number for a different text with the UUID of a stored
    /// notification.
    package var id: Int64
    package var scope: Int64
    package var uuid: String
    package var type: String
    package var subtype: String?
    package var signedDate: Milliseconds
    package var receivedAt: Milliseconds
    package var origin: Origin
    package var state: State
    package var failure: String?
    /// The exact text that was received; empty if it is corrupt.
    package var text: String

    package init(
        id: Int64, scope: Int64, uuid: String, type: String, subtype: String? = nil, signedDate: Milliseconds,
        receivedAt: Milliseconds, origin: Origin, state: State, failure: String? = nil, text: String
    ) {
        self.id = id
        self.scope = scope
        self.uuid = uuid
        self.type = type
        self.subtype = subtype
        self.signedDate = signedDate
        self.receivedAt = receivedAt
        self.origin = origin
        self.state = state
        self.failure = failure
        self.text = text
    }

    /// Whether this is a different text with the UUID of an earlier notification.
    package var isOtherText: Bool { InboxText(code: id).otherText != nil }

    /// Whether the stored text is corrupt, so that it cannot be verified.
    package var isDamaged: Bool { text.isEmpty }

    /// Whether this notification precedes another one about the same purchase: by the signing date, then by the bytes
    /// of UUID and text.
    package func isSigned(before other: StoredNotification) -> Bool {
        (signedDate, ExactText(uuid), ExactText(text))
            < (other.signedDate, ExactText(other.uuid), ExactText(other.text))
    }
}
