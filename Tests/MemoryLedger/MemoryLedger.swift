internal import AppStoreModels
internal import Ledger
internal import Synchronization

/// A ledger in memory: the reference for what an engine does, without a database. It is not optimized.
///
/// It implements the protocols of `Ledger`; the contract suite requires the same results of every engine.
package final class MemoryLedger: Sendable {
    private let state: Mutex<State>
    private let losesAnswer = Mutex(false)

    /// Creates an empty ledger.
    ///
    /// - Parameter step: The distance between consecutive row identifiers. Scopes are numbered without gaps.
    package init(step: Int64 = 1) { state = Mutex(State(step: step)) }

    /// Reads a consistent state.
    func read<Value: Sendable>(_ body: (State) throws -> Value) throws -> Value {
        try state.withLock { try body($0) }
    }

    package var commits: Int { state.withLock(\.commits) }

    /// Makes the next commit fail although its changes are stored, as when a connection is lost.
    package func loseNextAnswer() { losesAnswer.withLock { $0 = true } }

    /// Applies all changes of `body` or, if it throws, none.
    func write<Value: Sendable>(_ body: (inout State) throws -> Value) throws -> Value {
        let value: Value = try state.withLock { state in
            var changed = state
            let value = try body(&changed)
            changed.commits += 1
            state = changed
            return value
        }
        let isLost = losesAnswer.withLock { isLost in
            defer { isLost = false }
            return isLost
        }
        if isLost { throw StorageError(.unconfirmed, "the answer was lost") }
        return value
    }
}

extension MemoryLedger: LedgerEngine {
    /// Does nothing: the contents stay for the next server, like those of a database on another machine.
    package func close() {}
}

extension MemoryLedger {
    /// The scope and the name of an entry.
    struct Key: Hashable, Sendable, Comparable {
        var scope: Int64
        var name: ExactText

        init(_ scope: Int64, _ name: String) { (self.scope, self.name) = (scope, ExactText(name)) }

        static func < (one: Self, other: Self) -> Bool {
            one.scope != other.scope ? one.scope < other.scope : one.name < other.name
        }
    }

    /// The subject of a claim: a purchase or an Apple account.
    struct Subject: Hashable, Sendable {
        var isAccount: Bool
        var key: Key
    }

    struct State: Sendable {
        let step: Int64
        var commits = 0
        var scopes: [AppEnvironment] = []

        // Facts.
        var notifications: [Int64: StoredNotification] = [:]
        var lastNotification: Int64 = 0
        var numbers: [ExactText: Int64] = [:]
        /// Other texts by their numbers, without the minus sign.
        var otherTexts: [Int64: OtherText] = [:]
        var lastOtherText: Int64 = 0
        var inbox: [Int64: Milliseconds] = [:]
        var failures: [Int64: String] = [:]
        var signedFacts: [Int64: SignedFact] = [:]
        var lastSignedFact: Int64 = 0
        var records: [Key: LineageRecord] = [:]
        /// The records that a test has damaged.
        var damagedRecords: Set<Key> = []
        /// The original transaction identifier of each transaction.
        var originals: [Key: String] = [:]
        /// The signing dates of the notifications about each Apple account.
        var accountNotifications: [Key: [Int64: Milliseconds]] = [:]
        var productGroups: [Key: String] = [:]
        var originalPurchases: [Key: OriginalPurchase] = [:]

        // Customers.
        var claims: [Subject: ClaimHistory] = [:]
        var grants: [Key: GrantHistory] = [:]
        /// The end of each grant whose expiry event was not emitted yet.
        var endsToEmit: [Key: Milliseconds] = [:]
        var erasures: [Key: Milliseconds] = [:]

        /// The outbox: see ``numberedEvents``.
        var events: [LedgerEvent] = []

        // Webhooks.
        var endpoints: [Int64: Endpoint] = [:]
        var lastEndpoint: Int64 = 0
        var deliveries: [Int64: Delivery] = [:]

        // Consumption.
        var usage: [UsageKey: UsageReport] = [:]
        var inquiries: [StoredInquiry] = []
        var refundDecisions: Set<StoredDecision> = []

        // Completeness.
        var marks: [Int64: CompletenessMark] = [:]
        var spans: [Int64: UnverifiedSpans] = [:]
        var recoveries: [Int64: Recovery] = [:]
        var lastRecovery: Int64 = 0
        var lastWindow: Int64 = 0
        var unverified: [UnverifiedKey: Unverified] = [:]
        var lastUnverified: Int64 = 0
        var historyRequests: [Key: HistoryRequest] = [:]
        var lastHistoryRequest: Int64 = 0
        var histories: [Key: History] = [:]
        var historyPasses: [Int64: HistoryPass] = [:]

        // Inspection.
        var refusals: [StoredRefusal] = []
        var lastRefusal: Int64 = 0
        var requests: [RequestKey: Request] = [:]
        var audit: [StoredAuditEntry] = []
        var lastAudit: Int64 = 0

        init(step: Int64) { self.step = step }
    }
}
