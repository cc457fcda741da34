import Foundation

/// What the server answered, and what may be finished because of it.
extension PurchaseStateMachine {
    mutating func answered(_ id: Int, _ answer: CustomerAnswer) {
        // An answer to what was asked for another customer, or too late, is thrown away.
        guard let request = requests[id] else { return }
        guard answer.isAbout(request.customer) else { return failed(id, .invalidAnswer) }
        requests[id] = nil
        effects.append(.unschedule(.request(id)))
        accept(answer, of: id)
        if request.kind == .merge, let anonymous = device.mergesFrom {
            moveIntents(from: anonymous, to: request.customer)
            (device.mergesFrom, device.anonymous) = (nil, nil)
        }
        if request.kind != .merge { needsAnswer = false }
        let kept = Set((answer.kept ?? []).compactMap { UInt64($0) })
        let refused = Dictionary(
            (answer.refused ?? []).compactMap { refusal in
                refusal.id.flatMap { UInt64($0) }.map { ($0, refusal.code) }
            }, uniquingKeysWith: { first, _ in first })
        for (transaction, signedDate) in request.sent.sorted(by: { $0.key < $1.key }) {
            judge(transaction, signedDate, request, isKept: kept.contains(transaction), refused[transaction])
        }
        remember(request.extras)
        if hasHistory, request.mode != .purchase, !hasWork { record?.wasHistorySent = true }
    }

    private mutating func accept(_ answer: CustomerAnswer, of id: Int) {
        (attempts, wasTokenRenewed, hasAnswer) = (0, false, true)
        retryNow()
        becomeReady()
        // Of two that overtook each other the later question counts, or the later instant.
        let isNewer = record?.answer.map { $0.asOf <= answer.asOf } ?? true
        guard id > lastAccepted || isNewer else { return }
        lastAccepted = max(id, lastAccepted)
        var kept = answer
        (kept.kept, kept.refused) = (nil, nil)
        record?.answer = kept
        record?.receivedAt = now
        latest = answer.asOf
    }

    private mutating func remember(_ extras: Extras) {
        if extras.appTransaction != nil { record?.appTransactionSent = now }
        if extras.receipt != nil { record?.wasReceiptSent = true }
        for (id, renewal) in extras.renewals { record?.renewals[id] = renewal.renewalSignedDate }
    }

    private mutating func judge(
        _ id: UInt64, _ signedDate: Date, _ request: Request, isKept: Bool, _ refusal: String?
    ) {
        guard var lane = lanes[id], lane.isSending else { return }
        lane.lot = 0
        lane.phase = .waiting
        lanes[id] = lane
        // A newer text, or the button, came while this one was under way.
        guard lane.transaction.signedDate == signedDate, lane.mode == request.mode else { return }
        if isKept { return keep(id) }
        if let refusal { return refuse(id, refusal, signedDate: signedDate) }
        record?.reported[id] = .init(signedDate: signedDate, date: now, isKept: false)
        lanes[id]?.misses += 1
        if lane.mode == .restore { lanes[id]?.mode = .background }
        if !lane.isUnfinished {
            lanes[id] = nil
        } else if lane.misses >= 1 {
            stick(id, .notNamed)
        }
    }

    private mutating func keep(_ id: UInt64) {
        guard let lane = lanes[id] else { return }
        let transaction = lane.transaction
        let wasKept = record?.reported[id]?.isKept ?? false
        record?.reported[id] = .init(signedDate: transaction.signedDate, date: now, isKept: true)
        let reported = record?.reported.filter { isRecent($0.value.date) }
        record?.reported = reported ?? [:]
        record?.refused[id] = nil
        record?.foreign.remove(transaction.originalID)
        // What was kept before has had its intent; this one is of a later purchase.
        if !wasKept, let intent = intent(of: transaction), intent.customer == device.customer,
            intent.transactionID != nil
                || intent.date <= transaction.purchaseDate.addingTimeInterval(Self.clockTolerance)
        {
            device.intents.removeAll { $0 == intent }
        }
        lanes[id]?.isForeign = false
        lanes[id]?.phase = .kept
    }

    /// The server will not take it, or keeps it for somebody else.
    mutating func refuse(_ id: UInt64, _ code: String, signedDate: Date) {
        guard let lane = lanes[id] else { return }
        if code == StuckReason.ofAnotherCustomer.rawValue {
            record?.foreign.insert(lane.transaction.originalID)
            record?.reported[id] = .init(signedDate: signedDate, date: now, isKept: true)
            effects.append(.notify(.ofAnotherCustomer(lane.transaction)))
            complete(lane, .ofAnotherCustomer)
            lanes[id]?.isForeign = true
            lanes[id]?.phase = .kept
            return
        }
        if Self.passing.contains(code) {
            if lane.mode == .restore { lanes[id]?.mode = .background }
            return wait(nil)
        }
        record?.refused[id] = .init(code: code, signedDate: signedDate, date: now, appVersion: rules.appVersion)
        stick(id, StuckReason(rawValue: code))
    }

    /// Refusals that say nothing of the transaction.
    private static let passing: Set<String> = ["revocation_unknown"]

    private mutating func stick(_ id: UInt64, _ reason: StuckReason) {
        guard let lane = lanes[id] else { return }
        guard lane.isUnfinished else { return lanes[id] = nil }
        lanes[id]?.phase = .stuck(reason)
        lanes[id]?.mode = .background
        effects.append(.notify(.stuck(StuckTransaction(transaction: lane.transaction, reason: reason))))
        complete(lane, .stuck)
    }

    // MARK: Delivering and finishing

    /// Delivers and finishes what the server keeps.
    mutating func advanceKept() {
        for lane in lanes.values.filter({ $0.phase == .kept }).sorted(by: { $0.transaction.id < $1.transaction.id }) {
            advance(lane)
        }
    }

    private mutating func advance(_ lane: Lane) {
        let transaction = lane.transaction
        complete(lane, .kept)
        guard lane.isUnfinished, rules.finishes else { return lanes[transaction.id] = nil }
        if transaction.kind == .consumable {
            guard !lane.isForeign else {
                lanes[transaction.id]?.phase = .stuck(.ofAnotherCustomer)
                return
            }
            let isDelivered = device.delivered.contains(transaction.id)
            if rules.delivers, !isDelivered, transaction.revocationDate == nil { return deliver(transaction) }
        }
        lanes[transaction.id] = nil
        effects.append(.finish(transaction.id))
    }

    private mutating func deliver(_ transaction: DeviceTransaction) {
        lanes[transaction.id]?.phase = .delivering
        guard delivering.insert(transaction.id).inserted else { return }
        effects.append(.deliver(transaction))
    }

    mutating func delivered(_ id: UInt64, _ succeeded: Bool) {
        delivering.remove(id)
        if succeeded, !device.delivered.contains(id) {
            // Long ago finished; a device has few consumables that are not.
            device.delivered = Array((device.delivered + [id]).suffix(500))
        }
        guard let lane = lanes[id], lane.phase == .delivering else { return }
        guard succeeded else {
            lanes[id]?.phase = .stuck(.notDelivered)
            return
        }
        let isCurrent = record?.reported[id].map { $0.signedDate >= lane.transaction.signedDate } ?? false
        lanes[id]?.phase = isCurrent ? .kept : .waiting
    }

    /// Offers the app once more what it could not deliver.
    mutating func retryUndelivered() {
        for (id, lane) in lanes where lane.phase == .stuck(.notDelivered) { lanes[id]?.phase = .kept }
    }

    /// The transactions that could not be handed over, and why.
    package var stuck: [StuckTransaction] {
        let stuck = lanes.values.compactMap { lane -> StuckTransaction? in
            if case .stuck(let reason) = lane.phase {
                return StuckTransaction(transaction: lane.transaction, reason: reason)
            }
            guard lane.isUnfinished, isHeld(lane.transaction) else { return nil }
            return StuckTransaction(transaction: lane.transaction, reason: .waitsForCustomer)
        }
        return (stuck + unverified.values.map { StuckTransaction(transaction: $0, reason: .unverified) })
            .sorted { $0.transaction.id < $1.transaction.id }
    }
}

extension CustomerAnswer {
    /// The server writes identifiers that are UUIDs in lower case.
    func isAbout(_ customer: String) -> Bool {
        id == customer || UUID(uuidString: id).map { $0 == UUID(uuidString: customer) } ?? false
    }
}
