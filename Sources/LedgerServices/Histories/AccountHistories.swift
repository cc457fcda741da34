package import AppStoreServer
internal import AppStoreModels
internal import AppStoreTrust
internal import Basics
package import Foundation
package import Ledger
package import Logging

/// Asks the App Store what it knows of an Apple account, and keeps it: every transaction, and the renewal of every
/// subscription. Whoever wants a history comes here: recovery, imports, restores, receipts, offers and support.
///
/// One request at a time asks about an account; the others wait for it. What was fetched before it was broken off stays, and
/// the next one goes on there.
package final class AccountHistories: Sendable {
    package typealias Storage = LedgerStorage & CustomerStorage & HistoryStorage & HistoryRequestStorage

    /// How long it takes, in seconds, until the App Store is asked again because of what everybody can send.
    package static let pause: TimeInterval = 60
    /// How many purchases are looked at to find out what Apple account they are of.
    private static let looked = 20

    private let storage: any Storage
    private let verifier: SignedDataVerifier
    private let clients: [Int64: AppStoreServerClient]
    private let clock: ServerClock
    private let logger: Logger
    private let patience: Duration
    private let turns = HistoryTurns()

    /// - Parameters:
    ///   - verifier: Judges what was signed earlier.
    ///   - clients: The App Store, for the scopes whose app has a key.
    ///   - patience: How long whoever has a request open is kept waiting.
    package init(
        storage: any Storage, verifier: SignedDataVerifier, clients: [Int64: AppStoreServerClient], clock: ServerClock,
        logger: Logger, patience: Duration
    ) {
        self.storage = storage
        self.verifier = verifier
        self.clients = clients
        self.clock = clock
        self.logger = logger
        self.patience = patience
    }

    private var now: Milliseconds { clock.now().milliseconds }

    // MARK: - For as long as it takes

    /// Reads the history of the Apple account that a transaction is of, from where it ended the last time, or from before
    /// the first page with something that could not be believed. Then it is asked for again later.
    ///
    /// - Parameter putsAside: Whether it is put down to be asked for again if something could not be believed.
    /// - Throws: ``AppStoreServer/AppStoreServerError`` when the App Store does not answer, ``StorageError``.
    @discardableResult
    package func read(
        _ transactionID: String, in scope: Scope, origin: Origin, putsAside: Bool = true
    ) async throws -> HistoryReading {
        guard let client = clients[scope.id] else { return HistoryReading() }
        let account = try await account(of: [transactionID], in: scope)
        let reader = try await reader(of: [transactionID], in: scope, origin, client)
        try await reader.run()
        let reading = reader.reading
        turns.record(.init(state: .complete, found: reading.found, of: [transactionID], at: clock.now()), account)
        if putsAside { try await putAside(reading, of: transactionID, in: scope) }
        return reading
    }

    /// Whether the history that a transaction leads to was ever read.
    func hasRead(_ transactionID: String, in scope: Scope) async throws -> Bool {
        try await storage.historyMark(of: [transactionID], in: scope.id) != nil
    }

    /// Has a history asked for again, when some time has passed.
    package func putAside(_ transactionID: String, in scope: Scope, code: String) async throws {
        logger.warning(
            "a history is put aside and will be asked for again",
            metadata: [
                "app": "\(scope.bundleID)", "environment": "\(scope.environment.rawValue)", "code": "\(code)",
            ])
        try await storage.putAside(
            transactionID, in: scope.id, code: code, until: now + Self.pause(after: 0), at: now)
    }

    /// How long a history stays put aside after so many attempts: 5 minutes, doubled up to a day.
    package static func pause(after attempts: Int) -> Milliseconds {
        min(Milliseconds(300_000) << min(max(attempts, 0), 9), LongestDelay.historyRequest.milliseconds)
    }

    // MARK: - While somebody waits

    /// Asks, within the time that a request has, about the Apple account that some purchases are of. What the App Store does
    /// not answer now is put down for recovery.
    ///
    /// - Parameters:
    ///   - ids: Original transactions, or the app transaction: one of them is enough to ask with.
    ///   - age: If it was asked not so long ago, in seconds, it is not asked again, however that ended.
    package func ask(
        about ids: [String], in scope: Scope, because reason: HistoryRequest.Reason,
        unlessYoungerThan age: TimeInterval = 0
    ) async throws -> AccountHistory {
        guard let client = clients[scope.id] else { return AccountHistory(state: .notConfigured, at: clock.now()) }
        guard !ids.isEmpty else { return AccountHistory(state: .complete, at: clock.now()) }
        let account = try await account(of: ids, in: scope)
        let history = try await turns.outcome(about: account, of: ids, notOlderThan: age, now: clock.now) {
            try await ask(about: ids, in: scope, because: reason, client)
        }
        // Of a stranger's first transaction the account is known only now.
        let name = try await self.account(of: ids, in: scope)
        if name != account { turns.record(history, name) }
        return history
    }

    private func ask(
        about ids: [String], in scope: Scope, because reason: HistoryRequest.Reason, _ client: AppStoreServerClient
    ) async throws -> AccountHistory {
        let reader = try await reader(of: ids, in: scope, .asked, client)
        let state = try await state(of: reader, scope)
        switch state {
        case .complete: try await putAside(reader.reading, of: reader.transactionID, in: scope)
        case .pending: try await storage.add(requests: [reader.transactionID], in: scope.id, because: reason, at: now)
        case .refused, .notConfigured: break
        }
        return AccountHistory(state: state, found: reader.reading.found, of: ids, at: clock.now())
    }

    private func state(of reader: HistoryReader, _ scope: Scope) async throws -> AccountHistory.State {
        do {
            return try await TimeLimit.run(patience) { try await reader.run() } == nil ? .pending : .complete
        } catch let error as AppStoreServerError {
            logger.warning(
                "the App Store did not tell a history",
                metadata: ["code": "\(error.code)", "status": "\(error.status ?? 0)", "app": "\(scope.bundleID)"])
            // Anything but a no about this transaction may be different later.
            guard error.isFinal, let code = error.apiCode else { return .pending }
            return .refused(String(code.rawValue))
        } catch let error as VerificationError {
            logger.error(
                "the App Store's history failed verification",
                metadata: ["code": "\(error.code)", "app": "\(scope.bundleID)"])
            return .pending
        }
    }

    // MARK: - Both

    private func reader(
        of ids: [String], in scope: Scope, _ origin: Origin, _ client: AppStoreServerClient
    ) async throws -> HistoryReader {
        let mark = try await storage.historyMark(of: ids, in: scope.id)
        return HistoryReader(
            mark ?? HistoryMark(transactionID: ids.first ?? "", revision: nil), in: scope, origin, storage, verifier,
            client, now: clock.now)
    }

    /// What could not be believed is missing, is asked for again, and must not hold up all the rest until then.
    private func putAside(_ reading: HistoryReading, of transactionID: String, in scope: Scope) async throws {
        guard let code = reading.unverified.first?.code else { return }
        try await putAside(transactionID, in: scope, code: code)
    }

    private func account(of ids: [String], in scope: Scope) async throws -> HistoryTurns.Account {
        var identifier = ids.first ?? ""
        for id in ids.prefix(Self.looked) {
            guard let known = try await storage.lineage(id, in: scope.id)?.appTransactionID else { continue }
            identifier = known
            break
        }
        return .init(scope: scope.id, identifier: identifier)
    }
}

/// What came of asking about an Apple account.
package struct AccountHistory: Sendable {
    /// How it ended.
    package enum State: Sendable, Hashable {
        /// All that the App Store knows is in the ledger.
        case complete
        /// It could not be reached, or not in time: recovery asks again.
        case pending
        /// It knows nothing of the transaction, or does not say. The word is the reason.
        case refused(String)
        /// The app has no key to ask with.
        case notConfigured

        /// The word in answers.
        package var name: String {
            switch self {
            case .complete: "complete"
            case .pending: "pending"
            case .refused: "refused"
            case .notConfigured: "not_configured"
            }
        }
    }

    package var state: State
    /// The subscriptions and purchases that were found.
    package var found: Set<String>
    /// Those, and what was asked with.
    var covered: Set<String>
    var askedAt: Date
    /// Grows with every outcome.
    var number: UInt64 = 0

    init(state: State, found: Set<String> = [], of ids: [String] = [], at date: Date) {
        self.state = state
        self.found = found
        askedAt = date
        covered = found.union(ids)
    }
}
