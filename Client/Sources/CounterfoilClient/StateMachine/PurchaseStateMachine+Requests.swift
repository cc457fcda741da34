import Foundation

/// What is sent, and when.
extension PurchaseStateMachine {
    /// Sends what is due: each purchase by itself at once, the rest in one report at a time.
    mutating func sendDue() {
        guard isStarted, halted == nil else { return }
        for lane in waiting.filter({ $0.mode == .purchase }) {
            guard let credential = credentialToSend() else { return }
            send([lane], .purchase, credential)
        }
        guard gathering == nil, !requests.contains(where: { $0.mode != .purchase }), needsAnswer || hasWork,
            let credential = credentialToSend()
        else { return }
        if let anonymous = device.mergesFrom {
            let request = Request(id: makeID(), credential: credential, isMerge: true)
            send(request, credential, .merge(from: anonymous, environment: environment))
        } else if let first = waiting.min(by: { ($1.mode, $0.lot) < ($0.mode, $1.lot) }) {
            let lot = waiting.filter { $0.belongs(with: first) }.prefix(PurchaseReport.maximum)
            send(Array(lot), first.mode, credential)
        } else if hasWork {
            send([], restoring?.needsRequest == true ? .restore : .background, credential)
        } else if requests.isEmpty {
            send(Request(id: makeID(), credential: credential), credential, .fetch(environment: environment))
        }
    }

    /// Whether there is something to send beside the question what the customer has.
    var hasWork: Bool {
        device.mergesFrom != nil || !extras.isEmpty || restoring?.needsRequest == true || !waiting.isEmpty
    }

    /// What waits to be sent.
    private var waiting: [Lane] { lanes.sortedValues.filter { $0.phase == .waiting && !isHeld($0) } }

    private mutating func send(_ lot: [Lane], _ mode: Mode, _ credential: CustomerCredential) {
        var request = Request(id: makeID(), credential: credential, mode: mode)
        let environment = lot.first?.transaction.environment ?? extras.environment ?? environment ?? ""
        // A purchase is sent alone, and so is a part of what was refused or took too long.
        if mode != .purchase, lot.first?.lot ?? 0 == 0 { request.extras = extras.removing(environment) }
        if mode == .restore { restoring?.needsRequest = false }
        for lane in lot { request.sent[lane.transaction.id] = lane.transaction.signedDate }
        var report = PurchaseReport()
        report.signedTransactions = lot.map(\.transaction.jws)
        let renewals = request.extras.renewals.sortedValues.map(\.renewalJWS)
        report.signedRenewals = renewals.isEmpty ? nil : renewals
        (report.appTransaction, report.receipt) = (request.extras.appTransaction, request.extras.receipt)
        report.restore = mode == .purchase ? nil : mode == .restore
        report.environment = environment.isEmpty ? nil : environment
        send(request, credential, .report(report))
    }

    private mutating func send(_ request: Request, _ credential: CustomerCredential, _ kind: ClientRequest.Kind) {
        let id = request.id
        requests.append(request)
        for transaction in request.sent.keys { lanes[transaction]?.phase = .sending(id) }
        effects.append(.send(id, ClientRequest(credential: credential, kind: kind)))
        effects.append(.schedule(.request(id), after: Self.requestTimeout))
    }

    /// Where this app buys. The server speaks of production unless it is told.
    var environment: String? {
        extras.environment ?? current.values.max { $0.signedDate < $1.signedDate }?.environment
            ?? record?.answer?.environment
    }

    mutating func failed(_ id: Int, _ failure: BackendFailure) {
        guard let index = requests.firstIndex(where: { $0.id == id }) else { return }
        let request = requests.remove(at: index)
        effects.append(.unschedule(.request(id)))
        for transaction in request.sent.keys where lanes[transaction]?.phase == .sending(id) {
            lanes[transaction]?.phase = .waiting
        }
        becomeReady()
        // A 401 is about the account's token, unless the anonymous customer has none.
        let isRefusal = failure.remedy == .stop && failure.status != 401 || failure.remedy == .split
        if request.isMerge, isRefusal || failure == .noToken {
            // What the server has stays the anonymous customer's; the button can still bring it over.
            endMerge(into: request.customer)
            return effects.append(.notify(.notMerged(failure)))
        }
        if failure.remedy != .split { extras.add(request.extras) }
        // What was refused with another token than the present one says nothing of that.
        switch failure.remedy == .stop && request.credential != credential ? .newToken : failure.remedy {
        case .retry:
            // The restore has failed. Its transactions are sent again without `restore: true`, which moves no purchase.
            if request.mode == .restore { giveUpRestore(failure) }
            for id in request.sent.sortedIDs { stopWaiting(lanes[id]) }
            // A slow network does not take everything at once.
            if failure == .timeout { halve(request) }
            // A new token may expire before the server is reached.
            wasTokenRenewed = false
            wait(failure)
        case .newToken:
            // The restore is sent again, even if it had no transactions.
            if request.mode == .restore, restoring?.reachedAppStore != nil { restoring?.needsRequest = true }
            // Another request got this response first: the app has given a newer token or has been asked for one.
            guard request.credential == credential else { return }
            // The app has given a new token before, and the server refuses that one too.
            if wasTokenRenewed { halt(failure) }
            (credential, wasTokenRenewed) = (nil, true)
        case .split: divide(request, failure)
        case .stop: halt(failure)
        }
    }

    /// Finds the part that the server refuses: first what the response names, then by halves, down to one transaction.
    private mutating func divide(_ request: Request, _ failure: BackendFailure) {
        let ids = request.sent.sortedIDs
        // The server names the element too: `signed_renewals[2]`.
        let blamed = failure.parameter?.prefix { $0 != "[" } ?? ""
        let blamesExtras = ["app_transaction", "receipt", "signed_renewals"].contains(blamed)
        // In a report with transactions, `receipt_already_in_use` is about them.
        let isInUse = failure.code == StuckReason.ofAnotherCustomer.rawValue
        let blamesTransaction = (blamed == "signed_transactions" || isInUse) && !ids.isEmpty
        if !request.extras.isEmpty, blamesExtras || ids.count <= 1, !blamesTransaction {
            // They are sent again after the next launch; the transactions go on without them.
            blocksExtras = true
            // A restore without transactions has nothing left to send.
            if ids.isEmpty, request.mode == .restore { giveUpRestore(failure) }
            return
        }
        extras.add(request.extras)
        guard let first = ids.first else { return halt(failure) }
        guard ids.count > 1 else { return judge(first, request, isKept: false, failure.code) }
        halve(request)
    }

    private mutating func halve(_ request: Request) {
        let (ids, lots) = (request.sent.sortedIDs, [makeID(), makeID()])
        for (index, id) in ids.enumerated() { lanes[id]?.lot = lots[index < ids.count / 2 ? 0 : 1] }
    }

    mutating func halt(_ failure: BackendFailure) {
        halted = failure
        needsAnswer = false
        becomeReady()
        giveUpRestore(failure)
        for lane in lanes.sortedValues { stopWaiting(lane) }
        effects.append(.notify(.misconfigured(failure)))
    }

    /// Waits 1, 2, 4 … seconds, up to a quarter of an hour, give or take half, or as long as the server says.
    mutating func wait(_ failure: BackendFailure?) {
        if let failure, failure.isDoubtful, !wasDoubtTold {
            wasDoubtTold = true
            effects.append(.notify(.misconfigured(failure)))
        }
        let ordered = failure?.retryAfter
        // Several failures at once are one, and none of them ends what the server asked for.
        guard ordered != nil || pause == nil else { return }
        attempts += 1
        let own = min(min(pow(2, Double(min(attempts, 20) - 1)), 900) * jitter, 900)
        // With the arguments in this order, `max` returns our delay if the server's is NaN.
        let delay = ordered.map { min(max(own, $0), Self.day) } ?? own
        // The server has answered two requests with a delay: the longer one counts.
        if case .servers(let end)? = pause, end >= now.addingTimeInterval(delay) { return }
        pause = ordered == nil ? .ours : .servers(until: now.addingTimeInterval(delay))
        effects.append(.schedule(.retry, after: delay))
    }

    mutating func becomeReady() {
        guard readiness == .checking else { return }
        readiness = .ready
        effects.append(.unschedule(.readiness))
    }
}

extension Dictionary where Key == UInt64 {
    /// The identifiers in ascending order, so that what happens never depends on chance.
    var sortedIDs: [UInt64] { Array(keys).sorted() }
    var sortedValues: [Value] { sortedIDs.compactMap { self[$0] } }
}

extension PurchaseStateMachine.Lane {
    /// Whether two may be in one report: the server takes one environment at a time.
    func belongs(with other: Self) -> Bool {
        mode == other.mode && mode != .purchase && lot == other.lot
            && transaction.environment == other.transaction.environment
    }
}

extension PurchaseStateMachine.Extras {
    /// Of which environment it is, as far as it says so.
    var environment: String? {
        appTransaction.flatMap { SignedText.environment(of: $0) }
            ?? renewals.min { $0.key < $1.key }?.value.transaction.environment
    }

    /// Takes out what may be sent together with transactions of an environment.
    mutating func removing(_ environment: String) -> Self {
        var part = Self(receipt: receipt)
        receipt = nil
        if appTransaction.flatMap({ SignedText.environment(of: $0) }) ?? environment == environment {
            (part.appTransaction, appTransaction) = (appTransaction, nil)
        }
        for (id, renewal) in renewals where renewal.transaction.environment == environment {
            (part.renewals[id], renewals[id]) = (renewal, nil)
        }
        return part
    }

    /// Puts back what was not taken. What came meanwhile is newer.
    mutating func add(_ other: Self) {
        appTransaction = appTransaction ?? other.appTransaction
        receipt = receipt ?? other.receipt
        for (id, old) in other.renewals {
            if let new = renewals[id], new.renewalSignedDate >= old.renewalSignedDate { continue }
            renewals[id] = old
        }
    }
}
