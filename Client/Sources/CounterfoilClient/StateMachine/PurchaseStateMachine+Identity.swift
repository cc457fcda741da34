import Foundation

/// Who the customer is.
extension PurchaseStateMachine {
    mutating func start(_ device: DeviceRecord?, _ record: CustomerRecord?, _ fresh: UUID) {
        (isStarted, saved) = (true, .records(device, record))
        self.device = device ?? DeviceRecord()
        self.device.intents = self.device.intents.filter { $0.expires > now }
        if self.device.customer == nil, rules.allowsAnonymousCustomers { _ = becomeAnonymous(fresh) }
        guard let customer = self.device.customer else { return readiness = .ready }
        begin(customer, token: nil, with: record?.customer == customer ? record : nil)
    }

    mutating func signIn(_ customer: String, _ token: String?) {
        guard customer != device.customer else {
            // The same customer: a new token is all there is to it. One that is being asked for comes too late.
            if let token { credential = CustomerCredential(customer: customer, token: token) }
            (halted, wasTokenRenewed, isAskingForToken) = (nil, false, isAskingForToken && token == nil)
            retryNow()
            return check(force: false)
        }
        endSession()
        if isAnonymous, let anonymous = device.anonymous {
            if device.merges?.count == 100, let first = device.merges?.keys.min() { device.merges?[first] = nil }
            device.merges = device.merges ?? [:]
            device.merges?[anonymous] = customer
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

    /// The account token of the customer's purchases: their identifier, if it is a UUID, or the one that the server names.
    var accountToken: UUID? { record?.answer?.appAccountToken ?? device.customer.flatMap { UUID(uuidString: $0) } }

    private mutating func becomeAnonymous(_ fresh: UUID) -> String {
        let anonymous = fresh.uuidString.lowercased()
        (device.anonymous, device.customer) = (anonymous, anonymous)
        return anonymous
    }

    private mutating func begin(_ customer: String, token: String?, with stored: CustomerRecord?) {
        record = stored ?? CustomerRecord(customer: customer)
        latest = record?.latest
        credential = token != nil || !needsToken ? CustomerCredential(customer: customer, token: token) : nil
        firstGathering = lastID + 1
        let isValid = (age ?? .infinity) < Self.validity
        readiness = isValid ? .ready : .checking
        if !isValid { effects.append(.schedule(.readiness, after: Self.patience)) }
        check(force: false)
    }

    /// Drops what is under way. Nothing is lost: StoreKit's own queue has what is not finished.
    private mutating func endSession() {
        for request in requests { effects += [.cancel(request: request.id), .unschedule(.request(request.id))] }
        requests = []
        for lane in lanes.sortedValues { complete(lane, .awaited) }
        lanes = [:]
        for call in restoring?.calls ?? [] { effects.append(.complete(call: call, .failed(.customerChanged))) }
        restoring = nil
        if let gathering { effects.append(.unschedule(.gathering(gathering.id))) }
        if pause != nil { effects.append(.unschedule(.retry)) }
        (gathering, gathersAgain, hasHistory, pause, halted, attempts) = (nil, false, false, nil, nil, 0)
        (extras, blocksExtras, needsAnswer) = (Extras(), false, false)
        (hasAnswer, lastAccepted, isAskingForToken, wasTokenRenewed) = (false, 0, false, false)
    }

    /// Whether the app transaction proves the customer, because the app has no tokens.
    var usesSession: Bool { isAnonymous && rules.token == nil }

    var needsToken: Bool { rules.token != nil || isAnonymous }

    /// Returns the credential to send with, or asks for the token.
    mutating func credentialToSend() -> CustomerCredential? {
        guard pause == nil, !isAskingForToken, let customer = device.customer else { return nil }
        if credential == nil {
            isAskingForToken = true
            effects.append(.askForToken(customer: customer, isAnonymous: isAnonymous))
        }
        return credential
    }

    mutating func receiveToken(_ customer: String, _ outcome: Result<CustomerCredential, BackendFailure>) {
        // An answer for somebody who has signed out meanwhile is thrown away.
        guard isAskingForToken, customer == device.customer else { return }
        isAskingForToken = false
        switch outcome {
        case .success(let proven):
            if proven.customer != customer, isAnonymous {
                // The server knows the anonymous customer of this Apple Account by another name.
                (device.anonymous, device.customer) = (proven.customer, proven.customer)
                record?.customer = proven.customer
                moveIntents(from: customer, to: proven.customer)
            }
            credential = CustomerCredential(customer: device.customer ?? customer, token: proven.token)
        // Without a network, the device may not have its app transaction yet.
        case .failure(let failure) where failure.remedy == .retry || usesSession && failure == .noToken:
            giveUpRestore(failure)
            wait(failure)
        case .failure(let failure): halt(failure)
        }
    }

    /// Gives what the anonymous customer started to the account, also after a refusal: nobody can sign in as them.
    mutating func endMerge(into account: String) {
        guard let anonymous = device.mergesFrom, device.merges?.removeValue(forKey: anonymous) != nil else { return }
        moveIntents(from: anonymous, to: account)
        // It is a purchase of theirs now.
        for lane in lanes.sortedValues { receive(lane.transaction, isUnfinished: lane.isUnfinished, .background) }
    }

    private mutating func moveIntents(from old: String, to new: String) {
        for i in device.intents.indices where device.intents[i].customer == old { device.intents[i].customer = new }
        for (call, intent) in calls where intent.customer == old { calls[call]?.customer = new }
    }

    /// Who started the purchase that a transaction comes from, if that is somebody else: it waits for them.
    func isHeld(_ transaction: DeviceTransaction) -> Bool {
        guard transaction.appAccountToken == nil, let intent = intent(of: transaction) else { return false }
        return intent.customer != device.customer
    }

    /// The button asks also for what somebody else started.
    func isHeld(_ lane: Lane) -> Bool { lane.mode != .restore && isHeld(lane.transaction) }

    /// The purchase, started here, that a transaction comes from: the one that StoreKit named, or the last of the product
    /// before it was bought. The device's clock may be wrong, so that is the closest one, if not a day later.
    func intent(of transaction: DeviceTransaction) -> PurchaseIntent? {
        let bought = transaction.purchaseDate
        return device.intents.first { $0.transactionID == transaction.id }
            ?? device.intents.filter {
                $0.productID == transaction.productID && $0.token == transaction.appAccountToken
                    && $0.transactionID == nil && $0.expires > now && $0.date <= bought.addingTimeInterval(Self.day)
                    // Nobody here starts a renewal.
                    && !SignedText.isRenewal(transaction.jws)
            }.min { abs($0.date.timeIntervalSince(bought)) < abs($1.date.timeIntervalSince(bought)) }
    }
}
