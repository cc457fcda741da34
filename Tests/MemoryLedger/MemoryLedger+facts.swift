internal import AppStoreModels
internal import Entitlements
internal import Foundation
package import Ledger

extension MemoryLedger {
    /// What else was signed under the identifier of a notification.
    struct OtherText: Sendable {
        var notification: Int64
        var signedDate: Milliseconds
        var receivedAt: Milliseconds
        var origin: Origin
        var text: String
    }
}

extension MemoryLedger: LedgerStorage {
    package func scopes(of apps: [(bundleID: String, environment: String)]) async throws -> ScopeRegistry {
        try write { state in
            for app in apps {
                let environment = AppStoreEnvironment(rawValue: app.environment)
                let isKnown = state.scopes.contains {
                    $0.bundleID.isExactly(app.bundleID) && $0.environment == environment
                }
                guard !isKnown else { continue }
                state.scopes.append(
                    Scope(id: Int64(state.scopes.count + 1), bundleID: app.bundleID, environment: environment))
            }
            return ScopeRegistry(state.scopes)
        }
    }

    package func commit(
        receiving: [ReceivedNotification], folding: [FoldedNotification]
    ) async throws -> [Reception] {
        try write { state in
            let receptions = receiving.map { state.receive($0) }
            for notification in folding {
                let before = state
                do { try state.fold(notification) } catch let error as StorageError where error.code == .damaged {
                    state = before
                    state.fail(notification.id, error.code.rawValue)
                }
            }
            return receptions
        }
    }

    package func commit(_ statements: [Statement]) async throws -> Int {
        try write { state in try statements.reduce(0) { try $0 + (state.put($1) ? 1 : 0) } }
    }

    package func fail(_ notification: Int64, code: String, message: String, at now: Milliseconds) async throws {
        try write { $0.fail(notification, code) }
    }

    package func failDamaged(_ notification: Int64, message: String, at now: Milliseconds) async throws -> Bool {
        try write { state in
            guard state.kept(notification)?.isDamaged ?? true else { return false }
            state.fail(notification, StorageError.Code.damaged.rawValue)
            return true
        }
    }

    package func pending(after id: Int64, limit: Int) async throws -> [KeptNotification] {
        try read { state in
            let waiting = state.inbox.keys.filter { $0 > id }.sorted()
            let others = waiting.filter { $0 < 0 }
            return (others.isEmpty ? waiting : others).prefix(limit).compactMap { state.kept($0) }
        }
    }

    package func backlog() async throws -> (count: Int, oldest: Milliseconds?) {
        try read { state in (state.inbox.count, state.inbox.values.min()) }
    }
}

extension MemoryLedger {
    /// Damages the record of a purchase, or puts it right again, for tests. Whose it is, and in which lists, stays known.
    package func setDamaged(_ isDamaged: Bool, record original: String, in scope: Int64) throws {
        try write { state in
            let key = Key(scope, original)
            if isDamaged { state.damagedRecords.insert(key) } else { state.damagedRecords.remove(key) }
        }
    }

    /// Damages the text of a notification, for tests.
    package func damage(text notification: Int64) throws {
        try write { state in
            state.notifications[notification]?.text = ""
            state.otherTexts[-notification]?.text = ""
        }
    }
}

extension MemoryLedger.State {
    mutating func receive(_ new: ReceivedNotification) -> Reception {
        guard let number = numbers[ExactText(new.uuid)], let known = notifications[number] else {
            let number = Int64(notifications.count + 1)
            notifications[number] = KeptNotification(
                id: number, scope: new.scope, uuid: new.uuid, type: new.type, subtype: new.subtype,
                signedDate: new.signedDate, receivedAt: new.receivedAt, origin: new.origin, state: .pending,
                text: new.text)
            numbers[ExactText(new.uuid)] = number
            inbox[number] = new.receivedAt
            return .kept(number)
        }
        if known.isDamaged {
            // Nobody knows whether it is the same, so it is processed.
            var replaced = known
            (replaced.type, replaced.subtype) = (new.type, new.subtype)
            (replaced.signedDate, replaced.text) = (new.signedDate, new.text)
            notifications[number] = replaced
            failures[number] = nil
            inbox[number] = inbox[number] ?? new.receivedAt
            return .kept(number)
        }
        if known.text.isExactly(new.text) {
            return waitAgain(number, new) ? .kept(number) : .duplicate(number)
        }
        let same = otherTexts.first { $0.value.notification == number && $0.value.text.isExactly(new.text) }
        if let same { return waitAgain(-same.key, new) ? .kept(-same.key) : .duplicate(number) }
        let other = Int64(otherTexts.count + 1)
        otherTexts[other] = .init(
            notification: number, signedDate: new.signedDate, receivedAt: new.receivedAt, origin: new.origin,
            text: new.text)
        inbox[-other] = new.receivedAt
        return .kept(-other)
    }

    fileprivate mutating func fail(_ notification: Int64, _ code: String) {
        inbox[notification] = nil
        failures[notification] = code
    }

    /// False where it did not fail.
    private mutating func waitAgain(_ number: Int64, _ new: ReceivedNotification) -> Bool {
        guard failures.removeValue(forKey: number) != nil else { return false }
        inbox[number] = inbox[number] ?? new.receivedAt
        return true
    }

    /// A notification as it is kept, or what else was signed under its identifier.
    func kept(_ number: Int64) -> KeptNotification? {
        let other = number < 0 ? otherTexts[-number] : nil
        guard var kept = notifications[other?.notification ?? number] else { return nil }
        if let other {
            (kept.id, kept.text, kept.origin) = (number, other.text, other.origin)
            (kept.signedDate, kept.receivedAt) = (other.signedDate, other.receivedAt)
        }
        kept.failure = failures[number]
        kept.state = inbox[number] != nil ? .pending : kept.failure == nil ? .folded : .failed
        return kept
    }

    // MARK: - Folding

    mutating func fold(_ notification: FoldedNotification) throws {
        let waited = inbox.removeValue(forKey: notification.id) != nil
        let number = notification.id < 0 ? otherTexts[-notification.id]?.notification ?? 0 : notification.id
        let before = self
        let source = LineageRecord.Source(id: number, wasReceipt: before.isReceipt) { present in
            guard case .notification(let number) = FactSource(code: present), let known = before.notifications[number]
            else { return true }
            return ExactText(known.uuid) < ExactText(notification.uuid)
        }
        let facts: [Statement.Fact] =
            (notification.transaction.map { [.transaction($0)] } ?? [])
            + (notification.renewal.map { [.renewal($0)] } ?? [])
        var (isNew, isLate, replaced) = (true, false, [Int64]())
        for (place, original) in facts.map(\.originalTransactionID).inOrder.enumerated() {
            try update(original, in: notification.scope) { record in
                if place == 0 {
                    isLate = record.isLate(signedDate: notification.signedDate)
                    isNew = record.addMention(of: number, signedDate: notification.signedDate)
                }
                for fact in facts where fact.originalTransactionID.isExactly(original) {
                    if let old = try record.put(fact.kept, source).replaced { replaced.append(old) }
                }
            }
        }
        for old in replaced { drop(old) }
        if let transaction = notification.transaction { learn(transaction, in: notification.scope) }
        guard waited, isNew else { return }
        var event = LedgerEvent(notification, number: number)
        event.isLate = isLate
        add(event)
        recordConsumption(notification)
    }

    /// Puts in what came by itself; false when it was no news.
    mutating func put(_ statement: Statement) throws -> Bool {
        lastStatement += 1
        let number = FactSource.statement(lastStatement).code
        statements[lastStatement] = statement
        let before = self
        let source = LineageRecord.Source(
            id: number, isReceipt: statement.kind == .receipt, wasReceipt: before.isReceipt
        ) { present in
            guard let present = FactSource(code: present)?.statement else { return false }
            return before.statements[present].map { ExactText($0.text) < ExactText(statement.text) } ?? true
        }
        let outcome = try update(statement.fact.originalTransactionID, in: statement.scope) {
            try $0.put(statement.fact.kept, source)
        }
        drop(outcome.isNews ? outcome.replaced : number)
        if case .transaction(let fact) = statement.fact { learn(fact, in: statement.scope) }
        return outcome.isNews
    }

    private func isReceipt(_ source: Int64) -> Bool {
        FactSource(code: source)?.statement.map { statements[$0]?.kind == .receipt } ?? false
    }

    private mutating func drop(_ source: Int64?) {
        if let statement = source.flatMap(FactSource.init(code:))?.statement { statements[statement] = nil }
    }

    private mutating func learn(_ fact: TransactionFact, in scope: Int64) {
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

    // MARK: - Outbox

    /// A notification makes one event, and everything else does that has a name of its own.
    mutating func add(_ event: LedgerEvent) {
        let isThere = events.contains { known in
            event.notification.map { $0 == known.notification } ?? known.id.isExactly(event.id)
        }
        guard !isThere else { return }
        var event = event
        event.customer = event.customer ?? event.originalTransactionID.flatMap { owners(of: $0, in: event.scope).first }
        events.append(event)
    }
}

extension [String] {
    /// Each of them once.
    fileprivate var inOrder: [String] {
        reduce(into: []) { found, text in if !found.contains(where: { $0.isExactly(text) }) { found.append(text) } }
    }
}

extension Statement.Fact {
    /// As it is kept: to the millisecond.
    fileprivate var kept: Statement.Fact {
        switch self {
        case .transaction(var fact):
            (fact.purchaseDate, fact.expiresDate) = (fact.purchaseDate.kept, fact.expiresDate?.kept)
            (fact.signedDate, fact.revocationDate) = (fact.signedDate.kept, fact.revocationDate?.kept)
            return .transaction(fact)
        case .renewal(var fact):
            (fact.signedDate, fact.renewalDate) = (fact.signedDate.kept, fact.renewalDate?.kept)
            fact.gracePeriodExpiresDate = fact.gracePeriodExpiresDate?.kept
            return .renewal(fact)
        }
    }
}

extension Date {
    fileprivate var kept: Date { Date(milliseconds: milliseconds) }
}
