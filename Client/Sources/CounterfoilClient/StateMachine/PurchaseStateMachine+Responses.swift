import Foundation

/// Handles the server's responses, and delivers and finishes transactions that the server has stored.
extension PurchaseStateMachine {
    mutating func answered(_ id: Int, _ answer: CustomerResponse) {
        // Ignore a response to an unknown request: it timed out, or was sent for another customer.
        guard let index = requests.firstIndex(where: { $0.id == id }) else { return }
        guard answer.answers(requests[index]) else { return failed(id, .unrelated) }
        let request = requests.remove(at: index)
        effects.append(.unschedule(.request(id)))
        accept(answer, of: id)
        if request.isMerge { endMerge(into: request.customer) } else if id > staleSince ?? 0 { staleSince = nil }
        let kept = Set(answer.kept ?? [])
        let sent = request.sent.sortedIDs
        let names = sent.map { String($0) }
        let refused = (answer.refused ?? []).map { (name: $0.transaction(of: names), code: $0.code) }
        for (id, name) in zip(sent, names) {
            applyResult(id, request, isKept: kept.contains(name), refused.first { $0.name == name }?.code)
        }
        for (old, report) in record?.reported ?? [:] where !isRecent(report.date) { record?.reported[old] = nil }
        // Keep the number of attempts if a refusal started a pause: repeated temporary refusals double the delay.
        if pause == nil { attempts = 0 }
        if request.extras.appTransaction != nil { record?.appTransactionSent = now }
        if request.extras.receipt != nil { record?.wasReceiptSent = true }
        for (id, renewal) in request.extras.renewals { record?.renewals[id] = renewal.renewalSignedDate }
        if hasHistory, request.mode != .purchase, !hasWork { record?.wasHistorySent = true }
    }

    private mutating func accept(_ answer: CustomerResponse, of id: Int) {
        (wasTokenRenewed, hasAnswer) = (false, true)
        retryNow()
        becomeReady()
        // Responses may arrive out of order: accept one to a request that was sent after the last accepted response, or
        // with a later `asOf`.
        let isNewer = record?.answer.map { $0.asOf <= answer.asOf } ?? true
        guard id > lastAccepted || isNewer else { return }
        lastAccepted = lastID
        if isNewer, let old = record?.answer, old.environment == answer.environment,
            old.owned.contains(where: { !answer.owned.contains($0) })
                || old.consumables.contains(where: { lost in
                    !answer.consumables.contains { $0.productID == lost.productID && $0.quantity >= lost.quantity }
                })
        {
            // The server was restored from a backup, or the purchases were moved: report everything again, once.
            record?.forgetReports()
            hasHistory = false
            check(force: true)
        }
        var kept = answer
        (kept.kept, kept.refused) = (nil, nil)
        record?.answer = kept
        record?.receivedAt = now
        // Schedule the end again: the server's time may differ from the estimate.
        (latest, latestAt, scheduledEnd) = (answer.asOf, now, nil)
    }

    mutating func applyResult(_ id: UInt64, _ request: Request, isKept: Bool, _ refusal: String?) {
        guard let job = jobs[id], let signedDate = request.sent[id] else { return }
        jobs[id]?.batch = 0
        jobs[id]?.phase = .waiting
        jobs[id]?.staysWithOwner = false
        // The transaction changed, or a restore started, while the request was running: send it again.
        guard job.transaction.signedDate == signedDate, job.mode == request.mode else { return }
        if isKept { return markKept(id, job, isForeign: false) }
        if job.mode == .restore { jobs[id]?.mode = .background }
        if let refusal { return applyRefusal(id, job, refusal, signedDate: signedDate) }
        record?.reported[id] = .init(signedDate: signedDate, date: now, isKept: false)
        jobs[id]?.misses += 1
        if job.misses >= 1 || !job.isUnfinished { markStuck(id, .missingFromResponse) }
    }

    private mutating func markKept(_ id: UInt64, _ job: Job, isForeign: Bool) {
        let (bought, purchase) = (job.transaction, job.transaction.originalID)
        // A transaction found at launch may be older than a purchase that waits for approval: keep the intent.
        if !isForeign || job.mode != .background { endIntent(of: bought) }
        record?.reported[id] = .init(signedDate: bought.signedDate, date: now, isKept: true)
        record?.refused[id] = nil
        if isForeign { record?.foreign.insert(purchase) } else { record?.foreign.remove(purchase) }
        jobs[id]?.phase = .kept
    }

    /// Removes the purchase intent of a transaction, after the server has assigned it to a customer.
    private mutating func endIntent(of bought: DeviceTransaction) {
        let count = device.intents.count
        // StoreKit may answer several purchases with one transaction.
        device.intents.removeAll { $0.transactionID == bought.id }
        // The intent of a transaction that was stored before is gone; a matching one belongs to a later purchase.
        guard device.intents.count == count, record?.reported[bought.id]?.isKept != true,
            let intent = intent(of: bought), intent.customer == device.customer,
            intent.date <= bought.purchaseDate.addingTimeInterval(Self.clockTolerance),
            let index = device.intents.firstIndex(of: intent)
        else { return }
        // Remove only one: two purchases started at the same instant have equal intents.
        device.intents.remove(at: index)
    }

    /// Handles the server's refusal of a transaction.
    private mutating func applyRefusal(_ id: UInt64, _ job: Job, _ code: String, signedDate: Date) {
        if code == StuckReason.belongsToAnotherCustomer.rawValue {
            markKept(id, job, isForeign: true)
            effects.append(.notify(.belongsToAnotherCustomer(job.transaction)))
            return complete(job, .belongsToAnotherCustomer)
        }
        // The server could not check revocation: the transaction itself is not refused.
        if code == "revocation_unknown" { return backOff(nil) }
        record?.refused[id] = .init(signedDate: signedDate, date: now, code: code, appVersion: rules.appVersion)
        markStuck(id, StuckReason(rawValue: code))
    }

    private mutating func markStuck(_ id: UInt64, _ reason: StuckReason) {
        guard let job = jobs[id] else { return }
        guard job.isUnfinished else { return jobs[id] = nil }
        jobs[id]?.phase = .stuck(reason)
        jobs[id]?.mode = .background
        let stuck = StuckTransaction(transaction: job.transaction, reason: reason)
        // Later attempts to report a transaction that the responses do not mention cause no further notices.
        if job.misses <= 2 || reason != .missingFromResponse { effects.append(.notify(.stuck(stuck))) }
        complete(job, .stuck)
    }

    // MARK: Delivering and finishing

    /// Delivers and finishes the transactions that the server has stored.
    mutating func advanceStoredJobs() { for job in jobs.sortedValues where job.phase == .kept { advance(job) } }

    private mutating func advance(_ job: Job) {
        let transaction = job.transaction
        complete(job, .stored)
        guard job.isUnfinished, rules.finishes else { return jobs[transaction.id] = nil }
        if transaction.kind == .consumable {
            guard !isForeign(transaction) else {
                jobs[transaction.id]?.phase = .stuck(.belongsToAnotherCustomer)
                return
            }
            let isDelivered = device.delivered.contains(transaction.id)
            if rules.deliver != nil, !isDelivered, transaction.revocationDate == nil {
                jobs[transaction.id]?.phase = .delivering
                if delivering.insert(transaction.id).inserted { effects.append(.deliver(transaction)) }
                return
            }
        }
        jobs[transaction.id] = nil
        effects.append(.finish(transaction.id))
    }

    mutating func delivered(_ id: UInt64, _ succeeded: Bool) {
        delivering.remove(id)
        // Keep the last 500: older ones are finished, and a device has few unfinished consumables.
        if succeeded, !device.delivered.contains(id) { device.delivered = Array((device.delivered + [id]).suffix(500)) }
        guard let job = jobs[id], job.phase == .delivering else { return }
        let isCurrent = record?.reported[id].map { $0.signedDate >= job.transaction.signedDate } ?? false
        jobs[id]?.phase = !succeeded ? .stuck(.notDelivered) : isCurrent ? .kept : .waiting
    }

    /// The transactions that could not be reported or delivered, with the reasons.
    package var stuck: [StuckTransaction] {
        let verified = jobs.sortedValues.compactMap { job in
            let reason = job.stuckReason ?? (job.isUnfinished && isHeld(job) ? .awaitingSignIn : nil)
            return reason.map { StuckTransaction(transaction: job.transaction, reason: $0) }
        }
        return verified + unverified.sortedValues.map { StuckTransaction(transaction: $0, reason: .unverified) }
    }
}
