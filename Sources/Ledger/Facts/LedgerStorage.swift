internal import AppStoreModels
package import Entitlements
package import Foundation

/// Where the ledger is kept. Each part of the server says in a protocol of its own what it needs to be kept; a database
/// that conforms to all of them can take another one's place, and nothing else changes.
///
/// Every method that writes is one database transaction, unless it says that it works in pieces: all of it is on disk when it
/// returns, or nothing is.
///
/// Names and identifiers of every kind are compared by their bytes in UTF-8, and lists in the order of identifiers are in the
/// order of those bytes: a database must know neither case nor normal forms nor the order of a language.
///
/// Who asks for what is not there gets nothing, and who changes it, because it was removed meanwhile, changes nothing: neither
/// is an error, unless a method says so.
///
/// A disk may damage what is kept. Whoever asks for one purchase whose record cannot be read, for all of its customer or its
/// Apple account, or says something of it, gets a ``StorageError`` with the code `damaged`, and nothing has changed. Whose it
/// is stays known. It keeps nothing else out: lists over all customers go on without it, and folding sets aside what is about
/// it. A text that cannot be read is empty.
///
/// A text may hold every character, U+0000 too. Instants are kept to the millisecond, those before 1970 as well.
///
/// The place before or after which a page goes on is not on the page. What is due at an instant is due from then on, and a
/// time that is asked about has its beginning and not its end. Of windows and spans of recoveries both ends count.
package protocol LedgerStorage: Sendable {
    /// The scopes, made where they are not there yet.
    func scopes(of apps: [(bundleID: String, environment: String)]) async throws -> ScopeRegistry

    /// Keeps notifications that were received, and what was found in others, in one commit. The answers are in order.
    ///
    /// What is received again waits again if it failed. Another text under an identifier that is known waits too, and again
    /// if it failed; where the text that is kept cannot be read, it takes that one's place, and its number. An identifier
    /// names one notification of all apps and environments: what comes under it again belongs to the first, wherever it
    /// comes.
    ///
    /// Receiving goes before folding. What is folded makes one event for each notification, however often it is folded or
    /// waited: whoever folds something again changes nothing.
    func commit(receiving: [ReceivedNotification], folding: [FoldedNotification]) async throws -> [Reception]

    /// Keeps what came by itself. Returns how many of them were news.
    func commit(_ statements: [Statement]) async throws -> Int

    /// Notes that what is inside a notification cannot be believed.
    func fail(_ notification: Int64, code: String, message: String, at now: Milliseconds) async throws

    /// Notes that the text of a notification cannot be read.
    ///
    /// - Returns: False, and nothing is noted, where it can be read by now: it was received again meanwhile.
    func failDamaged(_ notification: Int64, message: String, at now: Milliseconds) async throws -> Bool

    /// The notifications that wait to be folded, after the one with this number, in order of arrival. Numbers below zero
    /// are of those whose UUID was there with another text.
    func pending(after id: Int64, limit: Int) async throws -> [KeptNotification]

    /// How many notifications wait to be folded, and since when the oldest does.
    func backlog() async throws -> (count: Int, oldest: Milliseconds?)
}

/// A notification as it is kept.
package struct KeptNotification: Sendable, Hashable {
    package enum State: String, Sendable, Hashable { case pending, folded, failed }

    /// Below zero where it is another text that was signed under the identifier.
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
    /// The exact text that was received; empty where it is damaged.
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

    /// Whether the identifier had been signed before, with another content.
    package var isOtherText: Bool { id < 0 }

    /// Whether the text cannot be read, so that nobody believes it.
    package var isDamaged: Bool { text.isEmpty }

    /// Whether it comes first of what is about one purchase: by the signing date, then by the bytes of identifier and text.
    package func isSigned(before other: KeptNotification) -> Bool {
        (signedDate, ExactText(uuid), ExactText(text))
            < (other.signedDate, ExactText(other.uuid), ExactText(other.text))
    }
}

/// Reads what the ledger knows of customers.
package protocol CustomerStorage: Sendable {
    /// The subscriptions and purchases that belong to a customer, with the newest facts of each, in the order of their
    /// identifiers.
    func lineages(of customer: String, in scope: Int64) async throws -> [Lineage]

    /// One subscription or purchase; nil when nothing is known of it.
    func lineage(_ originalTransactionID: String, in scope: Int64) async throws -> Lineage?

    /// The transactions of other subscriptions that go on with this one, whomever they belong to: since then it gives nothing.
    func successors(of originalTransactionID: String, in scope: Int64) async throws -> [TransactionFact]

    /// The notifications about a subscription or purchase, in the order in which they were signed, with the other texts
    /// that were signed under their identifiers. What was signed at one instant is in the order of identifiers, then of texts.
    ///
    /// - Parameter limit: How many of them at most, those that were received first; and how many other texts in all, those of
    ///   the notification first that was received first.
    func notifications(
        about originalTransactionID: String, in scope: Int64, limit: Int
    ) async throws -> [KeptNotification]

    /// The customers that a subscription or purchase belongs to, in the order of their names: events name the first.
    func owners(of originalTransactionID: String, in scope: Int64) async throws -> [String]

    /// The subscription or purchase that a transaction is part of; nil when it is not known. The one of the same name goes
    /// first, then the first of those that it was ever signed for.
    func originalTransactionID(of transactionID: String, in scope: Int64) async throws -> String?

    /// The subscriptions and purchases of some Apple accounts, whomever they belong to, in the order of the accounts' and
    /// their own identifiers.
    func lineages(ofAccounts appTransactionIDs: [String], in scope: Int64) async throws -> [Lineage]

    /// The Apple accounts that are the customer's, whether they bought anything or not, in the order of their identifiers.
    func accounts(of customer: String, in scope: Int64) async throws -> [String]

    /// The subscription group of each product, as far as the App Store has said it of a purchase of anybody.
    func productGroups(in scope: Int64) async throws -> [String: String]
}

/// One subscription, or one purchase of another kind: what shares an original transaction.
package struct Lineage: Sendable, Hashable {
    package var originalTransactionID: String
    /// The newest of each transaction.
    package var transactions: [TransactionFact]
    /// The newest renewal info.
    package var renewal: RenewalFact?
    /// The account that the app named when it was bought.
    package var appAccountToken: UUID?
    /// The Apple account's download of the app.
    package var appTransactionID: String?

    package init(
        originalTransactionID: String, transactions: [TransactionFact], renewal: RenewalFact? = nil,
        appAccountToken: UUID? = nil, appTransactionID: String? = nil
    ) {
        self.originalTransactionID = originalTransactionID
        self.transactions = transactions
        self.renewal = renewal
        self.appAccountToken = appAccountToken
        self.appTransactionID = appTransactionID
    }
}
