import Foundation

/// Handles sign-in, sign-out, anonymous customers and tokens.
extension PurchaseStateMachine {
    mutating func start(_ device: DeviceRecord?, _ record: CustomerRecord?, _ fresh: UUID) {
        saved = .records(device, record)
        self.device = device ?? DeviceRecord()
        if self.device.customer == nil, rules.allowsAnonymousCustomers { _ = becomeAnonymous(fresh) }
        guard let customer = self.device.customer else { return readiness = .ready }
        begin(customer, token: nil, with: record?.customer == customer ? record : nil)
    }

    mutating func signIn(_ customer: String, _ token: String?) {
        guard customer != device.customer else {
            // The same customer signs in again: use the new token, and ignore the result of a running token request.
            if let token { credential = CustomerCredential(customer: customer, token: token) }
            (halted, blocksMerge) = (nil, false)
            (wasTokenRenewed, isRequestingToken) = (false, isRequestingToken && token == nil)
            retryNow()
            // A repeated sign-in, as at each launch, says nothing new about the device.
            if gathering == nil { check(force: false) }
            return
        }
        endSession()
        if isAnonymous, let old = device.anonymous {
            var merges = device.merges ?? [:]
            if merges.count == 100, let first = merges.keys.min() { merges[first] = nil }
            // After a sign-out, the session names the anonymous customer of the Apple Account as before: keep the merge
            // of the account that signed in first. An anonymous customer without a response has intents only.
            let isKnown = !usesSession || record?.answer != nil || merges.isEmpty || merges[old] != nil
            if isKnown { merges[old] = merges[old] ?? customer } else { moveIntents(from: old, to: customer) }
            device.merges = merges
        }
        (device.anonymous, device.customer) = (nil, customer)
        begin(customer, token: token, with: nil)
    }

    mutating func signOut(_ fresh: UUID) {
        guard device.customer != nil, !isAnonymous else { return }
        endSession()
        (device.customer, record, credential) = (nil, nil, nil)
        becomeReady()
        if rules.allowsAnonymousCustomers { begin(becomeAnonymous(fresh), token: nil, with: nil) }
    }

    var isAnonymous: Bool { device.customer != nil && device.customer == device.anonymous }

    /// The account token of the customer's purchases: the server's, or else the customer's identifier if it is a UUID.
    var accountToken: UUID? { record?.answer?.appAccountToken ?? device.customer.flatMap { UUID(uuidString: $0) } }

    private mutating func becomeAnonymous(_ fresh: UUID) -> String {
        let anonymous = fresh.uuidString.lowercased()
        (device.anonymous, device.customer) = (anonymous, anonymous)
        return anonymous
    }

    private mutating func begin(_ customer: String, token: String?, with stored: CustomerRecord?) {
        record = stored ?? CustomerRecord(customer: customer)
        // A record of an earlier version lacks `latestAt`: then the time since the response counts.
        (latest, latestAt) = record?.latestAt == nil ? (nil, nil) : (record?.latest, record?.latestAt)
        credential = token != nil || !needsToken ? CustomerCredential(customer: customer, token: token) : nil
        firstGathering = lastID + 1
        readiness = (age ?? .infinity) < Self.validity ? .ready : .checking
        if readiness == .checking { effects.append(.schedule(.readiness, after: Self.shortTimeout)) }
        check(force: false)
    }

    /// Cancels all requests and calls. No purchase is lost: unfinished transactions stay in StoreKit's queue.
    private mutating func endSession() {
        for request in requests { effects += [.cancel(request: request.id), .unschedule(.request(request.id))] }
        requests = []
        for job in jobs.sortedValues { complete(job, .awaitingServer) }
        for call in restoring?.calls ?? [] { effects.append(.complete(call: call, .failed(.customerChanged))) }
        (jobs, restoring) = ([:], nil)
        if let gathering { effects.append(.unschedule(.gathering(gathering.id))) }
        if pause != nil { effects.append(.unschedule(.retry)) }
        (gathering, gathersAgain, hasHistory, pause, halted, attempts) = (nil, false, false, nil, nil, 0)
        (extras, blocksExtras, blocksMerge, staleSince) = (Extras(), false, false, nil)
        (hasAnswer, lastAccepted, isRequestingToken, wasTokenRenewed) = (false, 0, false, false)
    }

    /// Whether the client gets tokens from `POST /v1/sessions` with the app transaction, because the app provides none.
    var usesSession: Bool { isAnonymous && rules.token == nil }

    var needsToken: Bool { rules.token != nil || isAnonymous }

    /// Returns the credential for the next request. If the token is missing, requests it and returns nil.
    mutating func credentialToSend() -> CustomerCredential? {
        guard pause == nil, !isRequestingToken, let customer = device.customer else { return nil }
        if credential == nil {
            isRequestingToken = true
            effects.append(.requestToken(customer: customer, isAnonymous: isAnonymous))
            effects.append(.schedule(.token, after: Self.requestTimeout))
        }
        return credential
    }

    mutating func receiveToken(_ customer: String, _ outcome: Result<CustomerCredential, BackendFailure>) {
        // Ignore a token for a customer who has signed out meanwhile. Accept one that comes after the time limit.
        guard credential == nil, customer == device.customer else { return }
        isRequestingToken = false
        switch outcome {
        case .success(let proven):
            if proven.customer != customer, isAnonymous {
                // The server has another identifier for the anonymous customer of this Apple Account.
                let isFirst = record?.answer == nil
                if !isFirst { endSession() }
                (device.anonymous, device.customer) = (proven.customer, proven.customer)
                // The purchases follow the Apple Account, also those that were started before this response.
                moveIntents(from: customer, to: proven.customer)
                // The Apple Account has changed: the record belongs to the previous one.
                guard isFirst else { return begin(proven.customer, token: proven.token, with: nil) }
                record?.customer = proven.customer
            }
            credential = CustomerCredential(customer: device.customer ?? customer, token: proven.token)
        // Retry: without a network the device may not have its app transaction yet.
        case .failure(let failure) where failure.remedy == .retry || usesSession && failure == .noToken:
            giveUpRestore(failure)
            backOff(failure)
        case .failure(let failure): halt(failure)
        }
    }

    /// Ends a merge and moves the anonymous customer's purchase intents to the account. Also called after a refusal,
    /// because the anonymous customer cannot sign in again.
    mutating func endMerge(into account: String) {
        guard let anonymous = device.mergesFrom, device.merges?.removeValue(forKey: anonymous) != nil else { return }
        moveIntents(from: anonymous, to: account)
        // Transactions of the moved intents are now purchases of the account.
        for job in jobs.sortedValues { receive(job.transaction, isUnfinished: job.isUnfinished, .background) }
    }

    private mutating func moveIntents(from old: String, to new: String) {
        for i in device.intents.indices where device.intents[i].customer == old { device.intents[i].customer = new }
        for (call, intent) in calls where intent.customer == old { calls[call]?.customer = new }
    }

    /// Whether a transaction waits for another customer, who started its purchase on this device.
    func isHeld(_ transaction: DeviceTransaction) -> Bool {
        transaction.appAccountToken == nil && (intent(of: transaction)?.customer ?? device.customer) != device.customer
    }

    /// Whether a transaction waits for another customer. A restore also reports such transactions.
    func isHeld(_ job: Job) -> Bool { job.mode != .restore && isHeld(job.transaction) }

    /// Returns the intent of the purchase, started on this device, that a transaction comes from: the one with the
    /// transaction's identifier, or else the intent for the product whose date is closest to the purchase date. The
    /// device's clock may be wrong, so an intent may be up to a day later than the purchase.
    func intent(of transaction: DeviceTransaction) -> PurchaseIntent? {
        let (bought, ownership) = (transaction.purchaseDate, transaction.ownership)
        // The device's clock may be ahead, so expired intents are not deleted before the next purchase.
        let intents = device.intents.filter { $0.expires > now }
        return intents.first { $0.transactionID == transaction.id }
            ?? intents.filter {
                $0.productID == transaction.productID && $0.token == transaction.appAccountToken
                    && $0.transactionID == nil && $0.date <= bought.addingTimeInterval(Self.day)
                    // Nobody on this device starts a renewal, or a purchase of the family or of an organisation.
                    && ownership != .familyShared && ownership != .assigned && !SignedText.isRenewal(transaction.jws)
            }.min { abs($0.date.timeIntervalSince(bought)) < abs($1.date.timeIntervalSince(bought)) }
    }
}
