package import Ledger
internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Foundation
internal import Logging

extension Recovery {
    /// Customers that are asked about at once. The client sees to the App Store's quotas.
    private static let atOnce = 4
    /// How many subscriptions and purchases are looked at in one go.
    private static let glances = 500
    /// How long after the end of a sweep the next one begins.
    private static let sweepInterval: Milliseconds = 86_400_000

    /// What came of asking for a history.
    package struct HistoryReading: Sendable {
        /// How many facts were news.
        package var news = 0
        /// What could not be believed. It is asked for again.
        var unverified: [UnverifiedItem] = []
    }

    /// Asks for everything that the Apple account of a transaction bought in the app, and for the states of its
    /// subscriptions. What was known before stays; the history is read from where it ended the last time, or from before
    /// the first page with something that could not be believed. Then it is asked for again later.
    ///
    /// - Throws: ``AppStoreServer/AppStoreServerError`` when the App Store does not answer, ``StorageError``.
    @discardableResult
    package func fetchHistory(of transactionId: String, in scope: Scope, origin: Origin) async throws -> HistoryReading
    {
        let reading = try await readHistory(of: transactionId, in: scope, origin: origin)
        if let code = reading.unverified.first?.code { try await putAside(transactionId, in: scope, code: code) }
        return reading
    }

    private func readHistory(of transactionId: String, in scope: Scope, origin: Origin) async throws -> HistoryReading {
        guard let client = clients[scope.id] else { return HistoryReading() }
        var batch = StatementBatch(scope: scope, origin: origin, now: clock.now())
        let statuses = try await client.subscriptionStatuses(of: transactionId)
        for item in statuses.data.flatMap(\.lastTransactions) {
            try await batch.add(transaction: item.signedTransactionInfo, verifier)
            try await batch.add(renewal: item.signedRenewalInfo, verifier)
        }
        var news = try await commit(&batch)
        let revision = try await storage.revision(of: transactionId, in: scope.id)
        do {
            news += try await readPages(of: transactionId, after: revision, &batch, client)
        } catch {
            // A revision that is no longer good: from the beginning, then.
            guard revision?.isEmpty == false, (error as? AppStoreServerError)?.apiCode == .invalidRequestRevision
            else { throw error }
            news += try await readPages(of: transactionId, after: nil, &batch, client)
        }
        for original in batch.originals.subtracting([transactionId]) {
            try await storage.note(revision: nil, of: original, in: scope.id, at: now)
        }
        try await storage.keep(unverified: batch.unverified, ofHistory: transactionId, in: scope.id, at: now)
        return HistoryReading(news: news, unverified: batch.unverified)
    }

    private func readPages(
        of transactionId: String, after revision: String?, _ batch: inout StatementBatch,
        _ client: AppStoreServerClient
    ) async throws -> Int {
        var news = 0
        let request = TransactionHistoryRequest(sort: .ascending)
        let before = batch.unverified.count
        // The next time it begins before whatever could not be believed.
        var last = revision
        for try await page in client.transactionHistory(of: transactionId, request, after: revision) {
            for text in page.signedTransactions { try await batch.add(transaction: text, verifier) }
            news += try await commit(&batch)
            guard batch.unverified.count == before else { continue }
            last = page.revision
            if page.hasMore {
                try await storage.note(revision: last, of: transactionId, in: batch.scope.id, at: 0)
            }
        }
        let isBelieved = batch.unverified.count == before
        try await storage.note(
            revision: isBelieved ? last ?? "" : last, of: transactionId, in: batch.scope.id, at: now)
        return news
    }

    private func commit(_ batch: inout StatementBatch) async throws -> Int {
        let news = batch.statements.isEmpty ? 0 : try await storage.commit(batch.statements)
        batch.statements = []
        return news
    }

    /// Has a history asked for again, when some time has passed.
    func putAside(_ transactionId: String, in scope: Scope, code: String) async throws {
        logger.warning(
            "a history is put aside and will be asked for again",
            metadata: [
                "app": "\(scope.bundleId)", "environment": "\(scope.environment.rawValue)", "code": "\(code)",
            ])
        try await storage.putAside(
            transactionId, in: scope.id, code: code, until: now + Self.pause(after: 0), at: now)
    }

    /// How long a history stays put aside after so many attempts: 5 minutes, doubled up to a day.
    private static func pause(after attempts: Int) -> Milliseconds {
        min(Milliseconds(300_000) << min(max(attempts, 0), 9), 86_400_000)
    }
}

extension Recovery {
    /// Asks for all histories that somebody has put down to be asked for.
    func runErrands() async throws {
        while true {
            let errands = try await storage.takeErrands(at: now, limit: 64)
            guard !errands.isEmpty else { return }
            try await forEach(errands, atOnce: Self.atOnce) { try await self.run($0) }
        }
    }

    private func run(_ errand: Errand) async throws {
        guard let scope = scopes[id: errand.scope], clients[errand.scope] != nil else {
            return try await storage.postpone(errand: errand.id, until: now + Self.sweepInterval, code: "no_key")
        }
        do {
            let reading = try await readHistory(of: errand.transactionId, in: scope, origin: .asked)
            guard let code = reading.unverified.first?.code else { return try await storage.finish(errand: errand.id) }
            try await postpone(errand, code)
        } catch {
            guard let failure = error as? AppStoreServerError else { throw error }
            if failure.isFinal {
                // Whatever could not be believed: nobody will ever tell it again.
                try await storage.keep(unverified: [], ofHistory: errand.transactionId, in: scope.id, at: now)
                return try await storage.fail(errand: errand.id, code: failure.name, at: now)
            }
            // If nobody can be asked now, that is no reason to wait the longer with this one.
            guard failure.mayBeAboutOne else { throw failure }
            try await postpone(errand, failure.name)
        }
    }

    private func postpone(_ errand: Errand, _ code: String) async throws {
        try await storage.postpone(errand: errand.id, until: now + Self.pause(after: errand.attempts), code: code)
    }

    /// Looks for subscriptions and purchases that are out of date, and asks the App Store about them.
    ///
    /// - Parameters:
    ///   - pages: How far it goes at most.
    ///   - startingAnew: Whether it begins again even if the last one ended a short while ago.
    func sweep(_ scope: Scope, pages: Int, startingAnew: Bool = false) async throws {
        guard clients[scope.id] != nil else { return }
        var sweep = try await storage.sweep(in: scope.id) ?? Sweep(scope: scope.id, startedAt: now)
        if let finishedAt = sweep.finishedAt {
            guard startingAnew || finishedAt + Self.sweepInterval <= now || finishedAt > now else { return }
            sweep = Sweep(scope: scope.id, startedAt: now)
        }
        var page = 0
        while sweep.finishedAt == nil, page < pages {
            page += 1
            let glances = try await storage.glances(after: sweep.cursor, in: scope.id, limit: Self.glances)
            let stale = glances.filter { $0.isOutOfDate(at: now, everyoneSince: sweep.everyoneSince) }
            try await forEach(stale, atOnce: Self.atOnce) { glance in
                try await self.refresh(glance.originalTransactionId, in: scope)
            }
            sweep.cursor = glances.last?.originalTransactionId ?? sweep.cursor
            if glances.count < Self.glances { sweep.finishedAt = now }
            try await storage.note(sweep)
        }
    }

    private func refresh(_ original: String, in scope: Scope) async throws {
        do { try await fetchHistory(of: original, in: scope, origin: .asked) } catch {
            guard let failure = error as? AppStoreServerError, failure.isFinal || failure.mayBeAboutOne else {
                throw error
            }
            try await storage.note(revision: nil, of: original, in: scope.id, at: now)
            // What the App Store does not know (any more) is no use to ask again at once.
            if !failure.isFinal { try await putAside(original, in: scope, code: failure.name) }
        }
    }
}

/// What an answer of the App Store holds, verified, on its way to the ledger.
struct StatementBatch {
    let scope: Scope
    let origin: Origin
    let now: Date
    var statements: [Statement] = []
    var unverified: [UnverifiedItem] = []
    /// The subscriptions and purchases that came along.
    var originals: Set<String> = []

    init(scope: Scope, origin: Origin, now: Date) {
        self.scope = scope
        self.origin = origin
        self.now = now
    }

    /// Adds a transaction; one that cannot be believed is noted.
    mutating func add(transaction text: String, _ verifier: SignedDataVerifier) async throws {
        do {
            let verified = try await verifier.transaction(text)
            try scope.requireMatch(verified.payload.bundleId, verified.payload.environment)
            originals.insert(verified.payload.originalTransactionId)
            statements.append(Statement(verified, scope: scope, at: now, origin: origin))
        } catch { try note(text, error) }
    }

    /// Adds a renewal info; one that cannot be believed is noted.
    mutating func add(renewal text: String, _ verifier: SignedDataVerifier) async throws {
        do {
            let verified = try await verifier.renewalInfo(text)
            try scope.requireMatch(scope.bundleId, verified.payload.environment)
            statements.append(Statement(verified, scope: scope, at: now, origin: origin))
        } catch { try note(text, error) }
    }

    private mutating func note(_ text: String, _ error: any Error) throws {
        guard let refusal = error as? VerificationError, !refusal.isRetryable else { throw error }
        unverified.append(UnverifiedItem(text, refusal, isNotification: false))
    }
}
