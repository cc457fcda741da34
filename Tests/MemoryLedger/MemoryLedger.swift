internal import AppStoreModels
internal import Ledger
internal import Synchronization

/// A ledger of values in memory: what an engine has to do, without a database. Nothing in it is fast.
///
/// It answers as the protocols of `Ledger` say, and the contract suite holds it and every other engine to the same answers.
package final class MemoryLedger: Sendable {
    private let state = Mutex(State())

    package init() {}

    /// Reads a consistent state.
    func read<Value: Sendable>(_ body: (State) throws -> Value) throws -> Value {
        try state.withLock { try body($0) }
    }

    package var commits: Int { state.withLock(\.commits) }

    /// Changes everything or, if it throws, nothing.
    func write<Value: Sendable>(_ body: (inout State) throws -> Value) throws -> Value {
        try state.withLock { state in
            var changed = state
            let value = try body(&changed)
            changed.commits += 1
            state = changed
            return value
        }
    }
}

extension MemoryLedger: LedgerEngine {}

extension MemoryLedger {
    /// Something in a scope, by its name.
    struct Key: Hashable, Sendable, Comparable {
        var scope: Int64
        var name: ExactText

        init(_ scope: Int64, _ name: String) { (self.scope, self.name) = (scope, ExactText(name)) }

        static func < (one: Self, other: Self) -> Bool {
            one.scope != other.scope ? one.scope < other.scope : one.name < other.name
        }
    }

    /// What a claim is about: a purchase, or an Apple account.
    struct Subject: Hashable, Sendable {
        var isAccount: Bool
        var key: Key
    }

    struct State: Sendable {
        var commits = 0
        var scopes: [Scope] = []

        // Facts.
        var notifications: [Int64: KeptNotification] = [:]
        var numbers: [ExactText: Int64] = [:]
        /// By their numbers, without the sign.
        var otherTexts: [Int64: OtherText] = [:]
        var inbox: [Int64: Milliseconds] = [:]
        var failures: [Int64: String] = [:]
        var statements: [Int64: Statement] = [:]
        var lastStatement: Int64 = 0
        var records: [Key: LineageRecord] = [:]
        /// Those that cannot be read, in tests.
        var damagedRecords: Set<Key> = []
        /// The purchases of transactions.
        var originals: [Key: String] = [:]
        var productGroups: [Key: String] = [:]
        var originalPurchases: [Key: OriginalPurchase] = [:]

        // What was said of customers.
        var claims: [Subject: ClaimHistory] = [:]
        var grants: [Key: GrantHistory] = [:]
        /// When a grant ends of whose end nobody was told.
        var endsToEmit: [Key: Milliseconds] = [:]
        var erasures: [Key: Milliseconds] = [:]

        /// The outbox: the first has number 1.
        var events: [LedgerEvent] = []

        // Webhooks.
        var endpoints: [Int64: Endpoint] = [:]
        var lastEndpoint: Int64 = 0
        var deliveries: [Int64: Delivery] = [:]

        // Consumption.
        var usage: [UsageKey: UsageReport] = [:]
        var inquiries: [KeptInquiry] = []
        var refundDecisions: Set<KeptDecision> = []

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
        var refusals: [KeptRefusal] = []
        var lastRefusal: Int64 = 0
        var requests: [RequestKey: Request] = [:]
        var audit: [KeptAuditEntry] = []
        var lastAudit: Int64 = 0
    }
}
