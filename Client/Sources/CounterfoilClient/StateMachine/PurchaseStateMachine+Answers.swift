import Foundation

/// What the server answered, and what may be finished because of it.
extension PurchaseStateMachine {
    mutating func answered(_ id: Int, _ answer: CustomerAnswer) {
        // An answer to what was asked for another customer, or too late, is thrown away.
        guard let index = requests.firstIndex(where: { $0.id == id }) else { return }
        guard answer.isAbout(requests[index].customer) else { return failed(id, .invalidAnswer) }
        let request = requests.remove(at: index)
        effects.append(.unschedule(.request(id)))
        accept(answer, of: id)
        if request.isMerge { endMerge(into: request.customer) } else { needsAnswer = false }
        let kept = Set(answer.kept ?? [])
        let sent = request.sent.sortedIDs
        let names = sent.map { String($0) }
        let refused = (answer.refused ?? []).map { (name: $0.transaction(of: names), code: $0.code) }
        for (id, name) in zip(sent, names) {
            judge(id, request, isKept: kept.contains(name), refused.first { $0.name == name }?.code)
        }
        // Refusals that pass count as failures: the pauses before they are tried again double, too.
        if pause == nil { attempts = 0 }
        if request.extras.appTransaction != nil { record?.appTransactionSent = now }
        if request.extras.receipt != nil { record?.wasReceiptSent = true }
        for (id, renewal) in request.extras.renewals { record?.renewals[id] = renewal.renewalSignedDate }
        if hasHistory, request.mode != .purchase, !hasWork { record?.wasHistorySent = true }
    }

    private mutating func accept(_ answer: CustomerAnswer, of id: Int) {
        (wasTokenRenewed, hasAnswer) = (false, true)
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

    mutating func judge(_ id: UInt64, _ request: Request, isKept: Bool, _ refusal: String?) {
        guard let lane = lanes[id], let signedDate = request.sent[id] else { return }
        lanes[id]?.lot = 0
        lanes[id]?.phase = .waiting
        // A newer text, or the button, came while this one was under way.
        guard lane.transaction.signedDate == signedDate, lane.mode == request.mode else { return }
        if isKept { return keep(id) }
        if let refusal { return refuse(id, refusal, signedDate: signedDate) }
        record?.reported[id] = .init(signedDate: signedDate, date: now, isKept: false)
        lanes[id]?.misses += 1
        if lane.mode == .restore { lanes[id]?.mode = .background }
        guard lane.isUnfinished else { return lanes[id] = nil }
        if lane.misses >= 1 { stick(id, .notNamed) }
    }

    private mutating func keep(_ id: UInt64) {
        guard let transaction = lanes[id]?.transaction else { return }
        endIntent(of: transaction)
        record?.reported[id] = .init(signedDate: transaction.signedDate, date: now, isKept: true)
        for (old, report) in record?.reported ?? [:] where !isRecent(report.date) { record?.reported[old] = nil }
        record?.refused[id] = nil
        record?.foreign.remove(transaction.originalID)
        lanes[id]?.isForeign = false
        lanes[id]?.phase = .kept
    }

    /// What was started here is over when the server has said whose it is.
    private mutating func endIntent(of bought: DeviceTransaction) {
        let count = device.intents.count
        // StoreKit may answer several purchases with one transaction.
        device.intents.removeAll { $0.transactionID == bought.id }
        // What was kept before has had its intent; this one is of a later purchase.
        guard device.intents.count == count, record?.reported[bought.id]?.isKept != true,
            let intent = intent(of: bought), intent.customer == device.customer,
            intent.date <= bought.purchaseDate.addingTimeInterval(Self.clockTolerance),
            let index = device.intents.firstIndex(of: intent)
        else { return }
        // One: two that were started at the same instant are alike.
        device.intents.remove(at: index)
    }

    /// The server will not take it, or keeps it for somebody else.
    private mutating func refuse(_ id: UInt64, _ code: String, signedDate: Date) {
        guard let lane = lanes[id] else { return }
        if code == StuckReason.ofAnotherCustomer.rawValue {
            // What a launch found may be older than what waits for an approval.
            if lane.mode != .background { endIntent(of: lane.transaction) }
            record?.foreign.insert(lane.transaction.originalID)
            record?.reported[id] = .init(signedDate: signedDate, date: now, isKept: true)
            effects.append(.notify(.ofAnotherCustomer(lane.transaction)))
            complete(lane, .ofAnotherCustomer)
            lanes[id]?.isForeign = true
            lanes[id]?.phase = .kept
            return
        }
        // This says nothing of the transaction.
        if code == "revocation_unknown" {
            if lane.mode == .restore { lanes[id]?.mode = .background }
            return wait(nil)
        }
        record?.refused[id] = .init(code: code, signedDate: signedDate, date: now, appVersion: rules.appVersion)
        stick(id, StuckReason(rawValue: code))
    }

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
    mutating func advanceKept() { for lane in lanes.sortedValues where lane.phase == .kept { advance(lane) } }

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
            if rules.deliver != nil, !isDelivered, transaction.revocationDate == nil {
                lanes[transaction.id]?.phase = .delivering
                if delivering.insert(transaction.id).inserted { effects.append(.deliver(transaction)) }
                return
            }
        }
        lanes[transaction.id] = nil
        effects.append(.finish(transaction.id))
    }

    mutating func delivered(_ id: UInt64, _ succeeded: Bool) {
        delivering.remove(id)
        if succeeded, !device.delivered.contains(id) {
            // Long ago finished; a device has few consumables that are not.
            device.delivered = Array((device.delivered + [id]).suffix(500))
        }
        guard let lane = lanes[id], lane.phase == .delivering else { return }
        let isCurrent = record?.reported[id].map { $0.signedDate >= lane.transaction.signedDate } ?? false
        lanes[id]?.phase = !succeeded ? .stuck(.notDelivered) : isCurrent ? .kept : .waiting
    }

    /// The transactions that could not be handed over, and why.
    package var stuck: [StuckTransaction] {
        let verified = lanes.sortedValues.compactMap { lane in
            let reason = lane.stuckReason ?? (lane.isUnfinished && isHeld(lane) ? .waitsForCustomer : nil)
            return reason.map { StuckTransaction(transaction: lane.transaction, reason: $0) }
        }
        return verified + unverified.sortedValues.map { StuckTransaction(transaction: $0, reason: .unverified) }
    }
}

extension Refusal {
    /// Which transaction it is about, of those that were sent in this order. A renewal info's is about none.
    func transaction(of sent: [String]) -> String? {
        let parts = param?.split(separator: "[") ?? []
        if let member = parts.first, member != "signed_transactions" { return nil }
        if let id { return id }
        return parts.last.flatMap { Int(String($0.dropLast())) }.flatMap { sent.indices.contains($0) ? sent[$0] : nil }
    }
}
