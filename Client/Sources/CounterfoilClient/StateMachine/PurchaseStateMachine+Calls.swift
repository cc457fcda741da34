import Foundation

/// The buy button and the restore button.
extension PurchaseStateMachine {
    mutating func buy(_ call: Int, _ productID: String, _ options: PurchaseOptions) {
        guard let customer = device.customer else {
            return effects.append(.complete(call: call, .failed(.notSignedIn)))
        }
        retryNow()
        // Asked to buy, somebody may take weeks.
        let expires = now.addingTimeInterval(30 * Self.day)
        var options = options
        // What an anonymous customer buys names no account: it goes with the Apple account, also when it is approved later.
        let token = isAnonymous ? record?.answer?.appAccountToken : accountToken
        options.appAccountToken = options.appAccountToken ?? token
        let intent = PurchaseIntent(
            customer: customer, productID: productID, date: now, expires: expires, token: options.appAccountToken)
        calls[call] = intent
        device.intents = Array((device.intents.filter { $0.expires > now } + [intent]).suffix(100))
        effects.append(.purchase(call: call, productID: productID, options: options))
    }

    mutating func finishPurchase(_ call: Int, _ bought: Result<PurchaseResult, PurchaseClientError>, wasStarted: Bool) {
        guard let intent = calls.removeValue(forKey: call) else { return }
        let index = device.intents.lastIndex(of: intent)
        switch bought {
        case .failure(let error):
            // Nothing can come of what nobody was asked for.
            if let index, !wasStarted { device.intents.remove(at: index) }
            effects.append(.complete(call: call, .failed(error)))
        case .success(.pending): effects.append(.complete(call: call, .purchase(.pending)))
        case .success(.cancelled):
            // A purchase that was interrupted says so too, and goes on outside the app.
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
        receive(transaction, isUnfinished: true, isTheirs ? .purchase : .background, calls: isTheirs ? [call] : [])
        guard isTheirs else {
            let confirmation: PurchaseOutcome.Confirmation = transaction.isVerified ? .awaited : .stuck
            return effects.append(.complete(call: call, .purchase(.purchased(transaction, confirmation))))
        }
        guard let lane = lanes[transaction.id], lane.calls.contains(call) else { return }
        if lane.isStuck || isHeld(lane) || lane.phase == .delivering { return stopWaiting(lane) }
        effects.append(.schedule(.call(call), after: Self.patience))
    }

    private mutating func complete(_ call: Int, _ outcome: CallOutcome) {
        effects += [.unschedule(.call(call)), .complete(call: call, outcome)]
    }

    /// Tells who waits for a purchase how far the server is.
    mutating func complete(_ lane: Lane, _ confirmation: PurchaseOutcome.Confirmation) {
        lanes[lane.transaction.id]?.calls = []
        for call in lane.calls { complete(call, .purchase(.purchased(lane.transaction, confirmation))) }
    }

    /// The server takes its time. The purchase is safe, so nobody waits any longer.
    mutating func stopWaiting(_ call: Int) {
        if restoring?.calls.contains(call) ?? false { return giveUpRestore(.timeout) }
        stopWaiting(lanes.values.first { $0.calls.contains(call) })
    }

    mutating func stopWaiting(_ lane: Lane?) {
        guard let lane else { return }
        complete(lane, lane.isStuck || isHeld(lane) ? .stuck : lane.phase == .delivering ? .kept : .awaited)
    }

    // MARK: The restore button

    mutating func restore(_ call: Int) {
        guard device.customer != nil else { return effects.append(.complete(call: call, .failed(.notSignedIn))) }
        if restoring != nil {
            restoring?.calls.append(call)
        } else {
            restoring = Restoring(calls: [call])
            effects.append(.sync)
        }
    }

    /// The only way that anybody is asked for a password leads through ``restore(_:)``.
    mutating func synced(_ reachedAppStore: Bool) {
        guard restoring?.reachedAppStore == nil, let call = restoring?.calls.first else { return }
        restoring?.reachedAppStore = reachedAppStore
        restoring?.needsRequest = true
        // Pressed again, a button may try what was refused before.
        (halted, blocksExtras) = (nil, false)
        retryNow()
        check(force: true, isRestore: true)
        effects.append(.schedule(.call(call), after: Self.restoreTimeout))
    }

    /// What is left of the button's work goes on by itself, and takes nothing from anybody.
    mutating func giveUpRestore(_ failure: BackendFailure) {
        endRestoring()
        // While the App Store asks for the password, nothing of the button's can have failed.
        guard let stopped = restoring, stopped.reachedAppStore != nil else { return }
        restoring?.failure = stopped.failure ?? failure
        restoring?.needsRequest = false
        if gathering?.isRestore ?? false { endGathering() }
    }

    /// What is under way keeps what the customer asked for; what is sent from now on does not.
    mutating func endRestoring() {
        for (id, lane) in lanes where lane.mode == .restore && !lane.isSending { lanes[id]?.mode = .background }
    }

    mutating func completeRestore() {
        if case .servers? = pause { giveUpRestore(BackendFailure(code: "backoff", isRetryable: true)) }
        guard let restoring, let reached = restoring.reachedAppStore, !restoring.needsRequest,
            gathering?.isRestore != true || restoring.failure != nil
        else { return }
        let isUnderWay =
            requests.contains { $0.mode == .restore }
            || lanes.values.contains { $0.mode == .restore && ($0.phase == .waiting || $0.isSending) }
        guard !isUnderWay || restoring.failure != nil else { return }
        self.restoring = nil
        let outcome = RestoreOutcome(customer: customer, reachedAppStore: reached, failure: restoring.failure)
        for call in restoring.calls { complete(call, .restore(outcome)) }
    }
}
