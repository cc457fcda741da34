package import AppStoreModels
package import AppStoreReceipts
internal import AppStoreServer
package import AppStoreTrust
internal import Basics
internal import Crypto
package import Entitlements
internal import Foundation

/// The original purchase of the app by a customer, from an app transaction or an app receipt.
///
/// The ledger stores one version for each Apple account, independent of the order of arrival: see
/// ``replaces(_:withText:)``. The claims of the account determine the customer.
package struct OriginalPurchase: Sendable {
    /// The origin of the data. Files contain the raw values.
    package enum Kind: Int64, Sendable, CaseIterable {
        /// A signed app transaction, stored as it was signed.
        case appTransaction = 0
        /// A validated receipt. Only the original purchase is stored.
        case receipt = 1

        /// The name in responses and exports.
        package var name: String { self == .appTransaction ? "app_transaction" : "receipt" }
    }

    package var scope: Int64
    /// The Apple account as claims name it: the app transaction identifier, or a generated name (``name(of:_:for:)``).
    package var subject: String
    package var kind: Kind
    package var fact: OriginalPurchaseFact
    package var origin: Origin
    package var receivedAt: Milliseconds
    /// The signed text; for a receipt the JSON of an ``OriginalPurchaseText``.
    package var text: String

    package init(
        scope: Int64, subject: String, kind: Kind, fact: OriginalPurchaseFact, origin: Origin, receivedAt: Milliseconds,
        text: String
    ) {
        self.scope = scope
        self.subject = subject
        self.kind = kind
        self.fact = fact
        self.origin = origin
        self.receivedAt = receivedAt
        self.text = text
    }

    /// Whether this version replaces another one of the same account: an app transaction replaces a receipt, then the
    /// later signing date wins, then the text whose bytes are greater. Every text is greater than a corrupt one.
    ///
    /// - Parameter text: Returns the text of the other version; nil if it is corrupt. Called only if it decides.
    package func replaces(
        _ other: (kind: Kind, signedDate: Milliseconds), withText text: () -> String?
    ) -> Bool {
        if kind != other.kind { return kind == .appTransaction }
        let signed = fact.signedDate.milliseconds
        if signed != other.signedDate { return signed > other.signedDate }
        return text()?.precedesExactly(self.text) ?? true
    }
}

extension OriginalPurchase {
    /// Creates an original purchase from an app transaction.
    package init(
        _ verified: Verified<AppTransaction>, for customer: String, in appEnvironment: AppEnvironment,
        at now: Milliseconds, origin: Origin
    ) {
        fact = OriginalPurchaseFact(verified.payload)
        subject = verified.payload.appTransactionId ?? Self.name(of: fact, for: customer)
        (self.scope, kind, self.origin, receivedAt) = (appEnvironment.id, .appTransaction, origin, now)
        text = verified.text
    }

    /// Creates an original purchase from a receipt; nil if the receipt does not contain one, like those of Xcode.
    package init?(
        _ receipt: AppReceipt, for customer: String, in appEnvironment: AppEnvironment, at now: Milliseconds,
        origin: Origin
    ) throws {
        guard let original = receipt.originalPurchase else { return nil }
        fact = original
        subject = Self.name(of: fact, receipt.downloadID, for: customer)
        (self.scope, kind, self.origin, receivedAt) = (appEnvironment.id, .receipt, origin, now)
        text = try OriginalPurchaseText(fact).text
    }

    /// The prefix of all generated names.
    private static let prefix = "first:"

    /// Returns a name for an Apple account whose identifier is unknown. It derives from the original purchase date,
    /// which has milliseconds. In the sandbox all accounts share the same date, so the name derives from the customer.
    private static func name(
        of fact: OriginalPurchaseFact, _ download: Int64? = nil, for customer: String
    ) -> String {
        let date = fact.purchaseDate.map { String($0.milliseconds) } ?? ""
        let parts =
            fact.isTestData ? ["test", customer] : [date, fact.applicationVersion ?? "", String(download ?? 0)]
        return prefix + SHA256.hash(data: Array(parts.joined(separator: "\n").utf8)).prefix(16).hexadecimal
    }

    /// Returns the app transaction identifier in a subject; nil for a generated name.
    package static func appTransactionID(ofSubject subject: String) -> String? {
        subject.hasPrefix(prefix) ? nil : subject
    }
}

/// The original purchase in a receipt, as the ledger and its exports store it: JSON with a deterministic encoding.
package struct OriginalPurchaseText: Sendable, Codable {
    private var version: String?
    private var date: Milliseconds?
    private var signedDate: Milliseconds

    private enum CodingKeys: String, CodingKey {
        case version = "application_version"
        case date = "purchase_date"
        case signedDate = "signed_date"
    }

    package init(_ fact: OriginalPurchaseFact) {
        version = fact.applicationVersion
        date = fact.purchaseDate?.milliseconds
        signedDate = fact.signedDate.milliseconds
    }

    /// The JSON.
    package var text: String {
        get throws { String(decoding: try JSONEncoder.sorted.encode(self), as: UTF8.self) }
    }

    /// Decodes ``text``; nil if it is invalid.
    package init?(text: String) {
        do { self = try StrictJSONDecoder.decode(Self.self, from: Array(text.utf8)) } catch { return nil }
    }

    /// Returns the fact.
    package func fact(isTestData: Bool) -> OriginalPurchaseFact {
        OriginalPurchaseFact(
            applicationVersion: version, purchaseDate: date.map { Date(milliseconds: $0) },
            signedDate: Date(milliseconds: signedDate), isTestData: isTestData)
    }
}
