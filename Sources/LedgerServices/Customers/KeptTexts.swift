internal import Ledger
package import AppStoreTrust

/// A text that was believed when it came and does not verify now: a certificate was revoked, the configuration has other
/// anchors or apps, or somebody has changed the file, or it is damaged there. What it says does not count.
package struct UnverifiedText: Sendable, Hashable {
    package var originalTransactionID: String
    /// The notification that it is, or is part of; nil for what came without one.
    package var notification: String?
    /// The reason, as of every refusal.
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

    /// The code of why a text does not verify that is kept. One that is damaged is kept as an empty one.
    package static func code(of error: VerificationError, isDamaged: Bool) -> String {
        isDamaged ? StorageError.Code.damaged.rawValue : "\(error.code)"
    }
}

/// How many kept texts one request may have read and proven.
package struct TextAllowance {
    /// A notification a day for five years, and each of them has three signatures.
    package static let texts = 2_000

    private(set) var left = Self.texts

    /// Takes what a request needs.
    package mutating func take(_ count: Int) throws(ServiceFailure) {
        left -= count
        guard left >= 0 else {
            throw ServiceFailure(
                .tooMuch, "too_many_texts",
                """
                More than \(Self.texts) signed texts are kept about these purchases, which is more than one answer reads. \
                The timeline has them page by page.
                """)
        }
    }
}

extension CustomerReader {
    /// The notifications about purchases, as long as they are not too many for one request.
    func notifications(
        about originals: some Sequence<String>, in scope: Scope, _ allowance: inout TextAllowance
    ) async throws -> [(original: String, kept: KeptNotification)] {
        var found: [(original: String, kept: KeptNotification)] = []
        for original in originals {
            let kept = try await storage.notifications(about: original, in: scope.id, limit: allowance.left + 1)
            try allowance.take(kept.count)
            found += kept.map { (original, $0) }
        }
        return found
    }
}
