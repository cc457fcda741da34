import Foundation

/// Reads the device's transactions.
extension PurchaseStateMachine {
    /// Reads the device's data, and sends a request if something is new or the last response is old.
    mutating func check(force: Bool, isRestore: Bool = false) {
        guard let record else { return }
        if force || staleSince == nil && (age ?? .infinity) >= Self.freshness { staleSince = lastID }
        guard gathering == nil || isRestore else { return gathersAgain = true }
        if let gathering { effects.append(.unschedule(.gathering(gathering.id))) }
        lastCheck = now
        // Retry failed deliveries, and report again what the responses did not mention.
        for (id, job) in jobs where job.phase == .stuck(.notDelivered) { jobs[id]?.phase = .kept }
        for (id, job) in jobs where job.phase == .stuck(.missingFromResponse) { jobs[id]?.phase = .waiting }
        var parts: [GatheredPart.Name] = [.unfinished, .current, .statuses, .appTransaction]
        if isRestore || !record.wasHistorySent { parts.append(.all) }
        let id = makeID()
        gathering = Gathering(id: id, pending: parts.count, isRestore: isRestore)
        effects += parts.map { .gather(id, $0) }
        effects.append(.schedule(.gathering(id), after: isRestore ? Self.restoreTimeout : Self.shortTimeout))
    }

    mutating func gathered(_ id: Int, _ part: GatheredPart) {
        // Accept late results, unless they were requested for a previous customer.
        guard id >= firstGathering, record != nil else { return }
        let isRestore = gathering?.id == id && gathering?.isRestore == true
        receive(part, isRestore ? .restore : .background)
        guard gathering?.id == id else { return }
        gathering?.pending -= 1
        // With a session token the server refuses reports with a receipt, because a receipt does not identify the Apple
        // Account.
        if case .appTransaction(nil) = part, !usesSession, record?.wasReceiptSent == false || isRestore {
            gathering?.pending += 1
            effects.append(.gather(id, .receipt))
        }
        if gathering?.pending == 0 { endGathering() }
    }

    private mutating func receive(_ part: GatheredPart, _ mode: Mode) {
        switch part {
        case .unfinished(let transactions): transactions.forEach { receive($0, isUnfinished: true, mode) }
        case .current(let transactions):
            // A new purchase may be missing from the list for a while: keep transactions that are being processed.
            for id in current.keys where jobs[id] == nil { current[id] = nil }
            transactions.forEach { receive($0, isUnfinished: false, mode) }
        case .all(let transactions):
            hasHistory = true
            transactions.forEach { receive($0, isUnfinished: false, mode) }
        case .statuses(let statuses): receive(statuses, mode)
        case .appTransaction(let jws):
            // The App Store's version of the app has replaced that of TestFlight, where purchases are free: begin anew.
            if let old = record?.answer?.environment, let new = jws.flatMap(SignedText.environment(of:)), old != new {
                (record, staleSince) = (record.map { CustomerRecord(customer: $0.customer) }, lastID)
            }
            let wasSent = record?.appTransactionSent.map { isRecent($0) } ?? false
            if let jws, !blocksExtras, !wasSent || mode == .restore { extras.appTransaction = jws }
        case .receipt(let receipt):
            // A receipt has no account tokens. Do not send it while another customer has started a purchase on this
            // device: that purchase would go to the wrong customer.
            let isShared = device.intents.contains { $0.customer != device.customer && $0.expires > now }
            if !blocksExtras, !isShared || mode == .restore { extras.receipt = receipt }
        }
    }

    private mutating func receive(_ statuses: [DeviceStatus], _ mode: Mode) {
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
        // The last response is recent and nothing is new.
        if staleSince == nil, !hasWork { becomeReady() }
    }

    /// Processes one transaction from the device. A transaction that comes repeatedly has one ``Job``.
    @inline(never)  // The function is long and has many callers.
    mutating func receive(_ transaction: DeviceTransaction, isUnfinished: Bool, _ mode: Mode, calls: [Int] = []) {
        guard transaction.isVerified else { return refuseUnverified(transaction) }
        unverified[transaction.id] = nil
        updateCurrent(transaction)
        guard record != nil else { return }
        // A purchase is reported again, although an earlier report left it with another customer: the policy decides.
        if mode == .purchase, isForeign(transaction) { record?.reported[transaction.id] = nil }
        // A transaction of a purchase that this customer started earlier, such as an approved Ask to Buy request.
        let isWanted = isUnfinished && intent(of: transaction)?.customer == device.customer
        let mode = mode == .background && isWanted ? .purchase : mode
        if var job = jobs[transaction.id] {
            if transaction.signedDate > job.transaction.signedDate {
                job.transaction = transaction
                // A running request has the older version; after its response this version is sent.
                if job.phase == .kept || job.isStuck { job.phase = .waiting }
            }
            // A refusal may expire while the app is running.
            let over = record?.refused[transaction.id].flatMap { stillApplies($0, of: transaction) ? nil : $0 }
            if let over, job.stuckReason?.rawValue == over.code { job.phase = .waiting }
            job.isUnfinished = job.isUnfinished || isUnfinished
            if job.isStuck, mode == .restore, job.mode != .restore { job.phase = .waiting }
            job.mode = max(job.mode, mode)
            // The customer buys an undelivered consumable again: StoreKit returns the unfinished transaction. Deliver
            // it.
            if mode == .purchase, job.phase == .stuck(.notDelivered) { job.phase = .kept }
            jobs[transaction.id] = job
        } else if let job = newJob(transaction, isUnfinished, mode) {
            jobs[transaction.id] = job
        }
        jobs[transaction.id]?.calls += calls
    }

    private func newJob(_ transaction: DeviceTransaction, _ isUnfinished: Bool, _ mode: Mode) -> Job? {
        var job = Job(transaction: transaction, mode: mode, isUnfinished: isUnfinished)
        if mode != .restore, let refusal = record?.refused[transaction.id], stillApplies(refusal, of: transaction) {
            if !isUnfinished { return nil }
            job.phase = .stuck(StuckReason(rawValue: refusal.code ?? ""))
        } else if mode != .restore, let report = record?.reported[transaction.id],
            // The purchase may belong to another customer by now: report it again after a while.
            report.signedDate >= transaction.signedDate,
            isRecent(report.date, mode == .purchase ? Self.freshness : Self.day)
        {
            if report.isKept == true { job.phase = .kept } else if isUnfinished { job.misses = 1 }
            if !isUnfinished { return nil }
        }
        return job
    }

    /// Whether a purchase belongs to another customer according to the server.
    func isForeign(_ bought: DeviceTransaction) -> Bool { record?.foreign.contains(bought.originalID) ?? false }

    /// Whether a refusal still applies: for a day, and until the app is updated.
    private func stillApplies(_ refusal: CustomerRecord.Report, of transaction: DeviceTransaction) -> Bool {
        refusal.signedDate >= transaction.signedDate && refusal.appVersion == rules.appVersion
            && isRecent(refusal.date)
    }

    /// Whether a date is less than `age` ago. Dates in the future are not recent: the device's clock was set back.
    func isRecent(_ date: Date, _ age: TimeInterval = Self.day) -> Bool { 0..<age ~= now.timeIntervalSince(date) }

    private mutating func refuseUnverified(_ transaction: DeviceTransaction) {
        guard unverified.updateValue(transaction, forKey: transaction.id) != transaction else { return }
        effects.append(.notify(.unverified(transaction)))
    }

    /// Updates the transactions that grant entitlements without the server. A revocation takes effect at once.
    private mutating func updateCurrent(_ transaction: DeviceTransaction) {
        let (id, isRevoked) = (transaction.id, transaction.revocationDate != nil)
        // Updates may arrive out of order: the later signed date wins; if they are equal, the revocation wins.
        guard transaction.signedDate >= current[id]?.signedDate ?? .distantPast,
            transaction.signedDate > revoked[id]?.signedDate ?? .distantPast
        else { return }
        revoked[id] = isRevoked ? transaction : nil
        current[id] = isRevoked || transaction.kind == .consumable ? nil : transaction
    }
}
