internal import Ledger
internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Entitlements
internal import Foundation
internal import Logging
internal import Synchronization

/// How asking the App Store about an Apple account ended.
enum HistoryState: Sendable, Hashable {
    /// All that it knows is in the ledger.
    case complete
    /// It could not be reached, or not in time: recovery asks again.
    case pending
    /// It knows nothing of the transaction, or does not say. The word is the reason.
    case refused(String)
    /// The app has no key to ask with.
    case notConfigured

    /// The word in answers.
    var name: String {
        switch self {
        case .complete: "complete"
        case .pending: "pending"
        case .refused: "refused"
        case .notConfigured: "not_configured"
        }
    }
}

/// Puts into the ledger what the App Store knows of one Apple account: every transaction, and the renewal of every
/// subscription. What was fetched before it was broken off stays, and the next one goes on there.
final class HistoryFetch: Sendable {
    private let core: ServerCore
    private let client: AppStoreServerClient
    private let scope: Scope
    private let transactionId: String
    private let revision: String?
    private let originals = Mutex<Set<String>>([])

    init(
        _ core: ServerCore, _ client: AppStoreServerClient, _ scope: Scope, _ transactionId: String, _ revision: String?
    ) {
        self.core = core
        self.client = client
        self.scope = scope
        self.transactionId = transactionId
        self.revision = revision
    }

    /// The subscriptions and purchases that were found so far.
    var found: Set<String> { originals.withLock { $0 } }

    func run() async throws {
        var unverified: [UnverifiedItem] = []
        for try await page in client.transactionHistory(of: transactionId, after: revision) {
            var batch = StatementBatch(scope: scope, origin: .asked, now: core.now)
            for text in page.signedTransactions { try await batch.add(transaction: text, core.historical) }
            unverified += try await keep(batch)
            // The next one begins before whatever could not be believed.
            guard unverified.isEmpty else { continue }
            try await core.storage.note(
                HistoryMark(
                    transactionId: transactionId, revision: page.revision, askedAt: core.now.milliseconds),
                in: scope.id)
        }
        unverified += try await statuses()
        try await core.storage.keep(
            unverified: unverified, ofHistory: transactionId, in: scope.id, at: core.now.milliseconds)
        // It is missing, is asked for again later, and must not hold up all the rest until then.
        if let code = unverified.first?.code {
            try await core.recovery.putAside(transactionId, in: scope, code: code)
        }
    }

    private func statuses() async throws -> [UnverifiedItem] {
        var batch = StatementBatch(scope: scope, origin: .asked, now: core.now)
        for item in try await client.subscriptionStatuses(of: transactionId).data.flatMap(\.lastTransactions) {
            try await batch.add(transaction: item.signedTransactionInfo, core.historical)
            try await batch.add(renewal: item.signedRenewalInfo, core.historical)
        }
        return try await keep(batch)
    }

    /// Keeps what can be believed; gives what cannot.
    private func keep(_ batch: StatementBatch) async throws -> [UnverifiedItem] {
        if !batch.statements.isEmpty { _ = try await core.storage.commit(batch.statements) }
        originals.withLock { $0.formUnion(batch.originals) }
        return batch.unverified
    }
}

extension ServerCore {
    /// Asks the App Store, within the time that a request has, about the Apple account that some purchases are of. What it
    /// does not answer now is put down for recovery. One request at a time asks about an account; the others wait for it.
    ///
    /// - Parameters:
    ///   - ids: Original transactions, or the app transaction: one of them is enough to ask with.
    ///   - age: If it was asked not so long ago, in seconds, it is not asked again, however that ended.
    /// - Returns: How it ended, and the subscriptions and purchases that were found.
    func fetchHistory(
        of ids: [String], in scope: Scope, because reason: Errand.Reason, unlessYoungerThan age: TimeInterval = 0
    ) async throws -> (state: HistoryState, found: Set<String>) {
        guard let client = clients[scope.id] else { return (.notConfigured, []) }
        guard !ids.isEmpty else { return (.complete, []) }
        let account = try await account(of: ids, in: scope)
        let outcome = try await histories.outcome(
            about: account, of: ids, notOlderThan: age, now: clock.now
        ) {
            let (state, found) = try await ask(client, ids, scope, reason)
            return .init(state: state, found: found, of: ids, askedAt: now)
        }
        // Of a stranger's first transaction the account is known only now.
        let name = try await self.account(of: ids, in: scope)
        if name != account { histories.note(outcome, name) }
        return (outcome.state, outcome.found)
    }

    /// How many purchases are looked at to find out what Apple account they are of.
    private static let looked = 20

    private func account(of ids: [String], in scope: Scope) async throws -> HistoryQueries.Account {
        var identifier = ids.first ?? ""
        for id in ids.prefix(Self.looked) {
            guard let known = try await storage.lineage(id, in: scope.id)?.appTransactionId else { continue }
            identifier = known
            break
        }
        return .init(scope: scope.id, identifier: identifier)
    }

    private func ask(
        _ client: AppStoreServerClient, _ ids: [String], _ scope: Scope, _ reason: Errand.Reason
    ) async throws -> (state: HistoryState, found: Set<String>) {
        let mark = try await storage.historyMark(of: ids, in: scope.id)
        guard let id = mark?.transactionId ?? ids.first else { return (.complete, []) }
        let fetch = HistoryFetch(self, client, scope, id, mark?.revision)
        var state = try await outcome(of: fetch, scope)
        if state == .refused(Self.badRevision), mark != nil {
            let again = HistoryFetch(self, client, scope, id, nil)
            state = try await outcome(of: again, scope)
            if state == .complete { return (state, again.found) }
        }
        if state == .pending {
            try await storage.add(errands: [id], in: scope.id, because: reason, at: now.milliseconds)
        }
        return (state, fetch.found)
    }

    private static let badRevision = String(APIErrorCode.invalidRequestRevision.rawValue)

    private func outcome(of fetch: HistoryFetch, _ scope: Scope) async throws -> HistoryState {
        let limit = min(configuration.limits.requestTime / 2, .seconds(10))
        do {
            return try await TimeLimit.run(limit) { try await fetch.run() } == nil ? .pending : .complete
        } catch let error as AppStoreServerError {
            logger.warning(
                "the App Store did not tell a history",
                metadata: ["code": "\(error.code)", "status": "\(error.status ?? 0)", "app": "\(scope.bundleId)"])
            // Anything but a no about this transaction may be different later.
            guard error.code == .refused, !error.isRetryable else { return .pending }
            return .refused(error.apiCode.map { String($0.rawValue) } ?? "\(error.code)")
        } catch let error as VerificationError {
            logger.error(
                "the App Store's history cannot be believed",
                metadata: ["code": "\(error.code)", "app": "\(scope.bundleId)"])
            return .pending
        }
    }
}

/// Work that is broken off when it takes too long.
enum TimeLimit {
    /// Nil when the time was over.
    static func run<Value: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
