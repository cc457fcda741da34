import CounterfoilClient
import Foundation

/// Random events.
extension World {
    /// Performs random events, then lets the client finish and checks it. Returns the violations.
    package mutating func run(steps: Int) -> [String] {
        launch()
        for _ in 0..<steps where violations.isEmpty { step() }
        if violations.isEmpty { recoverAndCheck() }
        return violations
    }

    mutating func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<22: answerDevice()
        case 22..<42: answerRequest()
        case 42..<47: answerToken()
        case 47..<52: endDelivery()
        case 52..<60: endPurchase()
        case 60..<65: sendUpdate()
        case 65..<70: buy()
        case 70..<72: buyElsewhere()
        case 72..<74: changeText()
        case 74..<79: signIn()
        case 79..<81: send(.signedOut(fresh: makeUUID()))
        case 81..<83: restore()
        case 83..<86: endSync()
        case 86..<88: send(.foreground)
        case 88..<90: send(.statusesChanged)
        case 90..<96: pass(Double.random(in: 0.1...20, using: &random))
        case 96: pass(Double.random(in: 60...90_000, using: &random))
        case 97: changeClock()
        case 98: if chance(20) { reinstall() } else { launch() }
        default: approve()
        }
    }

    /// Advances the time and fires timers.
    mutating func pass(_ seconds: TimeInterval) {
        let end = time.addingTimeInterval(seconds)
        var rings = 0
        while rings < 1000, let (timer, due) = timers.min(by: { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }),
            due <= end
        {
            rings += 1
            time = max(time, due)
            checkReadiness()
            timers[timer] = nil
            send(.timer(timer))
        }
        time = end
        checkReadiness()
    }

    private mutating func changeClock() {
        wasClockWrong = true
        if chance(20) {
            skew = Double.random(in: -10 * year...10 * year, using: &random)
            wasClockAbsurd = true
        } else {
            skew = Double.random(in: -300...300, using: &random)
        }
    }

    private mutating func signIn() {
        guard let customer = Self.customers.randomElement(using: &random) else { return }
        send(.signedIn(customer: customer, token: rules.token != nil && chance(50) ? "token" : nil))
    }

    // MARK: The store

    mutating func register(_ transaction: DeviceTransaction) -> DeviceTransaction {
        texts[transaction.jws] = transaction
        return transaction
    }

    mutating func make(
        _ productID: String, buyer: String?, token: UUID?, purchased: Date? = nil
    ) -> DeviceTransaction {
        let id = nextTransaction
        nextTransaction += 1
        let kinds: [String: ProductKind] = [
            "monthly": .autoRenewable, "lifetime": .nonConsumable, "season": .nonRenewing, "coins": .consumable,
            "gems": .consumable, "family": .autoRenewable, "seat": .autoRenewable,
        ]
        let kind = kinds[productID] ?? .nonConsumable
        let isVerified = isQuiet || !chance(3)
        let transaction = DeviceTransaction(
            id: id, originalID: id, productID: productID, kind: kind, purchaseDate: purchased ?? time,
            expirationDate: kind == .autoRenewable
                ? time.addingTimeInterval(Double.random(in: 60...90_000, using: &random)) : nil,
            appAccountToken: token, environment: chance(95) ? "Production" : "Sandbox", signedDate: time,
            jws: "text-\(id)-0", isVerified: isVerified)
        store[id] = Paid(transaction: transaction, buyer: buyer, isBad: chance(3))
        return register(transaction)
    }

    private mutating func buyElsewhere() {
        let token = chance(60) ? UUID(uuidString: chance(50) ? anna : bert) : nil
        // Family shared subscriptions and seats name no account.
        let products =
            token == nil ? ["season", "gems", "family", "seat"] : ["monthly", "lifetime", "coins", "season", "gems"]
        guard let product = products.randomElement(using: &random) else { return }
        let transaction = make(product, buyer: nil, token: token)
        if chance(70) { send(.updated(transaction)) }
    }

    /// Sends an update with a newer version, possibly a refund, or with the same version again.
    private mutating func changeText() {
        guard let id = store.keys.sorted().randomElement(using: &random), var paid = store[id] else { return }
        if chance(60) {
            paid.transaction.signedDate = time
            paid.transaction.jws = "text-\(id)-\(time.timeIntervalSince1970)"
            if chance(50) { paid.transaction.revocationDate = time }
            store[id] = paid
        }
        send(.updated(register(paid.transaction)))
    }

    /// Sends an update late, repeatedly or out of order, like StoreKit.
    private mutating func sendUpdate() {
        guard let text = texts.keys.sorted().randomElement(using: &random), let transaction = texts[text] else {
            return
        }
        send(chance(90) ? .updated(transaction) : .recorded(transaction))
    }

    private mutating func buy() {
        // Two customers who wait for one product cannot be distinguished without a token. This is intended and not
        // tested here.
        let waiting = Set(approvals.map(\.productID) + purchases.map(\.productID))
        let products = ["monthly", "lifetime", "coins"].filter { !waiting.contains($0) }
        guard let product = products.randomElement(using: &random) else { return }
        if let last = lastBuy[product], last.buyer != customer, time.timeIntervalSince(last.date) < 1800 { return }
        lastBuy[product] = (customer, time)
        lastCall += 1
        send(.buy(call: lastCall, productID: product, options: PurchaseOptions()))
    }

    mutating func endPurchase() {
        guard let index = purchases.indices.randomElement(using: &random) else { return }
        let purchase = purchases.remove(at: index)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
            let transaction = make(purchase.productID, buyer: purchase.buyer, token: purchase.options.appAccountToken)
            if chance(20) { send(.updated(transaction)) }
            send(.bought(call: purchase.call, .success(.success(transaction))))
        case 5..<8:
            let until = time.addingTimeInterval(20 * day)
            approvals.append((purchase.productID, purchase.options, purchase.buyer, until))
            send(.bought(call: purchase.call, .success(.pending)))
        case 8: send(.bought(call: purchase.call, .success(.cancelled)))
        default: send(.bought(call: purchase.call, .failure(PurchaseClientError(.storeFailed, "odd"))))
        }
    }

    private mutating func approve() {
        guard let index = approvals.indices.randomElement(using: &random) else { return }
        let approval = approvals.remove(at: index)
        guard approval.until > time, chance(80) else { return }
        send(.updated(make(approval.productID, buyer: approval.buyer, token: approval.options.appAccountToken)))
    }

    mutating func answerDevice() {
        guard let index = gathers.indices.randomElement(using: &random) else { return }
        let (id, name) = gathers.remove(at: index)
        let all = store.sorted { $0.key < $1.key }.map(\.value)
        func texts(_ isIn: (Paid) -> Bool) -> [DeviceTransaction] { all.filter(isIn).map { register($0.transaction) } }
        let isLacking = !isQuiet && chance(10)
        switch name {
        case .unfinished: send(.gathered(id, .unfinished(isLacking ? [] : texts { !$0.isFinished })))
        case .current:
            let now = time
            let current = texts {
                $0.transaction.kind != .consumable && $0.transaction.revocationDate == nil
                    && $0.transaction.expirationDate.map { $0 > now } ?? true
            }
            send(.gathered(id, .current(isLacking ? [] : current)))
        case .all: send(.gathered(id, .all(texts { $0.transaction.kind != .consumable || !$0.isFinished })))
        case .statuses:
            let statuses = texts { $0.transaction.kind == .autoRenewable && $0.transaction.isVerified }
                .map { status($0, signed: $0.signedDate) }
            send(.gathered(id, .statuses(isLacking ? [] : statuses)))
        case .appTransaction: send(.gathered(id, .appTransaction(chance(80) ? "app" : nil)))
        case .receipt:
            // A receipt lists all purchases except finished consumables.
            let listed = all.filter { $0.transaction.kind != .consumable || !$0.isFinished }.map(\.transaction.id)
            send(.gathered(id, .receipt(Data(listed.map(String.init).joined(separator: ",").utf8))))
        }
    }

    private mutating func restore() {
        lastCall += 1
        restores.insert(lastCall)
        send(.restore(call: lastCall))
    }

    mutating func endSync() {
        guard let index = syncs.indices.randomElement(using: &random) else { return }
        send(.synced(call: syncs.remove(at: index), reachedAppStore: chance(80)))
    }

    mutating func endDelivery() {
        guard let index = deliveries.indices.randomElement(using: &random) else { return }
        let transaction = deliveries.remove(at: index)
        send(.delivered(transaction.id, isQuiet || chance(70)))
    }

    mutating func answerToken() {
        guard !tokens.isEmpty else { return }
        let (customer, isAnonymous) = tokens.removeFirst()
        guard isQuiet || chance(80) else {
            return send(.token(customer: customer, .failure(chance(80) ? .noConnection : .noToken)))
        }
        let name = isAnonymous && rules.token == nil ? Self.appleAccount : customer
        send(.token(customer: customer, .success(CustomerCredential(customer: name, token: "token"))))
    }
}
