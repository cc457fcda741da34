import Foundation

/// Sends requests and handles their failures.
extension PurchaseStateMachine {
    /// Sends the requests that are due: each purchase separately and at once, everything else in one report at a time.
    mutating func sendDue() {
        guard halted == nil else { return }
        for job in waiting.filter({ $0.mode == .purchase }) {
            guard let credential = credentialToSend() else { return }
            send([job], .purchase, credential)
        }
        guard gathering == nil, !requests.contains(where: { $0.mode != .purchase }), staleSince != nil || hasWork,
            let credential = credentialToSend()
        else { return }
        if let anonymous = mergesFrom {
            let request = Request(id: makeID(), credential: credential, environment: environment, isMerge: true)
            send(request, .merge(from: anonymous, environment: environment))
        } else if let first = waiting.min(by: { ($1.mode, $0.batch) < ($0.mode, $1.batch) }) {
            let batch = waiting.filter { $0.belongs(with: first) }.prefix(PurchaseReport.maximum)
            send(Array(batch), first.mode, credential)
        } else if hasWork {
            send([], restoring?.needsRequest == true ? .restore : .background, credential)
        } else if requests.isEmpty {
            let request = Request(id: makeID(), credential: credential, environment: environment)
            send(request, .fetch(environment: environment))
        }
    }

    /// Whether there is something to report or to merge, in contrast to only fetching the customer.
    var hasWork: Bool { mergesFrom != nil || !extras.isEmpty || restoring?.needsRequest == true || !waiting.isEmpty }

    /// The anonymous customer to merge now.
    private var mergesFrom: String? { blocksMerge ? nil : device.mergesFrom }

    /// The transactions that wait to be sent.
    private var waiting: [Job] { jobs.sortedValues.filter { $0.phase == .waiting && !isHeld($0) } }

    private mutating func send(_ batch: [Job], _ mode: Mode, _ credential: CustomerCredential) {
        var request = Request(id: makeID(), credential: credential, mode: mode)
        let environment = batch.first?.transaction.environment ?? extras.environment ?? environment ?? ""
        // Purchases and halves of a failed report are sent without extras.
        if mode != .purchase, batch.first?.batch ?? 0 == 0 { request.extras = extras.removing(environment) }
        if mode == .restore { restoring?.needsRequest = false }
        for job in batch { request.sent[job.transaction.id] = job.transaction.signedDate }
        var report = PurchaseReport()
        report.signedTransactions = batch.map(\.transaction.jws)
        let renewals = request.extras.renewals.sortedValues.map(\.renewalJWS)
        report.signedRenewals = renewals.isEmpty ? nil : renewals
        (report.appTransaction, report.receipt) = (request.extras.appTransaction, request.extras.receipt)
        report.restore = mode == .purchase && batch.first?.staysWithOwner != true ? nil : mode == .restore
        report.environment = environment.isEmpty ? nil : environment
        request.environment = report.environment
        send(request, .report(report))
    }

    private mutating func send(_ request: Request, _ kind: ClientRequest.Kind) {
        let id = request.id
        requests.append(request)
        for transaction in request.sent.keys { jobs[transaction]?.phase = .sending(id) }
        effects.append(.send(id, ClientRequest(credential: request.credential, kind: kind)))
        effects.append(.schedule(.request(id), after: Self.requestTimeout))
    }

    /// The environment for requests without transactions. Without one, the server assumes production.
    var environment: String? {
        extras.environment ?? current.values.max { $0.signedDate < $1.signedDate }?.environment
            ?? record?.answer?.environment
    }

    mutating func failed(_ id: Int, _ failure: BackendFailure) {
        guard let index = requests.firstIndex(where: { $0.id == id }) else { return }
        let request = requests.remove(at: index)
        effects.append(.unschedule(.request(id)))
        for sent in request.sent.keys where jobs[sent]?.phase == .sending(id) { jobs[sent]?.phase = .waiting }
        becomeReady()
        // A 401 concerns the account's token, unless the anonymous customer has no token.
        let isRefusal = failure.remedy == .stop && failure.status != 401 || failure.remedy == .split
        // A proxy or the app's own backend may never accept a merge: do not hold up the reports any longer.
        if request.isMerge, attempts >= 5, failure.isDoubtful || failure == .invalidResponse { blocksMerge = true }
        if request.isMerge, isRefusal || failure == .noToken || blocksMerge {
            // The purchases stay with the anonymous customer; a restore can still move them.
            let merges = device.merges
            if !blocksMerge { endMerge(into: request.customer) }
            // Without a network the device may not have its app transaction yet: merge after the next launch.
            if failure == .noToken, rules.token == nil { (device.merges, blocksMerge) = (merges, true) }
            return effects.append(.notify(.mergeFailed(failure)))
        }
        if failure.remedy != .split { extras.add(request.extras) }
        // A refusal of a request with an older token says nothing about the current token. Any 401 may concern the
        // token, such as after a change of the server's secret: request a new one, once.
        let isAboutToken = failure.status == 401 && needsToken && !wasTokenRenewed || request.credential != credential
        switch failure.remedy == .stop && isAboutToken ? .newToken : failure.remedy {
        case .retry:
            // The restore has failed. Its transactions are sent again without `restore: true`, which moves no purchase.
            if request.mode == .restore { giveUpRestore(failure) }
            for id in request.sent.sortedIDs { stopWaiting(jobs[id]) }
            // Send a smaller report on a slow network.
            if failure == .timeout { splitInHalves(request) }
            // A new token may expire before the server is reached.
            wasTokenRenewed = false
            backOff(failure)
        case .newToken:
            // The restore is sent again, even if it had no transactions.
            if request.mode == .restore, restoring?.reachedAppStore != nil { restoring?.needsRequest = true }
            // Another request got this response first: the app has given a newer token or has been asked for one.
            guard request.credential == credential else { return }
            // The app has given a new token before, and the server refuses that one too.
            if wasTokenRenewed { halt(failure) }
            (credential, wasTokenRenewed) = (nil, true)
        case .split: split(request, failure)
        case .stop: halt(failure)
        }
    }

    /// Finds the part that the server refuses: first what the response names, then by halves, down to one transaction.
    private mutating func split(_ request: Request, _ failure: BackendFailure) {
        let ids = request.sent.sortedIDs
        // The server names the element too: `signed_renewals[2]`.
        let blamed = failure.parameter?.prefix { $0 != "[" } ?? ""
        let blamesExtras = ["app_transaction", "receipt", "signed_renewals"].contains(blamed)
        // In a report with transactions, `receipt_already_in_use` is about them.
        let isInUse = failure.code == StuckReason.belongsToAnotherCustomer.rawValue
        let blamesTransaction = (blamed == "signed_transactions" || isInUse) && !ids.isEmpty
        if !request.extras.isEmpty, blamesExtras || ids.count <= 1, !blamesTransaction {
            // A restore without transactions has nothing left to send.
            if ids.isEmpty, request.mode == .restore { giveUpRestore(failure) }
            // Send the transactions without the extras. The extras are sent again after the next launch.
            return blocksExtras = true
        }
        extras.add(request.extras)
        guard !ids.isEmpty else { return halt(failure) }
        // Nothing can move. Errors are not signed, so finish nothing: a report that moves nothing gets a response about
        // each transaction.
        if isInUse, request.mode == .restore { return ids.forEach { jobs[$0]?.mode = .background } }
        let isFirst = ids.contains { jobs[$0]?.staysWithOwner == false }
        if isInUse, isFirst, request.mode == .purchase { return ids.forEach { jobs[$0]?.staysWithOwner = true } }
        // A report is about one app and one environment: the refusal of either concerns all its transactions.
        if ids.count > 1, !["wrong_app", "wrong_environment"].contains(failure.code) { return splitInHalves(request) }
        for id in ids { applyResult(id, request, isKept: false, isInUse ? "http_409" : failure.code) }
    }

    private mutating func splitInHalves(_ request: Request) {
        let (ids, batches) = (request.sent.sortedIDs, [makeID(), makeID()])
        for (index, id) in ids.enumerated() { jobs[id]?.batch = batches[index < ids.count / 2 ? 0 : 1] }
    }

    mutating func halt(_ failure: BackendFailure) {
        (halted, staleSince) = (failure, nil)
        becomeReady()
        giveUpRestore(failure)
        for job in jobs.sortedValues { stopWaiting(job) }
        effects.append(.notify(.misconfigured(failure)))
    }

    /// Pauses requests for 1, 2, 4 … seconds, up to 15 minutes, with a jitter of ±50 %, or for the server's delay.
    mutating func backOff(_ failure: BackendFailure?) {
        if let failure, failure.isDoubtful, !hasReportedDoubt {
            hasReportedDoubt = true
            effects.append(.notify(.misconfigured(failure)))
        }
        let ordered = failure?.retryAfter
        // Count simultaneous failures as one. They do not shorten a pause that the server requested.
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
    /// The identifiers in ascending order, so that the behaviour is deterministic.
    var sortedIDs: [UInt64] { Array(keys).sorted() }
    var sortedValues: [Value] { sortedIDs.compactMap { self[$0] } }
}
