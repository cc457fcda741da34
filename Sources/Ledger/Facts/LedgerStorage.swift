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
/// call changes nothing more, unless its description says what it adds. But it may return something else: `duplicate`
/// instead of `stored`, for example, and then nobody processes the notification. So an engine throws `unconfirmed` when
/// the answer to a commit is lost, and leaves the repetition to the caller. By itself it runs a transaction again only
/// if it knows that nothing is stored, as after a conflict with another transaction. So it may call a function in the
/// parameters several times: such a function changes nothing.
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
    ///
    /// If a fact changes the owner of a purchase, because it names another account, the change has an event too, which
    /// precedes that of the notification. The same applies to ``commit(_:)``.
    func commit(received: [ReceivedNotification], processed: [ProcessedNotification]) async throws -> [InsertionResult]

    /// Stores facts that were received without a notification. Returns how many of them changed the ledger; nothing is
    /// written for the others.
    func commit(_ signedFacts: [SignedFact]) async throws -> Int

    /// Marks a pending notification as failed because its signed parts do not verify. Any other notification does not
    /// change: another server has processed it meanwhile, or has marked it.
    ///
    /// - Parameter notification: The ``InboxText/code``.
    func fail(_ notification: Int64, code: String, message: String, at now: Milliseconds) async throws

    /// Marks a pending notification as failed because its stored text is corrupt. Any other notification does not
    /// change.
    ///
    /// - Parameter notification: The ``InboxText/code``.
    /// - Returns: False, without a change, if the text is readable: it was received again meanwhile.
    func failDamaged(_ notification: Int64, message: String, at now: Milliseconds) async throws -> Bool

    /// Returns the pending notifications after a code (``InboxText``), sorted by code. A page has elements if there are
    /// any after `id`, but may have fewer than the limit although more follow. Those before `id` may become pending
    /// meanwhile, so a caller that needs all begins again.
    func pending(after id: Int64, limit: Int) async throws -> [StoredNotification]

    /// Returns the number of pending notifications, and of the oldest when it arrived and its code (``InboxText``).
    func backlog() async throws -> (count: Int, oldest: Milliseconds?, oldestCode: Int64?)
}
