package import AppStoreTrust
internal import Ledger

/// A stored text that was verified on arrival and does not verify now, because a certificate was revoked, the
/// configuration has other anchors or apps, or the file was changed or damaged. Its contents do not count.
package struct UnverifiedText: Sendable, Hashable {
    package var originalTransactionID: String
    /// The UUID of the notification that contains it; nil for a text without one.
    package var notification: String?
    /// The error code, as in other refusals.
    package var code: String
    package var reason: String

    package init(
        _ error: VerificationError, isDamaged: Bool, _ originalTransactionID: String, notification: String?
    ) {
        self.originalTransactionID = originalTransactionID
        self.notification = notification
        code = Self.code(of: error, isDamaged: isDamaged)
        reason = isDamaged ? "the stored text is damaged" : error.message
    }

    /// Returns the code for a stored text that does not verify. A damaged text is read as an empty one.
    package static func code(of error: VerificationError, isDamaged: Bool) -> String {
        isDamaged ? StorageError.Code.damaged.rawValue : "\(error.code)"
    }
}

/// Limits the number of stored texts that one request reads and verifies.
package struct TextAllowance {
    /// The maximum: a notification a day for five years. Each has three signatures.
    package static let texts = 2_000

    private(set) var remaining = Self.texts

    /// Subtracts `count` texts. Throws if the limit is exceeded.
    package mutating func take(_ count: Int) throws(ServiceFailure) {
        remaining -= count
        guard remaining >= 0 else {
            throw ServiceFailure(
                .tooMuch, "too_many_texts",
                """
                More than \(Self.texts) signed texts are stored about these purchases, too many for one response. The \
                timeline returns them page by page.
                """)
        }
    }
}

extension CustomerReader {
    /// Returns the stored notifications about purchases. Throws if there are too many for one request.
    func notifications(
        about originals: some Sequence<String>, in appEnvironment: AppEnvironment, _ allowance: inout TextAllowance
    ) async throws -> [(original: String, stored: StoredNotification)] {
        var found: [(original: String, stored: StoredNotification)] = []
        for original in originals {
            let stored = try await storage.notifications(
                about: original, in: appEnvironment.id, limit: allowance.remaining + 1)
            try allowance.take(stored.count)
            found += stored.map { (original, $0) }
        }
        return found
    }
}
