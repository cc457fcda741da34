internal import AppStoreModels
package import Entitlements
package import Foundation

/// Stores and reads the ledger. Each service declares its storage needs in its own protocol; engines conform to all of
/// them and are interchangeable.
///
/// These rules apply to all storage protocols:
///
/// Every method that writes is one database transaction, unless its description says that it works in batches: when it
/// returns, all of its changes are on disk, or none. What it reads to decide does not change before it has written. A
/// call whose task is cancelled takes effect completely or not at all.
///
/// Every method that only reads sees one snapshot, unless its description says that it works in batches: all changes of
/// a transaction or none, and the changes of every call that returned before. So a replica that is behind cannot
/// answer.
///
/// An engine has no clock: `now` is from the caller, differs between servers, and may be set back.
///
/// A call may be repeated: the answer to a commit may be lost, and several servers may do the same work. A repeated
/// call changes nothing more, unless its description says what it adds.
///
/// Names and identifiers are compared by their UTF-8 bytes, and lists that are sorted by identifier use the order of
/// those bytes. An engine must not fold case, normalize Unicode or use a collation of a language.
///
/// Row identifiers are positive, unless the description says otherwise. They may have gaps, and with several writers a
/// lower one may be committed after a higher one. The identifier of a deleted row may be used again, unless the
/// description says otherwise.
///
/// Elements for which a description names no order, or that are equal in it, may be in any order. Every list in the
/// parameters may be empty, and a list of identifiers may contain duplicates, which count once. A limit is not
/// negative, and may be much greater than the number of elements.
///
/// Reading something that does not exist returns nothing, and changing something that was removed changes nothing.
/// Neither is an error, unless the description says so.
///
/// A disk may corrupt a record. A call about one purchase whose record is corrupt, about all purchases of its customer
/// or its Apple account, or that adds a fact to it, throws a ``StorageError`` with the code `damaged` and changes
/// nothing. The owner remains known. Nothing else is blocked: lists over all customers omit the record, and processing
/// skips notifications about it. A corrupt text is empty.
///
/// Identifiers in signed data may be longer than an index entry of a database may be. A text may contain every
/// character, including U+0000, and is stored unchanged: an engine whose database refuses U+0000 stores such texts in
/// another form. Instants have a precision of a millisecond and may be before 1970.
///
/// A page begins after (or before) its cursor; the element of the cursor is not part of it. Work that is due at an
/// instant is due from that instant on. A time range includes its beginning and excludes its end, but windows and spans
/// of recoveries include both ends.
package protocol LedgerStorage: Sendable {
    /// Returns all scopes, and creates those of the apps that do not exist. Their row identifiers begin at one and have
    /// no gaps; 0 stands for no scope. They are never deleted.
    func scopes(of apps: [(bundleID: String, environment: String)]) async throws -> AppEnvironmentRegistry

    /// Stores received notifications and processed ones in one commit. The results are in the order of `received`.
    ///
    /// ``RepeatedNotification`` decides what becomes of a text whose UUID is known; a replacement keeps the row
    /// identifier of the first text. A UUID identifies one notification across all apps and environments: a later text
    /// with the same UUID belongs to the scope of the first.
    ///
    /// Received notifications are stored before processed ones. Each notification creates one event, however often it
    /// is processed: processing it again changes nothing. Processing a failed notification ends its failure: another
    /// server could verify it.
    func commit(received: [ReceivedNotification], processed: [ProcessedNotification]) async throws -> [InsertionResult]

    /// Stores facts that were received without a notification. Returns how many of them changed the ledger; nothing is
    /// written for the others.
    func commit(_ signedFacts: [SignedFact]) async throws -> Int

    /// Marks a pending notification as failed because its signed parts do not verify. Any other notification does not
    /// change: another server has processed it meanwhile, or has marked it.
    func fail(_ notification: Int64, code: String, message: String, at now: Milliseconds) async throws

    /// Marks a pending notification as failed because its stored text is corrupt. Any other notification does not
    /// change.
    ///
    /// - Returns: False, without a change, if the text is readable: it was received again meanwhile.
    func failDamaged(_ notification: Int64, message: String, at now: Milliseconds) async throws -> Bool

    /// Returns the pending notifications after a row identifier, sorted by row identifier. Negative identifiers denote
    /// different texts with the UUID of a stored notification. A page has elements if there are any after `id`, but may
    /// have fewer than the limit although more follow.
    func pending(after id: Int64, limit: Int) async throws -> [StoredNotification]

    /// Returns the number of pending notifications, and when the oldest arrived.
    func backlog() async throws -> (count: Int, oldest: Milliseconds?)
}

/// A stored notification.
package struct StoredNotification: Sendable, Hashable {
    package enum State: String, Sendable, Hashable { case pending, processed, failed }

    /// The row identifier; negative for a different text with the UUID of a stored notification.
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
    package var isOtherText: Bool { id < 0 }

    /// Whether the stored text is corrupt, so that it cannot be verified.
    package var isDamaged: Bool { text.isEmpty }

    /// Whether this notification precedes another one about the same purchase: by the signing date, then by the bytes
    /// of UUID and text.
    package func isSigned(before other: StoredNotification) -> Bool {
        (signedDate, ExactText(uuid), ExactText(text))
            < (other.signedDate, ExactText(other.uuid), ExactText(other.text))
    }
}

/// Reads what the ledger knows about customers.
package protocol CustomerStorage: Sendable {
    /// Returns the subscriptions and purchases of a customer, with the newest facts of each, sorted by identifier.
    func lineages(of customer: String, in scope: Int64) async throws -> [Lineage]

    /// Returns one subscription or purchase; nil if the ledger does not have it.
    func lineage(_ originalTransactionID: String, in scope: Int64) async throws -> Lineage?

    /// Returns the transactions of other subscriptions that continue this one, whoever owns them. This subscription
    /// gives no access after their purchase.
    func successors(of originalTransactionID: String, in scope: Int64) async throws -> [TransactionFact]

    /// Returns the notifications about a subscription or purchase, and different texts with the same UUIDs, sorted by
    /// signing date, then by identifier, then by text.
    ///
    /// - Parameter limit: The maximum number of notifications, those that were received first; and the maximum number
    ///   of different texts, those of the earliest notifications first.
    func notifications(
        about originalTransactionID: String, in scope: Int64, limit: Int
    ) async throws -> [StoredNotification]

    /// Returns the owners of a subscription or purchase, sorted by name, without erased customers. Events name the
    /// first.
    func owners(of originalTransactionID: String, in scope: Int64) async throws -> [String]

    /// Returns whether a subscription or purchase has no owner because its owner was erased.
    func isOwnerErased(of originalTransactionID: String, in scope: Int64) async throws -> Bool

    /// Returns the customer of an Apple account, by ``AccountOwnership``. Events about the account name this customer.
    func customer(ofAccount appTransactionID: String, in scope: Int64) async throws -> String?

    /// Returns the original transaction identifier of a transaction; nil if the transaction is unknown. A purchase with
    /// the same identifier has priority, then the first (by identifier) of those that the transaction was signed for.
    func originalTransactionID(of transactionID: String, in scope: Int64) async throws -> String?

    /// Returns the subscriptions and purchases of some Apple accounts, whoever owns them, sorted by account and then by
    /// identifier.
    func lineages(ofAccounts appTransactionIDs: [String], in scope: Int64) async throws -> [Lineage]

    /// Returns the Apple accounts of a customer, sorted by identifier, including accounts without a purchase.
    func accounts(of customer: String, in scope: Int64) async throws -> [String]

    /// Returns the subscription group of each product that appears in the App Store's signed data of any customer.
    func productGroups(in scope: Int64) async throws -> [String: String]
}

/// One subscription or one other purchase: all transactions with the same original transaction identifier.
package struct Lineage: Sendable, Hashable {
    package var originalTransactionID: String
    /// The newest version of each transaction.
    package var transactions: [TransactionFact]
    /// The newest renewal info.
    package var renewal: RenewalFact?
    /// The last grace period that a notification named. The newest renewal info no longer names it after its end.
    package var gracePeriod: GracePeriod?
    /// The account that the app named at the purchase.
    package var appAccountToken: UUID?
    /// The app transaction identifier of the Apple account.
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

    /// When the purchase was made, according to the known transactions; nil if there are none.
    package var madeAt: Milliseconds? { transactions.lazy.map(\.purchaseDate).min()?.milliseconds }

    /// Returns the facts of this subscription or purchase alone.
    ///
    /// - Parameter successors: The transactions of other subscriptions that continue this one.
    package func facts(succeededBy successors: [TransactionFact] = []) -> CustomerFacts {
        var facts = CustomerFacts(transactions: transactions + successors, renewals: renewal.map { [$0] } ?? [])
        facts.gracePeriods = gracePeriod.map { [$0] } ?? []
        return facts
    }
}
