internal import AppStoreModels
internal import Entitlements
internal import Foundation
package import Ledger

extension MemoryLedger {
    /// Another signed text under the UUID of a known notification.
    struct OtherText: Sendable {
        var notification: Int64
        var signedDate: Milliseconds
        var receivedAt: Milliseconds
        var origin: Origin
        var text: String
    }
}

extension MemoryLedger: LedgerStorage {
    package func scopes(of apps: [(bundleID: String, environment: String)]) async throws -> AppEnvironmentRegistry {
        try write { state in
            for app in apps {
                let environment = AppStoreEnvironment(rawValue: app.environment)
                let isKnown = state.scopes.contains {
                    $0.bundleID.isExactly(app.bundleID) && $0.environment == environment
                }
                guard !isKnown else { continue }
                state.scopes.append(
                    AppEnvironment(id: Int64(state.scopes.count + 1), bundleID: app.bundleID, environment: environment))
            }
            return AppEnvironmentRegistry(state.scopes)
        }
    }

    package func commit(
        received: [ReceivedNotification], processed: [ProcessedNotification]
    ) async throws -> [InsertionResult] {
        try write { state in
            let insertions = received.map { state.receive($0) }
            for notification in processed {
                let before = state
                do { try state.process(notification) } catch let error as StorageError where error.code == .damaged {
                    state = before
                    state.fail(notification.id, error.code.rawValue)
                }
            }
            return insertions
        }
    }

    package func commit(_ signedFacts: [SignedFact]) async throws -> Int {
        try write { state in
            let purchases = Dictionary(grouping: signedFacts) { Key($0.scope, $0.fact.originalTransactionID) }
            let former = state.records
            let count = try signedFacts.reduce(0) { try $0 + (state.store($1) ? 1 : 0) }
            for (purchase, facts) in purchases.sorted(by: { $0.key < $1.key }) {
                state.disown(purchase.name.text, in: purchase.scope)
                state.emitEvent(
                    from: former[purchase]?.lineage, on: purchase, learned: facts.map(\.receivedAt).max() ?? 0)
            }
            return count
        }
    }

    package func fail(_ notification: Int64, code: String, message: String, at now: Milliseconds) async throws {
        try write { $0.fail(notification, code) }
    }

    package func failDamaged(_ notification: Int64, message: String, at now: Milliseconds) async throws -> Bool {
        try write { state in
            guard state.storedNotification(notification)?.isDamaged ?? true else { return false }
            state.fail(notification, StorageError.Code.damaged.rawValue)
            return true
        }
    }

    package func pending(after id: Int64, limit: Int) async throws -> [StoredNotification] {
        try read { state in
            let waiting = state.inbox.keys.filter { $0 > id }.sorted()
            let others = waiting.filter { InboxText(code: $0).otherText != nil }
            return (others.isEmpty ? waiting : others).prefix(limit).compactMap { state.storedNotification($0) }
        }
    }

    package func backlog() async throws -> (count: Int, oldest: Milliseconds?, oldestCode: Int64?) {
        try read { state in
            let oldest = state.inbox.min { ($0.value, $0.key) < ($1.value, $1.key) }
            return (count: state.inbox.count, oldest: oldest?.value, oldestCode: oldest?.key)
        }
    }
}

extension MemoryLedger {
    /// Marks the record of a purchase as damaged, or as readable again, for tests. Its owners and list entries stay.
    package func setDamaged(_ isDamaged: Bool, record original: String, in scope: Int64) throws {
        try write { state in
            let key = Key(scope, original)
            if isDamaged { state.damagedRecords.insert(key) } else { state.damagedRecords.remove(key) }
        }
    }

    /// Damages the stored text of a notification, for tests.
    package func damage(text notification: Int64) throws {
        try write { state in
            switch InboxText(code: notification) {
            case .notification(let number): state.notifications[number]?.text = ""
            case .otherText(let number): state.otherTexts[number]?.text = ""
            }
        }
    }
}

extension MemoryLedger.State {
    mutating func receive(_ new: ReceivedNotification) -> InsertionResult {
        guard let number = numbers[ExactText(new.uuid)], let known = notifications[number] else {
            lastNotification += step
            let number = lastNotification
            notifications[number] = StoredNotification(
                id: number, scope: new.scope, uuid: new.uuid, type: new.type, subtype: new.subtype,
                signedDate: new.signedDate, receivedAt: new.receivedAt, origin: new.origin, state: .pending,
                text: new.text)
            numbers[ExactText(new.uuid)] = number
            inbox[number] = new.receivedAt
            return .stored(number)
        }
        let other = otherTexts.first { $0.value.notification == number && $0.value.text.isExactly(new.text) }
        let same = known.text.isExactly(new.text) ? number : other.map { InboxText.otherText($0.key).code }
        let hasFailed = same.map { failures[$0] != nil } ?? false
        let decision = RepeatedNotification(
            isFirstDamaged: known.isDamaged, same: same.map { (id: $0, hasFailed: hasFailed) })
        switch decision {
        case .duplicate: return .duplicate(number)
        case .retry(let failed): return requeue(failed, new)
        case .replacement:
            var replaced = known
            (replaced.type, replaced.subtype) = (new.type, new.subtype)
            (replaced.signedDate, replaced.text) = (new.signedDate, new.text)
            notifications[number] = replaced
            return requeue(number, new)
        case .otherText:
            lastOtherText += step
            otherTexts[lastOtherText] = .init(
                notification: number, signedDate: new.signedDate, receivedAt: new.receivedAt, origin: new.origin,
                text: new.text)
            return requeue(InboxText.otherText(lastOtherText).code, new)
        }
    }

    fileprivate mutating func fail(_ notification: Int64, _ code: String) {
        guard inbox.removeValue(forKey: notification) != nil else { return }
        failures[notification] = code
    }

    /// Makes a stored notification pending, also if it had failed.
    private mutating func requeue(_ number: Int64, _ new: ReceivedNotification) -> InsertionResult {
        failures[number] = nil
        inbox[number] = inbox[number] ?? new.receivedAt
        return .stored(number)
    }

    /// Returns a stored notification, or another text under the UUID of a notification (``InboxText``).
    func storedNotification(_ number: Int64) -> StoredNotification? {
        let other = InboxText(code: number).otherText.flatMap { otherTexts[$0] }
        guard var stored = notifications[other?.notification ?? number] else { return nil }
        if let other {
            (stored.id, stored.text, stored.origin) = (number, other.text, other.origin)
            (stored.signedDate, stored.receivedAt) = (other.signedDate, other.receivedAt)
        }
        stored.failure = failures[number]
        stored.state = inbox[number] != nil ? .pending : stored.failure == nil ? .processed : .failed
        return stored
    }

    // MARK: - Processing

    mutating func process(_ notification: ProcessedNotification) throws {
        let waited =
            inbox.removeValue(forKey: notification.id) != nil || failures.removeValue(forKey: notification.id) != nil
        let number =
            switch InboxText(code: notification.id) {
            case .notification(let number): number
            case .otherText(let other): otherTexts[other]?.notification ?? 0
            }
        let before = self
        let source = LineageRecord.Source(
            .notification(number), key: notification.uuid, wasReceipt: before.isReceipt
        ) { before.notifications[$0]?.uuid }
        let stored = notification.inMilliseconds
        var outcome = NotificationOutcome()
        for original in stored.originals {
            try update(original, in: stored.scope) { try $0.add(stored, source, &outcome) }
        }
        for old in outcome.replaced { drop(old) }
        if let account = notification.account {
            accountNotifications[.init(notification.scope, account), default: [:]].merge(
                [number: notification.signedDate], uniquingKeysWith: max)
        }
        if let transaction = notification.transaction { recordProductGroup(of: transaction, in: notification.scope) }
        if let original = notification.originalTransactionID {
            disown(original, in: notification.scope)
            emitEvent(
                from: outcome.former, on: .init(notification.scope, original), learned: notification.processedAt)
        }
        let event = LedgerEvent(
            of: notification, number: number, waited: waited, isNew: outcome.isNew, isLate: outcome.isLate
        ) { ownership(ofAccount: $0, in: notification.scope).customer }
        guard let event else { return }
        add(event)
        recordConsumption(notification)
    }

    /// Stores a signed fact that did not come in a notification. Returns false if it contains nothing new.
    mutating func store(_ signedFact: SignedFact) throws -> Bool {
        lastSignedFact += step
        signedFacts[lastSignedFact] = signedFact
        let before = self
        let source = LineageRecord.Source(
            .signedFact(lastSignedFact), key: signedFact.text, isReceipt: signedFact.kind == .receipt,
            wasReceipt: before.isReceipt
        ) { before.signedFacts[$0]?.text }
        let outcome = try update(signedFact.fact.originalTransactionID, in: signedFact.scope) {
            try $0.add(signedFact.fact.inMilliseconds, source)
        }
        drop(outcome.isNew ? outcome.replaced : source.id)
        if case .transaction(let fact) = signedFact.fact { recordProductGroup(of: fact, in: signedFact.scope) }
        return outcome.isNew
    }

    private func isReceipt(_ source: Int64) -> Bool {
        FactSource(code: source)?.signedFact.map { signedFacts[$0]?.kind == .receipt } ?? false
    }

    private mutating func drop(_ source: Int64?) {
        if let number = source.flatMap(FactSource.init(code:))?.signedFact { signedFacts[number] = nil }
    }

    private mutating func recordProductGroup(of fact: TransactionFact, in scope: Int64) {
        guard let group = fact.subscriptionGroupIdentifier else { return }
        let key = MemoryLedger.Key(scope, fact.productID)
        productGroups[key] = productGroups[key] ?? group
    }

    private mutating func update<Value>(
        _ original: String, in scope: Int64, _ change: (inout LineageRecord) throws -> Value
    ) throws -> Value {
        var record = try readable(original, in: scope) ?? LineageRecord(original)
        let value = try change(&record)
        records[MemoryLedger.Key(scope, original)] = record
        for fact in record.lineage.transactions where !fact.transactionID.isExactly(original) {
            let transaction = MemoryLedger.Key(scope, fact.transactionID)
            originals[transaction] = [originals[transaction] ?? original, original].min {
                ExactText($0) < ExactText($1)
            }
        }
        return value
    }
}

// Facts with their dates to the millisecond, as the ledger stores them.

extension ProcessedNotification {
    fileprivate var inMilliseconds: ProcessedNotification {
        var notification = self
        notification.transaction = transaction?.inMilliseconds
        notification.renewal = renewal?.inMilliseconds
        return notification
    }
}

extension SignedFact.Fact {
    fileprivate var inMilliseconds: SignedFact.Fact {
        switch self {
        case .transaction(let fact): .transaction(fact.inMilliseconds)
        case .renewal(let fact): .renewal(fact.inMilliseconds)
        }
    }
}

extension TransactionFact {
    fileprivate var inMilliseconds: TransactionFact {
        var fact = self
        (fact.purchaseDate, fact.expiresDate) = (purchaseDate.inMilliseconds, expiresDate?.inMilliseconds)
        (fact.signedDate, fact.revocationDate) = (signedDate.inMilliseconds, revocationDate?.inMilliseconds)
        return fact
    }
}

extension RenewalFact {
    fileprivate var inMilliseconds: RenewalFact {
        var fact = self
        (fact.signedDate, fact.renewalDate) = (signedDate.inMilliseconds, renewalDate?.inMilliseconds)
        fact.gracePeriodExpiresDate = gracePeriodExpiresDate?.inMilliseconds
        return fact
    }
}

extension Date {
    fileprivate var inMilliseconds: Date { Date(milliseconds: milliseconds) }
}
