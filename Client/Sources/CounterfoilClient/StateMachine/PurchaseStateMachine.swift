package import Foundation

/// Decides what happens next: an event goes in, effects come out.
///
/// It has no clock, no tasks, no network and no store, so that every order of events can be tried. ``PurchaseClient``
/// carries out the effects and feeds back what came of them. Nobody copies it: what copies all of its parts is 8 KB of code.
package struct PurchaseStateMachine: ~Copyable, Sendable {
    /// One transaction on its way to the server and out of StoreKit's queue.
    struct Lane: Sendable {
        enum Phase: Equatable, Sendable { case waiting, sending(Int), kept, delivering, stuck(StuckReason) }

        var transaction: DeviceTransaction
        var phase = Phase.waiting
        var mode: Mode
        var isUnfinished: Bool
        /// Transactions that were refused together, or took too long together, are sent in halves, by this number.
        var lot = 0
        /// How often the server answered without naming it.
        var misses = 0
        var isForeign = false
        /// The purchases that wait for it. StoreKit may answer two with one transaction.
        var calls: [Int] = []
    }

    /// What a report takes from other customers: nothing, what the policy says of a purchase, or of a restore.
    enum Mode: Comparable, Sendable { case background, purchase, restore }

    struct Request: Sendable {
        var id: Int
        var credential: CustomerCredential
        var isMerge = false
        var mode = Mode.background
        /// What was sent of each transaction: when it was signed.
        var sent: [UInt64: Date] = [:]
        var extras = Extras()
        var customer: String { credential.customer }
    }

    /// What a report holds beside transactions.
    struct Extras: Sendable {
        var appTransaction: String?
        var receipt: Data?
        var renewals: [UInt64: DeviceStatus] = [:]
        var isEmpty: Bool { appTransaction == nil && receipt == nil && renewals.isEmpty }
    }

    struct Gathering: Sendable {
        var id: Int
        /// How many answers are missing.
        var pending: Int
        var isRestore: Bool
    }

    struct Restoring: Sendable {
        var calls: [Int]
        var reachedAppStore: Bool?
        /// Whether the button has not led to a request yet.
        var needsRequest = false
        var failure: BackendFailure?
    }

    indirect enum Saved: Sendable { case records(DeviceRecord?, CustomerRecord?) }

    /// Why nothing is sent for a while. Ours ends early when there is something new; the server's does not.
    enum Pause: Equatable, Sendable { case ours, servers(until: Date) }

    let rules: PurchaseClientConfiguration
    package internal(set) var device = DeviceRecord()
    package internal(set) var record: CustomerRecord?
    package internal(set) var readiness = Customer.Readiness.checking
    package internal(set) var halted: BackendFailure?
    /// What the device keeps; nil if that is not known. Indirect: a copy of the state copies no records.
    var saved: Saved?
    var isStarted = false
    var now = Date.distantPast
    var credential: CustomerCredential?
    var isAskingForToken = false
    var wasTokenRenewed = false
    /// Whether the app knows since the start that somebody else may be answering.
    var wasDoubtTold = false
    /// Whether the server answered since the start.
    var hasAnswer = false
    var lastAccepted = 0
    var lanes: [UInt64: Lane] = [:]
    /// What was sent and is not answered, in the order of sending.
    var requests: [Request] = []
    var extras = Extras()
    var blocksExtras = false
    var unverified: [UInt64: DeviceTransaction] = [:]
    /// StoreKit's current entitlements, verified.
    var current: [UInt64: DeviceTransaction] = [:]
    var statuses: [DeviceStatus] = []
    /// Transactions that were taken back, and not given back since.
    var revoked: [UInt64: DeviceTransaction] = [:]
    /// Consumables that the app is delivering. Signing out does not stop it.
    var delivering: Set<UInt64> = []
    var gathering: Gathering?
    var firstGathering = 0
    var gathersAgain = false
    var hasHistory = false
    var lastCheck: Date?
    var needsAnswer = false
    var attempts = 0
    var pause: Pause?
    var restoring: Restoring?
    /// Purchases under way.
    var calls: [Int: PurchaseIntent] = [:]
    var lastID = 0
    var latest: Date?
    var scheduledEnd: Date?
    var published: Customer?
    var effects: [ClientEffect] = []
    var jitter = 1.0

    package init(rules: PurchaseClientConfiguration) { self.rules = rules }

    /// Takes an event and returns what to do, in this order. A pause that begins now is multiplied by `jitter`.
    package mutating func handle(_ event: ClientEvent, at now: Date, jitter: Double) -> [ClientEffect] {
        (self.now, self.jitter) = (now, jitter)
        effects = []
        process(event)
        if restoring == nil { endRestoring() }
        advanceKept()
        sendDue()
        completeRestore()
        publish()
        return saves() + effects
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
        case .bought(let call, let bought, let wasStarted): finishPurchase(call, bought, wasStarted: wasStarted)
        case .restore(let call): restore(call)
        case .synced(let reached): synced(reached)
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
        case .call(let call): stopWaiting(call)
        case .retry: pause = nil
        case .entitlementEnd:
            if let end = scheduledEnd, instant >= end { check(force: true) }
            scheduledEnd = nil
        }
    }

    /// An update may be the first sign that the network is back.
    private mutating func update(_ transaction: DeviceTransaction, _ mode: Mode) {
        retryNow()
        receive(transaction, isUnfinished: true, mode)
    }

    private mutating func enterForeground() {
        retryNow()
        // Timers stand still while the device sleeps.
        scheduledEnd = nil
        if let lastCheck, now >= lastCheck, now.timeIntervalSince(lastCheck) < Self.freshness { return }
        check(force: false)
    }

    private mutating func saves() -> [ClientEffect] {
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
        guard pause != nil else { return }
        pause = nil
        effects.append(.unschedule(.retry))
    }

    /// How old an answer may be before the server is asked again.
    static let freshness: TimeInterval = 5 * 60
    /// How old an answer may be to decide without the server.
    static let validity: TimeInterval = 25 * 3600
    static let day: TimeInterval = 24 * 3600
    /// How far the device's clock may be ahead of the App Store's.
    static let clockTolerance: TimeInterval = 10 * 60
    /// How long a buy button waits, and how long the device may take to answer.
    static let patience: TimeInterval = 2
    static let requestTimeout: TimeInterval = 10
    static let restoreTimeout: TimeInterval = 30
}
