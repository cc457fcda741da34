package import AppStoreModels
package import AppStoreServer
internal import AppStoreTrust
internal import Basics
package import Foundation
package import Ledger
package import Logging

/// Fetches the App Store's history of an Apple account and stores it: every transaction, and the renewal info of every
/// subscription. Used by recovery, imports, restores, receipts, offers and support.
///
/// Of concurrent HTTP requests about the same account, one fetches at a time, and those that wait share the next fetch.
/// An interrupted fetch keeps its pages, and the next one continues there.
package final class AccountHistories: Sendable {
    package typealias Storage = LedgerStorage & CustomerStorage & HistoryStorage & HistoryRequestStorage

    /// The minimum time, in seconds, between two fetches about an account that unauthenticated requests may cause.
    package static let pause: TimeInterval = 60
    /// The maximum number of purchases to look up in the ledger to find their Apple account.
    private static let maximumLookups = 20

    private let storage: any Storage
    private let verifier: SignedDataVerifier
    private let clients: [Int64: AppStoreServerClient]
    private let clock: ServerClock
    private let logger: Logger
    private let timeout: Duration
    private let coordinator = HistoryFetchCoordinator()
    /// During an outage of the App Store the history of each customer who opens the app is missing.
    private let logMeter = RateMeter(perHour: 60)

    /// - Parameters:
    ///   - verifier: Verifies signed data at its signing date.
    ///   - clients: The clients of the App Store Server API, by the scopes whose apps have a key.
    ///   - timeout: The maximum time for a fetch on behalf of an HTTP request.
    package init(
        storage: any Storage, verifier: SignedDataVerifier, clients: [Int64: AppStoreServerClient], clock: ServerClock,
        logger: Logger, timeout: Duration
    ) {
        self.storage = storage
        self.verifier = verifier
        self.clients = clients
        self.clock = clock
        self.logger = logger
        self.timeout = timeout
    }

    private var now: Milliseconds { clock.now().milliseconds }

    // MARK: - Without a time limit

    /// Reads the history of a transaction's Apple account from where the last reading ended, or from before its first
    /// page with unverified items.
    ///
    /// Does not wait for other readings of the account, and requests do not wait for it, because it may take long. Two
    /// readings at once store the same facts. The revision of the one that ends last stays, so the next one may read
    /// some pages again.
    ///
    /// - Parameter schedulesRetry: Whether to schedule a retry if an item does not verify.
    /// - Throws: ``AppStoreServer/AppStoreServerError`` if the App Store does not answer, ``StorageError``.
    @discardableResult
    package func read(
        _ transactionID: String, in appEnvironment: AppEnvironment, origin: Origin, schedulesRetry: Bool = true
    ) async throws -> HistoryReading {
        guard let client = clients[appEnvironment.id] else { return HistoryReading() }
        let account = try await account(of: [transactionID], in: appEnvironment)
        let reader = try await reader(of: [transactionID], in: appEnvironment, origin, client)
        let number = coordinator.begin()
        try await reader.run()
        let reading = reader.reading
        coordinator.record(
            .init(state: reading.state, found: reading.found, of: [transactionID], at: clock.now()), account, number)
        if schedulesRetry { try await scheduleRetry(after: reading, of: transactionID, in: appEnvironment) }
        return reading
    }

    /// Whether the history of a transaction's Apple account was ever read.
    func hasRead(_ transactionID: String, in appEnvironment: AppEnvironment) async throws -> Bool {
        try await storage.historyMark(of: [transactionID], in: appEnvironment.id) != nil
    }

    /// Schedules another reading of a history, after the first retry pause.
    package func scheduleRetry(of transactionID: String, in appEnvironment: AppEnvironment, code: String) async throws {
        logger.log(
            .warning, "a history is incomplete and will be requested again", limitedBy: logMeter,
            appEnvironment.logMetadata(["code": "\(code)"]))
        try await storage.scheduleRetry(
            of: transactionID, in: appEnvironment.id, code: code, until: now + HistoryRequest.pause(after: 0), at: now)
    }

    // MARK: - Within the time of an HTTP request

    /// Fetches the history of the Apple account that made some purchases, within `timeout`. If this fails, for another
    /// reason than a final refusal, recovery fetches it later.
    ///
    /// - Parameters:
    ///   - ids: Original transaction identifiers, or the app transaction's identifier. The first is used for the
    ///     request unless an earlier reading recorded another.
    ///   - age: The age in seconds below which the last outcome is returned without a new fetch, also if it was a
    ///     failure.
    package func fetch(
        about ids: [String], in appEnvironment: AppEnvironment, because reason: HistoryRequest.Reason,
        unlessYoungerThan age: TimeInterval = 0
    ) async throws -> AccountHistory {
        guard let client = clients[appEnvironment.id] else {
            return AccountHistory(state: .notConfigured, at: clock.now())
        }
        guard !ids.isEmpty else { return AccountHistory(state: .complete, at: clock.now()) }
        let account = try await account(of: ids, in: appEnvironment)
        let history = try await coordinator.outcome(about: account, of: ids, notOlderThan: age, now: clock.now) {
            try await fetch(about: ids, in: appEnvironment, because: reason, client)
        }
        // Before the first fetch of a transaction, the ledger may not know its account.
        let name = try await self.account(of: ids, in: appEnvironment)
        if name != account { coordinator.record(history, name, history.number) }
        return history
    }

    private func fetch(
        about ids: [String], in appEnvironment: AppEnvironment, because reason: HistoryRequest.Reason,
        _ client: AppStoreServerClient
    ) async throws -> AccountHistory {
        let reader = try await reader(of: ids, in: appEnvironment, .asked, client)
        let state = try await state(of: reader, appEnvironment)
        switch state {
        case .complete, .refused, .notConfigured: break
        case .unverified:
            try await scheduleRetry(after: reader.reading, of: reader.transactionID, in: appEnvironment)
        case .pending:
            try await storage.add(requests: [reader.transactionID], in: appEnvironment.id, because: reason, at: now)
        }
        return AccountHistory(state: state, found: reader.reading.found, of: ids, at: clock.now())
    }

    private func state(of reader: HistoryReader, _ appEnvironment: AppEnvironment) async throws -> AccountHistory.State
    {
        do {
            let outcome: Void? = try await TimeLimit.run(timeout) { try await reader.run() }
            guard outcome == nil else { return reader.reading.state }
            logFailure("the App Store did not answer within \(timeout.seconds) seconds", appEnvironment)
            return .pending
        } catch let error as AppStoreServerError {
            logFailure(error.logReason, appEnvironment)
            // All errors except a final refusal of this transaction may be temporary.
            guard error.isFinal, let code = error.apiCode else { return .pending }
            return .refused(String(code.rawValue))
        } catch let error as VerificationError {
            logger.log(
                .error, "the App Store's history failed verification", limitedBy: logMeter,
                appEnvironment.logMetadata(["code": "\(error.code)"]))
            return .pending
        }
    }

    private func logFailure(_ reason: String, _ appEnvironment: AppEnvironment) {
        logger.log(
            .warning, "the App Store did not return a history", limitedBy: logMeter,
            appEnvironment.logMetadata(["reason": "\(reason)"]))
    }

    // MARK: - Shared

    private func reader(
        of ids: [String], in appEnvironment: AppEnvironment, _ origin: Origin, _ client: AppStoreServerClient
    ) async throws -> HistoryReader {
        let mark = try await storage.historyMark(of: ids, in: appEnvironment.id)
        return HistoryReader(
            mark ?? HistoryMark(transactionID: ids.first ?? "", revision: nil), in: appEnvironment, origin, storage,
            verifier,
            client, now: clock.now)
    }

    /// Schedules a retry if an item of the history did not verify.
    private func scheduleRetry(
        after reading: HistoryReading, of transactionID: String, in appEnvironment: AppEnvironment
    )
        async throws
    {
        guard let code = reading.unverified.first?.code else { return }
        try await scheduleRetry(of: transactionID, in: appEnvironment, code: code)
    }

    private func account(of ids: [String], in appEnvironment: AppEnvironment) async throws
        -> HistoryFetchCoordinator.Account
    {
        var identifier = ids.first ?? ""
        for id in ids.prefix(Self.maximumLookups) {
            guard let known = try await storage.lineage(id, in: appEnvironment.id)?.appTransactionID else { continue }
            identifier = known
            break
        }
        return .init(scope: appEnvironment.id, identifier: ExactText(identifier))
    }
}

/// The outcome of fetching the history of an Apple account.
package struct AccountHistory: Sendable {
    /// The state of the history after the fetch.
    package enum State: Sendable, Hashable {
        /// The ledger contains the complete history.
        case complete
        /// The ledger contains the history except for items that failed verification. Recovery fetches it again.
        case unverified
        /// The App Store did not answer in time, refused the key or failed. Recovery fetches the history later.
        case pending
        /// The App Store refuses the transaction. The value is its error code.
        case refused(String)
        /// The app has no API key.
        case notConfigured

        /// The name of the state in the server's API.
        package var name: String {
            switch self {
            case .complete: "complete"
            case .unverified, .pending: "pending"
            case .refused: "refused"
            case .notConfigured: "not_configured"
            }
        }
    }

    package var state: State
    /// The original transaction identifiers in the history.
    package var found: Set<ExactText>
    /// `found` and the identifiers in the request.
    var covered: Set<ExactText>
    var askedAt: Date
    /// The number of the fetch. One that began later has a greater number.
    var number: UInt64 = 0

    init(state: State, found: Set<ExactText> = [], of ids: [String] = [], at date: Date) {
        self.state = state
        self.found = found
        askedAt = date
        covered = found.union(ids.map { ExactText($0) })
    }
}
