package import Foundation

/// The logic of ``PurchaseClient``: takes an event and returns effects.
///
/// It has no clock, tasks, network or store, so that tests can try every order of events. ``PurchaseClient`` carries
/// out the effects and returns their results as events. It is not copyable, because the copy operation would add 8 KB
/// of machine code.
package struct PurchaseStateMachine: ~Copyable, Sendable {
    /// The work on one transaction: report it to the server, deliver it if it is a consumable, and finish it.
    struct Job: Sendable {
        enum Phase: Equatable, Sendable { case waiting, sending(Int), kept, delivering, stuck(StuckReason) }

        var transaction: DeviceTransaction
        var phase = Phase.waiting
        var mode: Mode
        var isUnfinished: Bool
        /// The number of the batch in which the transaction is sent after a report was split into halves; 0 if it was
        /// not.
        var batch = 0
        /// The number of responses that did not mention the transaction.
        var misses = 0
        /// Whether an error said that the purchase belongs to another customer. Errors are not signed: the purchase is
        /// reported again with `restore: false`, which moves nothing, for a response that says the same. Applies until
        /// there is a result.
        var staysWithOwner = false
        /// The calls to buy that wait for the transaction. StoreKit may return the same transaction for two purchases.
        var calls: [Int] = []

        var stuckReason: StuckReason? { if case .stuck(let reason) = phase { reason } else { nil } }
        var isStuck: Bool { stuckReason != nil }
        var isSending: Bool { if case .sending = phase { true } else { false } }

        /// Whether two transactions may be in the same report. A report has one environment.
        func belongs(with other: Self) -> Bool {
            mode == other.mode && mode != .purchase && batch == other.batch
                && transaction.environment == other.transaction.environment
        }
    }

    /// Whether a report may take purchases from other customers: never, or by the server's policy for purchases or
    /// restores.
    enum Mode: Comparable, Sendable { case background, purchase, restore }

    struct Request: Sendable {
        var id: Int
        var credential: CustomerCredential
        var environment: String?
        var isMerge = false
        var mode = Mode.background
        /// The signed date of each transaction that was sent.
        var sent: [UInt64: Date] = [:]
        var extras = Extras()
        var customer: String { credential.customer }
    }

    /// The members of a report besides transactions.
    struct Extras: Sendable {
        var appTransaction: String?
        var receipt: Data?
        var renewals: [UInt64: DeviceStatus] = [:]
        var isEmpty: Bool { appTransaction == nil && receipt == nil && renewals.isEmpty }

        /// The environment of the app transaction, of a renewal info or of the receipt.
        var environment: String? {
            appTransaction.flatMap(SignedText.environment(of:)) ?? renewals.sortedValues.first?.transaction.environment
                ?? receipt.flatMap(Self.environment(of:))
        }

        /// The environment of a receipt by its type; nil for production.
        private static func environment(of receipt: Data) -> String? {
            let types = ["ProductionSandbox", "ProductionVPPSandbox"]
            return types.contains { receipt.range(of: Data(Array($0.utf8))) != nil } ? "Sandbox" : nil
        }

        /// Removes and returns the extras that may be sent with transactions of an environment.
        mutating func removing(_ environment: String) -> Self {
            var part = Self(receipt: receipt)
            receipt = nil
            if appTransaction.flatMap({ SignedText.environment(of: $0) }) ?? environment == environment {
                (part.appTransaction, appTransaction) = (appTransaction, nil)
            }
            for (id, renewal) in renewals where renewal.transaction.environment == environment {
                (part.renewals[id], renewals[id]) = (renewal, nil)
            }
            return part
        }

        /// Adds extras that were not reported. Existing values are newer and stay.
        mutating func add(_ other: Self) {
            appTransaction = appTransaction ?? other.appTransaction
            receipt = receipt ?? other.receipt
            for (id, old) in other.renewals
            where old.renewalSignedDate > renewals[id]?.renewalSignedDate ?? .distantPast { renewals[id] = old }
        }
    }

    struct Gathering: Sendable {
        var id: Int
        /// The number of parts that are missing.
        var pending: Int
        var isRestore: Bool
    }

    struct Restoring: Sendable {
        var calls: [Int]
        var reachedAppStore: Bool?
        /// Whether the restore has not sent a request yet.
        var needsRequest = false
        var failure: BackendFailure?
    }

    indirect enum Saved: Sendable { case records(DeviceRecord?, CustomerRecord?) }

    /// A pause between requests. The client's own pause ends early when something new happens; the server's does not.
    enum Pause: Equatable, Sendable { case ours, servers(until: Date) }

    let rules: PurchaseClientConfiguration
    package internal(set) var device = DeviceRecord()
    package internal(set) var record: CustomerRecord?
    package internal(set) var readiness = Customer.Readiness.checking
    package internal(set) var halted: BackendFailure?
    /// The records as saved last; nil if unknown. The enum is indirect, so that copying it does not copy the records.
    var saved: Saved?
    var now = Date.distantPast
    var credential: CustomerCredential?
    var isRequestingToken = false
    /// Whether the credential was replaced because the server refused it.
    var wasTokenRenewed = false
    /// Whether a doubtful response was reported to the app since the start.
    var hasReportedDoubt = false
    /// Whether the server has responded since the start.
    var hasAnswer = false
    var jobs: [UInt64: Job] = [:]
    /// The running requests, in the order of sending.
    var requests: [Request] = []
    var extras = Extras()
    /// Whether the extras, or the merge, wait for the next launch, sign-in or restore, because they keep failing.
    var (blocksExtras, blocksMerge) = (false, false)
    var unverified: [UInt64: DeviceTransaction] = [:]
    /// StoreKit's current entitlements, verified.
    var current: [UInt64: DeviceTransaction] = [:]
    var statuses: [DeviceStatus] = []
    /// Revoked transactions whose revocation was not reversed.
    var revoked: [UInt64: DeviceTransaction] = [:]
    /// Consumables that the app is delivering. Signing out does not stop a delivery.
    var delivering: Set<UInt64> = []
    var gathering: Gathering?
    var firstGathering = 0
    /// Whether the device's data are read again after the running gathering.
    var gathersAgain = false
    /// Whether the device has listed all its transactions.
    var hasHistory = false
    /// The last number given before the client needed a new response; nil if it needs none. The responses to earlier
    /// requests may be older than the reason.
    var staleSince: Int?
    var attempts = 0
    var pause: Pause?
    var restoring: Restoring?
    /// The running calls to buy.
    var calls: [Int: PurchaseIntent] = [:]
    /// The last number given to a gathering, a request or a batch.
    var lastID = 0
    /// The last number given before the latest response was accepted. Responses to earlier requests may be older.
    var lastAccepted = 0
    var latest, latestAt, lastCheck, scheduledEnd: Date?
    var published: Customer?
    var effects: [ClientEffect] = []
    var jitter = 1.0

    package init(rules: PurchaseClientConfiguration) { self.rules = rules }

    /// Handles an event and returns the effects in the order in which to carry them out. `jitter` is multiplied with
    /// the length of a pause that starts now.
    package mutating func handle(_ event: ClientEvent, at now: Date, jitter: Double) -> [ClientEffect] {
        (self.now, self.jitter) = (now, jitter)
        effects = []
        process(event)
        if restoring == nil { endRestoring() }
        advanceStoredJobs()
        sendDue()
        completeRestore()
        publish()
        return saveEffects() + effects
    }

    private mutating func process(_ event: ClientEvent) {
        switch event {
        case .started(let device, let record, let fresh): start(device, record, fresh)
        case .signedIn(let customer, let token): signIn(customer, token)
        case .signedOut(let fresh): signOut(fresh)
        case .foreground: enterForeground()
        case .store(.transaction(let transaction)): update(transaction, .background)
        case .store(.statuses): check(force: true)
        case .recorded(let transaction): update(transaction, .purchase)
        case .buy(let call, let productID, let options): buy(call, productID, options)
        case .bought(let call, let bought): finishPurchase(call, bought)
        case .restore(let call): restore(call)
        case .synced(let call, let reached): synced(call, reached)
        case .gathered(let id, let part): gathered(id, part)
        case .answered(let request, let answer): answered(request, answer)
        case .failed(let request, let failure): failed(request, failure)
        case .token(let customer, let outcome): receiveToken(customer, outcome)
        case .delivered(let id, let succeeded): delivered(id, succeeded)
        case .timer(let timer): fire(timer)
        }
    }

    private mutating func fire(_ timer: ClientTimer) {
        switch timer {
        case .readiness: readiness = .ready
        case .gathering(let id): if gathering?.id == id { endGathering() }
        case .request(let id):
            effects.append(.cancel(request: id))
            failed(id, .timeout)
        case .token: if isRequestingToken { receiveToken(device.customer ?? "", .failure(.timeout)) }
        case .call(let call): stopWaiting(call)
        case .retry: pause = nil
        case .entitlementEnd:
            if let end = scheduledEnd, instant >= end { check(force: true) }
            scheduledEnd = nil
        }
    }

    /// Handles a transaction from the store. It ends a pause, because an update may mean that the network is back.
    private mutating func update(_ transaction: DeviceTransaction, _ mode: Mode) {
        retryNow()
        receive(transaction, isUnfinished: true, mode)
    }

    private mutating func enterForeground() {
        retryNow()
        // Schedule the end again: timers do not advance while the device sleeps.
        scheduledEnd = nil
        if !(lastCheck.map { isRecent($0, Self.freshness) } ?? false) { check(force: false) }
    }

    private mutating func saveEffects() -> [ClientEffect] {
        var isNew = (device: true, record: true)
        if case .records(let old, let oldRecord)? = saved { isNew = (device != old, record != oldRecord) }
        if isNew.device || isNew.record { saved = .records(device, record) }
        return (isNew.device ? [.saveDevice(device)] : []) + (isNew.record ? [.saveCustomer(record)] : [])
    }

    mutating func makeID() -> Int {
        lastID += 1
        return lastID
    }

    mutating func retryNow() {
        if case .servers(let end)? = pause, end > now { return }
        pause = nil
        effects.append(.unschedule(.retry))
    }

    /// The age of a response after which the client requests a new one.
    static let freshness: TimeInterval = 5 * 60
    /// The maximum age of a response that is used without the server.
    static let validity: TimeInterval = 25 * 3600
    static let day: TimeInterval = 24 * 3600
    /// The maximum time by which the device's clock may be ahead of the App Store's.
    static let clockTolerance: TimeInterval = 10 * 60
    /// The time limit for the readiness check, for reading the device's data, and for a purchase's confirmation.
    static let shortTimeout: TimeInterval = 2
    static let requestTimeout: TimeInterval = 10
    static let restoreTimeout: TimeInterval = 30
}
