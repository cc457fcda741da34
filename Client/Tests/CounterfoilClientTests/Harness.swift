import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation
import Testing

/// The state machine and the effects that it requested, which tests answer explicitly.
struct Harness: ~Copyable {
    var machine: PurchaseStateMachine
    var now = t0
    var jitter = 1.0
    var sent: [(id: Int, request: ClientRequest)] = []
    var open: [Int: ClientRequest] = [:]
    var gathers: [(id: Int, name: GatheredPart.Name)] = []
    var finished: [UInt64] = []
    var delivered: [UInt64] = []
    var notices: [ClientNotice] = []
    var outcomes: [Int: CallOutcome] = [:]
    var timers: [ClientTimer: TimeInterval] = [:]
    var purchases: [PurchaseOptions] = []
    var tokenRequests: [String] = []
    var syncs = 0
    var device: DeviceRecord?
    var record: CustomerRecord?
    var customer: Customer?

    init(_ change: (inout PurchaseClientConfiguration) -> Void = { _ in }) {
        var rules = PurchaseClientConfiguration()
        rules.productEntitlements = [
            ProductEntitlements("monthly", ["pro"]), ProductEntitlements("lifetime", ["pro"]),
            ProductEntitlements("season", ["season"], duration: 30 * 86_400_000),
        ]
        change(&rules)
        machine = PurchaseStateMachine(rules: rules)
    }

    /// A started client with a signed-in customer, whose device has not answered yet.
    static func signedIn(
        _ customer: String = anna, _ change: (inout PurchaseClientConfiguration) -> Void = { _ in }
    ) -> Harness {
        var harness = Harness(change)
        harness.start()
        harness.send(.signedIn(customer: customer, token: "token"))
        return harness
    }

    /// The same after the first launch, with an empty device.
    static func launched(
        _ customer: String = anna, _ change: (inout PurchaseClientConfiguration) -> Void = { _ in }
    ) -> Harness {
        var harness = signedIn(customer, change)
        harness.gather()
        harness.answerAll()
        harness.sent = []
        return harness
    }

    mutating func start() { send(.started(device: device, customer: record, fresh: UUID())) }

    /// Kills the app and starts it again with the saved records.
    mutating func relaunch(
        after seconds: TimeInterval = 60, _ change: (inout PurchaseClientConfiguration) -> Void = { _ in }
    ) {
        let (device, record, now) = (device, record, now)
        self = Harness(change)
        (self.device, self.record, self.now) = (device, record, now.addingTimeInterval(seconds))
        start()
    }

    mutating func send(_ event: ClientEvent) {
        for effect in machine.handle(event, at: now, jitter: jitter) { apply(effect) }
    }

    mutating func apply(_ effect: ClientEffect) {
        switch effect {
        case .saveDevice(let device): self.device = device
        case .saveCustomer(let record): self.record = record
        case .publish(let customer): self.customer = customer
        case .gather(let id, let name): gathers.append((id, name))
        case .send(let id, let request):
            sent.append((id, request))
            open[id] = request
        case .cancel(let request): open[request] = nil
        case .requestToken(let customer, _): tokenRequests.append(customer)
        case .purchase(_, _, let options): purchases.append(options)
        case .sync: syncs += 1
        case .deliver(let transaction): delivered.append(transaction.id)
        case .finish(let id): finished.append(id)
        case .schedule(let timer, let delay): timers[timer] = delay
        case .unschedule(let timer): timers[timer] = nil
        case .complete(let call, let outcome): outcomes[call] = outcome
        case .notify(let notice): notices.append(notice)
        }
    }

    /// Answers all open gather requests of the device.
    mutating func gather(
        unfinished: [DeviceTransaction] = [], current: [DeviceTransaction] = [], all: [DeviceTransaction]? = nil,
        statuses: [DeviceStatus] = [], appTransaction: String? = "e30.e30.e30", receipt: Data? = nil,
        without: Set<GatheredPart.Name> = []
    ) {
        while !gathers.isEmpty {
            let (id, name) = gathers.removeFirst()
            if without.contains(name) { continue }
            switch name {
            case .unfinished: send(.gathered(id, .unfinished(unfinished)))
            case .current: send(.gathered(id, .current(current)))
            case .all: send(.gathered(id, .all(all ?? current)))
            case .statuses: send(.gathered(id, .statuses(statuses)))
            case .appTransaction: send(.gathered(id, .appTransaction(appTransaction)))
            case .receipt: send(.gathered(id, .receipt(receipt)))
            }
        }
    }

    /// Answers every open request, for its environment and with all its transactions kept, unless `change` says
    /// otherwise.
    mutating func answerAll(
        sourceLocation: SourceLocation = #_sourceLocation, _ change: (inout CustomerResponse) -> Void = { _ in }
    ) {
        for _ in 0..<1000 {
            if open.isEmpty { return }
            answerOnce(change)
        }
        Issue.record("The client keeps sending requests.", sourceLocation: sourceLocation)
    }

    mutating func answer(_ id: Int, _ answer: CustomerResponse) {
        open[id] = nil
        send(.answered(request: id, answer))
    }

    /// Answers the oldest open request. Records an issue if there is none, like the methods below.
    mutating func answerOnce(
        sourceLocation: SourceLocation = #_sourceLocation, _ change: (inout CustomerResponse) -> Void = { _ in }
    ) {
        guard let id = open.keys.min(), let request = open[id] else {
            Issue.record("No request is open.", sourceLocation: sourceLocation)
            return
        }
        var answer = CustomerResponse(
            id: request.credential.customer, environment: request.environment ?? "Production", asOf: now)
        answer.kept = request.ids.map { String($0) }
        change(&answer)
        self.answer(id, answer)
    }

    mutating func fail(_ failure: BackendFailure, sourceLocation: SourceLocation = #_sourceLocation) {
        guard let id = open.keys.min() else {
            Issue.record("No request is open.", sourceLocation: sourceLocation)
            return
        }
        open[id] = nil
        send(.failed(request: id, failure))
    }

    mutating func fire(_ timer: ClientTimer, sourceLocation: SourceLocation = #_sourceLocation) {
        guard let delay = timers.removeValue(forKey: timer) else {
            Issue.record("The timer \(timer) is not set.", sourceLocation: sourceLocation)
            return
        }
        now += delay
        send(.timer(timer))
    }

    mutating func pass(_ seconds: TimeInterval) { now += seconds }

    /// Answers every open request with a refusal of these transactions, which belong to another customer.
    mutating func refuseAsInUse(_ ids: [UInt64], sourceLocation: SourceLocation = #_sourceLocation) {
        answerAll(sourceLocation: sourceLocation) {
            $0.kept = []
            $0.refused = ids.map { RefusedItem(id: String($0), code: "receipt_already_in_use") }
        }
    }

    /// Returns the result of a call of `restore`. Fails if the call has not ended, or ended with an error.
    func restoration(
        of call: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RestoreOutcome {
        let found: RestoreOutcome? = if case .restore(let outcome)? = outcomes[call] { outcome } else { nil }
        return try #require(found, sourceLocation: sourceLocation)
    }

    var lastReport: PurchaseReport? { sent.last?.request.report }
    var stuck: [UInt64: StuckReason] {
        Dictionary(machine.stuck.map { ($0.transaction.id, $0.reason) }, uniquingKeysWith: { first, _ in first })
    }
}

extension CallOutcome {
    var purchaseOutcome: PurchaseOutcome? { if case .purchase(let outcome) = self { outcome } else { nil } }
    var error: PurchaseClientError? { if case .failed(let error) = self { error } else { nil } }
    /// The server's state of the purchase, if one was made.
    var confirmation: PurchaseOutcome.Confirmation? {
        if case .purchase(.purchased(_, let confirmation)) = self { confirmation } else { nil }
    }
}

func subscription(
    _ id: UInt64 = 1, purchased: Date = t0 - hour, expires: Date = t0 + 30 * day, token: UUID? = UUID(uuidString: anna),
    revoked: Date? = nil, signed: Date? = nil, environment: String = "Sandbox", isVerified: Bool = true,
    isRenewal: Bool = false
) -> DeviceTransaction {
    .unsigned(
        id, "monthly", originalID: 1, purchased: purchased, expires: expires, revoked: revoked, token: token,
        signed: signed, environment: environment, isVerified: isVerified, isRenewal: isRenewal)
}

func coins(
    _ id: UInt64 = 7, purchased: Date = t0 - hour, token: UUID? = UUID(uuidString: anna), revoked: Date? = nil,
    signed: Date? = nil
) -> DeviceTransaction {
    .unsigned(id, "coins", .consumable, purchased: purchased, revoked: revoked, token: token, signed: signed)
}

func lifetime(_ id: UInt64 = 5, token: UUID? = UUID(uuidString: anna)) -> DeviceTransaction {
    .unsigned(id, "lifetime", .nonConsumable, purchased: t0 - hour, token: token)
}

extension GatheredPart {
    /// The answer of a device without purchases.
    static func nothing(of name: Name) -> Self {
        switch name {
        case .unfinished: .unfinished([])
        case .current: .current([])
        case .all: .all([])
        case .statuses: .statuses([])
        case .appTransaction: .appTransaction("e30.e30.e30")
        case .receipt: .receipt(nil)
        }
    }
}
