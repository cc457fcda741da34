internal import AppStoreServer
package import AppStoreModels
package import AppStoreReceipts
package import AppStoreTrust
internal import Basics
internal import Crypto
package import Entitlements
internal import Foundation

/// When a customer first got the app, as the ledger keeps it: what an app transaction says, or an app receipt.
///
/// Of one Apple account one version is kept, whatever the order in which they come: see ``isAhead(of:isLater:)``. Whose it is follows
/// from the claims of the account.
package struct OriginalPurchase: Sendable {
    /// What says so. The numbers are in files.
    package enum Kind: Int64, Sendable, CaseIterable {
        /// An app transaction, kept as it was signed.
        case appTransaction = 0
        /// A receipt that was validated, of which only this is kept.
        case receipt = 1

        /// The name in answers and exports.
        package var name: String { self == .appTransaction ? "app_transaction" : "receipt" }
    }

    package var scope: Int64
    /// The Apple account as claims name it: the app transaction identifier, or a ``name(of:_:for:)``.
    package var subject: String
    package var kind: Kind
    package var fact: OriginalPurchaseFact
    package var origin: Origin
    package var receivedAt: Milliseconds
    /// What was signed; of a receipt an ``OriginalPurchaseText``.
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

    /// Whether it takes the place of another one about the same account: what was signed by itself before what a receipt says,
    /// then what was signed later, then whatever comes later by its bytes.
    ///
    /// - Parameter isLater: Whether its text comes later by the bytes that are kept.
    package func isAhead(of other: (kind: Kind, signedDate: Milliseconds), isLater: Bool) -> Bool {
        if kind != other.kind { return kind == .appTransaction }
        let signed = fact.signedDate.milliseconds
        if signed != other.signedDate { return signed > other.signedDate }
        return isLater
    }
}

extension OriginalPurchase {
    /// What an app transaction says.
    package init(
        _ verified: Verified<AppTransaction>, for customer: String, in scope: Scope, at now: Milliseconds,
        origin: Origin
    ) {
        fact = OriginalPurchaseFact(verified.payload)
        subject = verified.payload.appTransactionId ?? Self.name(of: fact, for: customer)
        (self.scope, kind, self.origin, receivedAt) = (scope.id, .appTransaction, origin, now)
        text = verified.text
    }

    /// What a receipt says; nil if it says nothing of it, as those of Xcode.
    package init?(
        _ receipt: AppReceipt, for customer: String, in scope: Scope, at now: Milliseconds, origin: Origin
    ) throws {
        guard receipt.originalVersion != nil || receipt.originalPurchaseDate != nil else { return nil }
        fact = OriginalPurchaseFact(
            applicationVersion: receipt.originalVersion, purchaseDate: receipt.originalPurchaseDate,
            signedDate: receipt.creationDate, isTestData: scope.environment != .production)
        subject = Self.name(of: fact, receipt.downloadID, for: customer)
        (self.scope, kind, self.origin, receivedAt) = (scope.id, .receipt, origin, now)
        text = try OriginalPurchaseText(fact).text
    }

    /// What every made-up name begins with.
    private static let prefix = "first:"

    /// What an Apple account is called whose identifier is not known: by its first purchase, which is to the millisecond. In
    /// the sandbox everybody has the same, so there it goes by the customer.
    private static func name(
        of fact: OriginalPurchaseFact, _ download: Int64? = nil, for customer: String
    ) -> String {
        let date = fact.purchaseDate.map { String($0.milliseconds) } ?? ""
        let parts =
            fact.isTestData ? ["test", customer] : [date, fact.applicationVersion ?? "", String(download ?? 0)]
        return prefix + SHA256.hash(data: Array(parts.joined(separator: "\n").utf8)).prefix(16).hexadecimal
    }

    /// The app transaction identifier in a subject.
    package static func appTransactionID(ofSubject subject: String) -> String? {
        subject.hasPrefix(prefix) ? nil : subject
    }
}

/// What a receipt says of the first purchase, as the ledger and its exports have it: JSON, equal facts in equal bytes.
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

    /// As JSON.
    package var text: String {
        get throws { String(decoding: try JSONEncoder.sorted.encode(self), as: UTF8.self) }
    }

    /// Reads ``text``; nil when it is something else.
    package init?(text: String) {
        do { self = try StrictJSONDecoder.decode(Self.self, from: Array(text.utf8)) } catch { return nil }
    }

    /// What it says.
    package func fact(isTestData: Bool) -> OriginalPurchaseFact {
        OriginalPurchaseFact(
            applicationVersion: version, purchaseDate: date.map { Date(milliseconds: $0) },
            signedDate: Date(milliseconds: signedDate), isTestData: isTestData)
    }
}
