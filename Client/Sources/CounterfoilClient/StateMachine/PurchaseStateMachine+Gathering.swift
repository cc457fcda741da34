import Foundation

/// What the device has.
extension PurchaseStateMachine {
    /// Looks at the device and asks the server, if anything is new or the last answer is old.
    mutating func check(force: Bool, isRestore: Bool = false) {
        guard let record else { return }
        if force || (age ?? .infinity) >= Self.freshness { needsAnswer = true }
        guard gathering == nil || isRestore else { return gathersAgain = true }
        if let gathering { effects.append(.unschedule(.gathering(gathering.id))) }
        lastCheck = now
        // The app is offered once more what it could not deliver.
        for (id, lane) in lanes where lane.phase == .stuck(.notDelivered) { lanes[id]?.phase = .kept }
        var parts: [GatheredPart.Name] = [.unfinished, .current, .statuses, .appTransaction]
        if isRestore || !record.wasHistorySent { parts.append(.all) }
        let id = makeID()
        gathering = Gathering(id: id, pending: parts.count, isRestore: isRestore)
        effects += parts.map { .gather(id, $0) }
        effects.append(.schedule(.gathering(id), after: isRestore ? Self.restoreTimeout : Self.patience))
    }

    mutating func gathered(_ id: Int, _ part: GatheredPart) {
        // What comes late counts, unless it was asked for another customer.
        guard id >= firstGathering, record != nil else { return }
        let isRestore = gathering?.id == id && gathering?.isRestore == true
        take(part, isRestore ? .restore : .background)
        guard gathering?.id == id else { return }
        gathering?.pending -= 1
        // In a session the server refuses a receipt, which names no Apple account, and all that is sent with it.
        if case .appTransaction(nil) = part, !usesSession, record?.wasReceiptSent == false || isRestore {
            gathering?.pending += 1
            effects.append(.gather(id, .receipt))
        }
        if gathering?.pending == 0 { endGathering() }
    }

    private mutating func take(_ part: GatheredPart, _ mode: Mode) {
        switch part {
        case .unfinished(let transactions): transactions.forEach { receive($0, isUnfinished: true, mode) }
        case .current(let transactions):
            // What was just bought may be missing from the list for a while.
            for id in current.keys where lanes[id] == nil { current[id] = nil }
            transactions.forEach { receive($0, isUnfinished: false, mode) }
        case .all(let transactions):
            hasHistory = true
            transactions.forEach { receive($0, isUnfinished: false, mode) }
        case .statuses(let statuses): take(statuses, mode)
        case .appTransaction(let jws):
            let wasSent = record?.appTransactionSent.map { isRecent($0) } ?? false
            if let jws, !blocksExtras, !wasSent || mode == .restore { extras.appTransaction = jws }
        case .receipt(let receipt):
            // It does not say whom each purchase was signed for: who bought here and is signed out would lose it.
            let isShared = device.intents.contains { $0.customer != device.customer && $0.expires > now }
            if !blocksExtras, !isShared || mode == .restore { extras.receipt = receipt }
        }
    }

    private mutating func take(_ statuses: [DeviceStatus], _ mode: Mode) {
        self.statuses = statuses.filter(\.isVerified)
        for status in self.statuses {
            let id = status.transaction.originalID
            receive(status.transaction, isUnfinished: false, mode)
            let isNew = record?.renewals[id].map { $0 < status.renewalSignedDate } ?? true
            if mode == .restore || isNew && !isHeld(status.transaction), !blocksExtras { extras.renewals[id] = status }
        }
    }

    mutating func endGathering() {
        guard let gathering else { return }
        effects.append(.unschedule(.gathering(gathering.id)))
        let isDue = gathersAgain
        (self.gathering, gathersAgain) = (nil, false)
        if isDue { check(force: false) }
        // A fresh answer is there, and nothing is new.
        if !needsAnswer, !hasWork { becomeReady() }
    }

    /// Takes one transaction, however often and from wherever it comes: each has one lane.
    @inline(never)  // It is long, and everything that the device hands over comes through it.
    mutating func receive(_ transaction: DeviceTransaction, isUnfinished: Bool, _ mode: Mode, calls: [Int] = []) {
        guard transaction.isVerified else { return refuseUnverified(transaction) }
        unverified[transaction.id] = nil
        learn(transaction)
        guard record != nil else { return }
        // Who buys what a launch left with another customer asks the policy.
        if mode == .purchase, isForeign(transaction) { record?.reported[transaction.id] = nil }
        // A purchase that the customer started here and that came later, as with Ask to Buy.
        let isWanted = isUnfinished && intent(of: transaction)?.customer == device.customer
        let mode = mode == .background && isWanted ? .purchase : mode
        if var lane = lanes[transaction.id] {
            if transaction.signedDate > lane.transaction.signedDate {
                lane.transaction = transaction
                // What is under way is about the older text; its answer sends this one.
                if lane.phase == .kept || lane.isStuck { lane.phase = .waiting }
            }
            // A refusal may be over without a launch.
            let over = record?.refused[transaction.id].flatMap { stillHolds($0, of: transaction) ? nil : $0 }
            if let over, lane.stuckReason?.rawValue == over.code { lane.phase = .waiting }
            lane.isUnfinished = lane.isUnfinished || isUnfinished
            if lane.isStuck, mode == .restore, lane.mode != .restore { lane.phase = .waiting }
            lane.mode = max(lane.mode, mode)
            // Who buys it again, because nothing came of it, gets what StoreKit still has.
            if mode == .purchase, lane.phase == .stuck(.notDelivered) { lane.phase = .kept }
            lanes[transaction.id] = lane
        } else if let lane = newLane(transaction, isUnfinished, mode) {
            lanes[transaction.id] = lane
        }
        lanes[transaction.id]?.calls += calls
    }

    private func newLane(_ transaction: DeviceTransaction, _ isUnfinished: Bool, _ mode: Mode) -> Lane? {
        var lane = Lane(transaction: transaction, mode: mode, isUnfinished: isUnfinished)
        if mode != .restore, let refusal = record?.refused[transaction.id], stillHolds(refusal, of: transaction) {
            if !isUnfinished { return nil }
            lane.phase = .stuck(StuckReason(rawValue: refusal.code))
        } else if mode != .restore, let report = record?.reported[transaction.id],
            // What is bought again after a while may have moved to another customer.
            report.signedDate >= transaction.signedDate,
            isRecent(report.date, mode == .purchase ? Self.freshness : Self.day)
        {
            if report.isKept { lane.phase = .kept } else if isUnfinished { lane.misses = 1 }
            lane.isForeign = isForeign(transaction)
            if !isUnfinished { return nil }
        }
        return lane
    }

    /// Whether the server left a purchase with another customer.
    func isForeign(_ bought: DeviceTransaction) -> Bool { record?.foreign.contains(bought.originalID) ?? false }

    /// A refusal holds for a day, and until the app was updated.
    private func stillHolds(_ refusal: CustomerRecord.Refused, of transaction: DeviceTransaction) -> Bool {
        refusal.signedDate >= transaction.signedDate && refusal.appVersion == rules.appVersion
            && isRecent(refusal.date)
    }

    /// Whether something was less than a day ago, or than that time. A clock that was set back makes it long ago.
    func isRecent(_ date: Date, _ age: TimeInterval = Self.day) -> Bool { 0..<age ~= now.timeIntervalSince(date) }

    private mutating func refuseUnverified(_ transaction: DeviceTransaction) {
        guard unverified.updateValue(transaction, forKey: transaction.id) != transaction else { return }
        effects.append(.notify(.unverified(transaction)))
    }

    /// Keeps what decides without the server. A revocation counts at once.
    private mutating func learn(_ transaction: DeviceTransaction) {
        let (id, isRevoked) = (transaction.id, transaction.revocationDate != nil)
        // Updates may come out of order: the text that was signed last counts, and of two signed at once the revocation.
        guard transaction.signedDate >= current[id]?.signedDate ?? .distantPast,
            transaction.signedDate > revoked[id]?.signedDate ?? .distantPast
        else { return }
        revoked[id] = isRevoked ? transaction : nil
        current[id] = isRevoked || transaction.kind == .consumable ? nil : transaction
    }
}

extension PurchaseStateMachine.Lane {
    var stuckReason: StuckReason? { if case .stuck(let reason) = phase { reason } else { nil } }
    var isStuck: Bool { stuckReason != nil }
    var isSending: Bool { if case .sending = phase { true } else { false } }
}
