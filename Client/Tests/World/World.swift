import CounterfoilClient
import Foundation

/// A random simulation of a device, a server and three customers.
///
/// The client's state machine is in the middle. Its effects are performed in any order, late, twice or not at all.
package struct World: ~Copyable {
    static let customers = [anna, bert, "carl"]

    struct Paid {
        var transaction: DeviceTransaction
        /// The customer who bought it on this device; nil if it was bought elsewhere.
        var buyer: String?
        /// Whether the server can never verify it.
        var isBad = false
        var isFinished = false
    }

    var random: SeededGenerator
    var machine: PurchaseStateMachine
    let rules: PurchaseClientConfiguration
    /// The true time. The device's clock may differ.
    var time = t0
    var skew: TimeInterval = 0
    /// Whether the device's clock was ever so wrong that the buyer cannot be determined.
    var wasClockAbsurd = false
    /// Whether the app was ever deleted with its records, which name the buyers.
    var wasReinstalled = false
    /// Whether the client may not know who bought a transaction without an account token.
    var mayForgetBuyers: Bool { wasClockAbsurd || wasReinstalled }
    /// Whether the device's clock was ever wrong.
    var wasClockWrong = false
    var store: [UInt64: Paid] = [:]
    var nextTransaction: UInt64 = 1
    /// Every transaction that the device listed, by its signed text.
    var texts: [String: DeviceTransaction] = [:]
    var device: DeviceRecord?
    var record: CustomerRecord?
    // MARK: The server
    var kept: Set<UInt64> = []
    var owners: [UInt64: String] = [:]
    /// The transactions that a restore moved from the customer who bought them here.
    var moved: Set<UInt64> = []
    var answers: [String: [CustomerResponse]] = [:]
    /// The account that has to get what an anonymous customer bought: the first one that signed in.
    var accounts: [String: String] = [:]
    var lastUUID = 0
    var isQuiet = false
    // MARK: Pending work
    var requests: [Int: ClientRequest] = [:]
    var gathers: [(id: Int, name: GatheredPart.Name)] = []
    var purchases: [(call: Int, productID: String, options: PurchaseOptions, buyer: String)] = []
    var approvals: [(productID: String, options: PurchaseOptions, buyer: String, until: Date)] = []
    var lastBuy: [String: (buyer: String?, date: Date)] = [:]
    var deliveries: [DeviceTransaction] = []
    var tokens: [(customer: String, isAnonymous: Bool)] = []
    /// The calls to restore whose sync is running.
    var syncs: [Int] = []
    var restores: Set<Int> = []
    var timers: [ClientTimer: Date] = [:]
    var checkingSince: Date?
    var shown: String?
    var lastCall = 0
    var violations: [String] = []
    package private(set) var trace: [String] = []
    let isTraced: Bool

    package init(seed: UInt64, isTraced: Bool = false) {
        random = SeededGenerator(seed: seed)
        self.isTraced = isTraced
        var rules = PurchaseClientConfiguration()
        if Bool.random(using: &random) { rules.token = { _ in nil } }
        if Int.random(in: 0..<4, using: &random) > 0 { rules.deliver = { _, _ in } }
        rules.finishes = Int.random(in: 0..<10, using: &random) > 0
        rules.allowsAnonymousCustomers = Int.random(in: 0..<3, using: &random) == 0
        rules.productEntitlements = [
            ProductEntitlements("monthly", ["pro"]), ProductEntitlements("lifetime", ["pro"]),
            ProductEntitlements("season", ["season"], duration: 30 * 86_400_000),
            ProductEntitlements("family", ["pro"]), ProductEntitlements("seat", ["pro"]),
        ]
        self.rules = rules
        machine = PurchaseStateMachine(rules: rules)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func note(_ text: @autoclosure () -> String) { if isTraced { trace.append(text()) } }

    mutating func expect(_ condition: Bool, _ claim: @autoclosure () -> String) {
        if !condition { violations.append(claim()) }
    }

    var customer: String? { machine.device.customer }

    // MARK: Driving the client

    mutating func send(_ event: ClientEvent) {
        note("· \(event)")
        let jitter = Double.random(in: 0.5...1.5, using: &random)
        let effects = machine.handle(event, at: time.addingTimeInterval(skew), jitter: jitter)
        // The app is killed at some await, and the remaining effects are not performed.
        let isKilled = !isQuiet && chance(1)
        let count = isKilled ? Int.random(in: 0...effects.count, using: &random) : effects.count
        for effect in effects.prefix(count) { apply(effect) }
        if isKilled { launch() }
    }

    /// Starts the app again without its pending work.
    mutating func launch() {
        note("launch")
        machine = PurchaseStateMachine(rules: rules)
        (requests, gathers, purchases, deliveries, tokens, syncs) = ([:], [], [], [], [], [])
        (restores, timers, checkingSince) = ([], [:], nil)
        send(.started(device: device, customer: record, fresh: makeUUID()))
    }

    /// Deletes the app with its records, and installs it again.
    mutating func reinstall() {
        (device, record, accounts, wasReinstalled) = (nil, nil, [:], true)
        launch()
    }

    mutating func apply(_ effect: ClientEffect) {
        note("    → \(effect)")
        switch effect {
        case .saveDevice(let device):
            follow(device)
            self.device = device
        case .saveCustomer(let record): self.record = record
        case .publish(let customer): check(customer)
        case .gather(let id, let name): gathers.append((id, name))
        case .send(let id, let request): check(id, request)
        case .cancel(let id): requests[id] = nil
        case .requestToken(let customer, let isAnonymous): tokens.append((customer, isAnonymous))
        case .purchase(let call, let productID, let options):
            expect(
                device?.intents.contains { $0.productID == productID } ?? false, "bought before the intent was saved")
            purchases.append((call, productID, options, customer ?? ""))
        case .sync(let call):
            expect(!restores.isEmpty, "a sync without a restore")
            syncs.append(call)
        case .deliver(let transaction): check(delivery: transaction)
        case .finish(let id): check(finish: id)
        case .schedule(let timer, let delay):
            expect(delay >= 0 && delay.isFinite, "a timer with an invalid delay")
            timers[timer] = time.addingTimeInterval(delay)
        case .unschedule(let timer): timers[timer] = nil
        case .complete(let call, _): restores.remove(call)
        case .notify: break
        }
    }

    // MARK: Invariants

    private mutating func check(_ id: Int, _ request: ClientRequest) {
        expect(customer != nil, "something was sent while signed out")
        expect(request.credential.customer == customer, "something was sent for another customer")
        let needsToken = rules.token != nil || machine.device.anonymous == customer
        expect(!needsToken || request.credential.token != nil, "something was sent without a token")
        switch request.kind {
        case .fetch: expect(!requests.values.contains(where: \.isFetch), "two fetches are running")
        case .merge(let anonymous, _):
            expect(accounts[anonymous] == customer, "\(anonymous) is merged into another account than the first one")
            expect(!requests.values.contains(where: \.isMerge), "two merges are running")
        case .report(let report):
            let open = Set(requests.values.flatMap { $0.report?.signedTransactions ?? [] }.compactMap { texts[$0]?.id })
            for text in report.signedTransactions {
                let transaction = texts[text]
                expect(transaction?.isVerified == true, "an unverified transaction was sent")
                expect(!open.contains(transaction?.id ?? 0), "\(transaction?.id ?? 0) is being sent twice")
                expect(transaction?.environment == report.environment, "environments are mixed")
            }
            expect(report.restore != true || !restores.isEmpty, "a report with restore, but without a restore")
            expect(report.signedTransactions.count <= 500, "more than 500 transactions in a report")
        }
        requests[id] = request
    }

    private mutating func check(delivery transaction: DeviceTransaction) {
        expect(transaction.kind == .consumable && rules.finishes, "\(transaction.id) was delivered")
        expect(kept.contains(transaction.id), "\(transaction.id) was delivered before it was kept")
        expect(owners[transaction.id] == customer, "\(transaction.id) was delivered to another customer")
        expect(device?.delivered.contains(transaction.id) == false, "\(transaction.id) was delivered twice")
        expect(!deliveries.contains { $0.id == transaction.id }, "\(transaction.id) is delivered twice at once")
        deliveries.append(transaction)
    }

    private mutating func check(finish id: UInt64) {
        guard let paid = store[id] else { return expect(false, "\(id) was never bought") }
        expect(rules.finishes, "\(id) was finished although the client must not finish")
        expect(customer != nil, "\(id) was finished while signed out")
        expect(kept.contains(id), "\(id) was finished before it was kept")
        expect(paid.transaction.isVerified, "\(id) was finished unverified")
        let isDelivered = device?.delivered.contains(id) ?? false
        expect(
            paid.transaction.kind != .consumable || rules.deliver == nil || isDelivered
                || paid.transaction.revocationDate != nil, "\(id) was finished before it was delivered")
        store[id]?.isFinished = true
    }

    private mutating func check(_ customer: Customer) {
        // The wait begins anew with each customer who signs in.
        if customer.id != shown { checkingSince = nil }
        shown = customer.id
        checkingSince = customer.readiness == .checking ? checkingSince ?? time : nil
        for entitlement in customer.entitlements where entitlement.isActive {
            let byServer = (answers[customer.id ?? ""] ?? []).contains { answer in
                answer.entitlements.contains {
                    $0.key == entitlement.key && $0.isActive && $0.until == entitlement.until
                }
            }
            let byDevice = texts.values.contains { transaction in
                transaction.isVerified && transaction.revocationDate == nil && transaction.kind != .consumable
                    && (transaction.appAccountToken.map { $0.uuidString.lowercased() == customer.id } ?? true)
                    && rules.productEntitlements.contains {
                        $0.productID == transaction.productID && $0.entitlements.contains(entitlement.key)
                    }
            }
            let isOver = entitlement.until.map { $0 <= time } ?? false
            expect(!isOver || wasClockWrong, "\(entitlement.key) is active after its end")
            expect(
                entitlement.source == .device ? byDevice : byServer,
                "\(entitlement.key) is active, but neither the server nor the device grants it")
        }
    }

    mutating func checkReadiness() {
        guard let checkingSince else { return }
        expect(time.timeIntervalSince(checkingSince) <= 2, "a buy button waits for more than two seconds")
    }
}
