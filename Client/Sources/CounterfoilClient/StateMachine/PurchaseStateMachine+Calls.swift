import Foundation

/// Handles calls to buy and to restore.
extension PurchaseStateMachine {
    mutating func buy(_ call: Int, _ productID: String, _ options: PurchaseOptions) {
        guard let customer = device.customer else { return complete(call, .failed(.notSignedIn)) }
        retryNow()
        // The approval of an Ask to Buy request may take weeks.
        let expires = now.addingTimeInterval(30 * Self.day)
        var options = options
        // The random identifier of an anonymous customer must not become the account token: the purchase follows the
        // Apple Account, also if it is approved later.
        let token = isAnonymous ? record?.answer?.appAccountToken : accountToken
        options.appAccountToken = options.appAccountToken ?? token
        let intent = PurchaseIntent(
            customer: customer, productID: productID, date: now, expires: expires, token: options.appAccountToken)
        calls[call] = intent
        device.intents = Array((device.intents.filter { $0.expires > now } + [intent]).suffix(100))
        effects.append(.purchase(call: call, productID: productID, options: options))
    }

    mutating func finishPurchase(_ call: Int, _ bought: Result<PurchaseResult, PurchaseClientError>) {
        guard let intent = calls.removeValue(forKey: call) else { return }
        let index = device.intents.lastIndex(of: intent)
        switch bought {
        case .failure(let error):
            // No transaction can follow a purchase that did not start.
            if let index, error.code != .storeFailed { device.intents.remove(at: index) }
            effects.append(.complete(call: call, .failed(error)))
        case .success(.pending): effects.append(.complete(call: call, .purchase(.pending)))
        case .success(.cancelled):
            // StoreKit also reports an interrupted purchase as cancelled; it continues outside the app.
            if let index { device.intents[index].expires = now.addingTimeInterval(Self.day) }
            effects.append(.complete(call: call, .purchase(.cancelled)))
        case .success(.success(let transaction)):
            if transaction.isVerified, let index { device.intents[index].transactionID = transaction.id }
            receivePurchase(call, transaction, of: intent.customer)
        }
    }

    private mutating func receivePurchase(_ call: Int, _ transaction: DeviceTransaction, of customer: String) {
        retryNow()
        let isTheirs = customer == device.customer && transaction.isVerified
        // An unfinished consumable that the server left with another customer: ask again, because the policy decides.
        if isTheirs, isForeign(transaction), jobs[transaction.id]?.isStuck == true { jobs[transaction.id] = nil }
        receive(transaction, isUnfinished: true, isTheirs ? .purchase : .background, calls: isTheirs ? [call] : [])
        guard isTheirs else {
            return complete(call, .purchase(.purchased(transaction, transaction.isVerified ? .awaitingServer : .stuck)))
        }
        guard let job = jobs[transaction.id], job.calls.contains(call) else { return }
        if job.isStuck || isHeld(job) || job.phase == .delivering { return stopWaiting(job) }
        effects.append(.schedule(.call(call), after: Self.shortTimeout))
    }

    private mutating func complete(_ call: Int, _ outcome: CallOutcome) {
        effects += [.unschedule(.call(call)), .complete(call: call, outcome)]
    }

    /// Completes the calls that wait for a transaction.
    mutating func complete(_ job: Job, _ confirmation: PurchaseOutcome.Confirmation) {
        jobs[job.transaction.id]?.calls = []
        for call in job.calls { complete(call, .purchase(.purchased(job.transaction, confirmation))) }
    }

    /// Completes a call whose time limit is over. The purchase itself continues.
    mutating func stopWaiting(_ call: Int) {
        if restoring?.calls.contains(call) ?? false { return giveUpRestore(.timeout) }
        stopWaiting(jobs.values.first { $0.calls.contains(call) })
    }

    mutating func stopWaiting(_ job: Job?) {
        guard let job else { return }
        complete(job, job.isStuck || isHeld(job) ? .stuck : job.phase == .delivering ? .stored : .awaitingServer)
    }

    // MARK: The restore button

    mutating func restore(_ call: Int) {
        guard device.customer != nil else { return complete(call, .failed(.notSignedIn)) }
        restoring?.calls.append(call)
        guard restoring == nil else { return }
        restoring = Restoring(calls: [call])
        effects.append(.sync(call: call))
    }

    /// Continues a restore after the synchronisation with the App Store that it started: that of a previous customer's
    /// restore may end later. Only ``restore(_:)`` starts one, because it may ask the customer for a password.
    mutating func synced(_ call: Int, _ reachedAppStore: Bool) {
        guard restoring?.reachedAppStore == nil, restoring?.calls.first == call else { return }
        restoring?.reachedAppStore = reachedAppStore
        restoring?.needsRequest = true
        // A restore may retry what the server refused before.
        (halted, blocksExtras, blocksMerge, wasTokenRenewed) = (nil, false, false, false)
        retryNow()
        check(force: true, isRestore: true)
        effects.append(.schedule(.call(call), after: Self.restoreTimeout))
    }

    /// Ends the wait for a restore. Its remaining transactions are reported in the background, which moves no purchase.
    mutating func giveUpRestore(_ failure: BackendFailure) {
        endRestoring()
        // Before the App Store has responded, the restore has sent no request that could fail.
        guard let stopped = restoring, stopped.reachedAppStore != nil else { return }
        restoring?.failure = stopped.failure ?? failure
        restoring?.needsRequest = false
        if gathering?.isRestore ?? false { endGathering() }
    }

    /// Returns transactions that are not being sent to background mode. Running requests keep the restore mode.
    mutating func endRestoring() {
        for (id, job) in jobs where job.mode == .restore && !job.isSending { jobs[id]?.mode = .background }
    }

    mutating func completeRestore() {
        if case .servers? = pause { giveUpRestore(BackendFailure(code: "backoff", isRetryable: true)) }
        guard let restoring, let reached = restoring.reachedAppStore, !restoring.needsRequest else { return }
        let isUnderWay =
            gathering?.isRestore == true || requests.contains { $0.mode == .restore }
            || jobs.values.contains { $0.mode == .restore && ($0.phase == .waiting || $0.isSending) }
        guard !isUnderWay || restoring.failure != nil else { return }
        self.restoring = nil
        let outcome = RestoreOutcome(customer: customer, reachedAppStore: reached, failure: restoring.failure)
        for call in restoring.calls { complete(call, .restore(outcome)) }
    }
}
