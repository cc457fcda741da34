internal import AppStoreServer
internal import Ledger
internal import Logging

extension Recovery {
    /// The number of histories to fetch at once. The client enforces the App Store's rate limits.
    private static let concurrency = 4
    /// The number of lineages to check per page.
    private static let summaryPage = 500
    /// The maximum number of lineages to refresh per page. One may take a minute, and notifications are recovered
    /// between two pages.
    static let maximumRefreshes = 32

    /// The time between two checks whether notifications are processed.
    private static let processingPause = Duration.milliseconds(50)
    /// The number of history requests of a scope to take at once.
    private static let requestBatch = 64

    /// Runs all due history requests of all scopes.
    ///
    /// - Throws: The first failure, after the requests of all other scopes were tried.
    package func runHistoryRequests() async throws {
        try await Concurrently.forEach(scopes.all, atOnce: 16) { appEnvironment in
            while try await self.runNextHistoryRequests(in: appEnvironment) {}
        }
    }

    /// Runs the next batch of due history requests of a scope. Returns false if there are none.
    func runNextHistoryRequests(in appEnvironment: AppEnvironment) async throws -> Bool {
        let due = try await storage.dueHistoryRequests(in: appEnvironment.id, at: now, limit: Self.requestBatch)
        try await Concurrently.forEach(due, atOnce: Self.concurrency, shareKey: true) {
            try await self.run($0, in: appEnvironment)
        }
        return !due.isEmpty
    }

    private func run(_ request: HistoryRequest, in appEnvironment: AppEnvironment) async throws {
        guard clients[appEnvironment.id] != nil else {
            return try await record(request.outcomeWithoutKey(at: now), of: request)
        }
        do {
            let reading = try await histories.read(
                request.transactionID, in: appEnvironment, origin: .asked, schedulesRetry: false)
            let code = reading.unverified.first?.code
            try await record(code.map { request.outcome(ofFailure: $0, at: now) } ?? .finished, of: request)
        } catch let error as StorageError where error.code == .damaged {
            // Only a record of this Apple account is damaged; the other requests continue.
            logger.error(
                "a history cannot be stored and will be requested again",
                metadata: appEnvironment.logMetadata(["reason": "\(error.logReason)"]))
            try await record(request.outcome(ofFailure: error.code.rawValue, at: now), of: request)
        } catch let failure as AppStoreServerError {
            guard failure.isFinal else {
                // If the App Store fails for all requests, do not postpone this one.
                guard failure.mayConcernOneRequest else { throw failure }
                return try await record(request.outcome(ofFailure: failure.name, at: now), of: request)
            }
            if !request.mayBeAnswered(after: failure.refusal) {
                // The App Store will never return the unverified items again, so they are removed.
                try await storage.replaceUnverified(
                    with: [], ofHistory: request.transactionID, in: appEnvironment.id, at: now)
            }
            try await record(request.outcome(of: failure.refusal, code: failure.name, at: now), of: request)
        }
    }

    private func record(_ outcome: HistoryRequest.Outcome, of request: HistoryRequest) async throws {
        switch outcome {
        case .finished: try await storage.finish(request: request.id)
        case .failed(let code): try await storage.fail(request: request.id, code: code, at: now)
        case .postponed(let next, let code): try await storage.postpone(request, until: next, code: code)
        }
    }

    /// Before the first reading of the notification history, begins a pass over all purchases if some are older than
    /// that history: the ledger was imported, or the app had no key. Nothing tells what was missed before.
    func beginPassOverOlderPurchases(in appEnvironment: AppEnvironment, before limit: Milliseconds) async throws {
        let stored = try await storage.historyPass(in: appEnvironment.id)
        guard stored?.staleBefore == nil else { return }
        var last = ""
        while true {
            let summaries = try await storage.summaries(after: last, in: appEnvironment.id, limit: Self.summaryPage)
            if summaries.contains(where: { $0.mayLackChanges(before: limit, at: now) }) {
                let pass = HistoryPass(scope: appEnvironment.id, staleBefore: limit, startedAt: now)
                _ = try await storage.record(pass, replacing: stored)
                return
            }
            guard summaries.count == Self.summaryPage, let end = summaries.last else { return }
            last = end.originalTransactionID
        }
    }

    /// Runs the history pass of a scope to its end, or a new one if it is finished.
    func runHistoryPass(_ appEnvironment: AppEnvironment) async throws {
        try await continueHistoryPass(appEnvironment, pages: .max, startingAnew: true)
        while let pass = try await storage.historyPass(in: appEnvironment.id), pass.finishedAt == nil {
            // It waits until notifications are processed.
            try await clock.wait(for: Self.processingPause)
            try await continueHistoryPass(appEnvironment, pages: .max)
        }
    }

    /// Whether the notifications are processed that the pass waits for.
    private func canContinue(_ pass: HistoryPass) async throws -> Bool {
        let mark = try await storage.completenessMarks().first { $0.scope == pass.scope }
        guard let awaited = pass.awaitedArrivals(historyReadAt: mark?.checkedAt, at: now) else { return true }
        return try await !storage.hasPendingNotifications(in: pass.scope, since: awaited)
    }

    /// Continues the history pass of a scope, which refreshes outdated subscriptions and purchases from the App Store.
    ///
    /// - Parameters:
    ///   - pages: The maximum number of pages to process.
    ///   - startingAnew: Whether to start a new pass even if none is due.
    /// - Returns: Whether the pass has more pages to process now. False if it waits for notifications to be processed.
    @discardableResult
    func continueHistoryPass(_ appEnvironment: AppEnvironment, pages: Int, startingAnew: Bool = false) async throws
        -> Bool
    {
        guard clients[appEnvironment.id] != nil else { return false }
        var stored = try await storage.historyPass(in: appEnvironment.id)
        var pass = stored ?? HistoryPass(scope: appEnvironment.id, startedAt: now)
        if pass.finishedAt != nil {
            guard startingAnew || pass.isDueAgain(at: now) else { return false }
            pass = HistoryPass(scope: appEnvironment.id, startedAt: now)
        }
        var page = 0
        while pass.finishedAt == nil, page < pages {
            page += 1
            guard try await canContinue(pass) else { return false }
            let summaries = try await storage.summaries(
                after: pass.cursor, in: appEnvironment.id, limit: Self.summaryPage)
            let stale = summaries.filter { $0.isOutOfDate(at: now, staleBefore: pass.staleBefore) }
            let batch = Array(stale.prefix(Self.maximumRefreshes))
            try await Concurrently.forEach(batch, atOnce: Self.concurrency, shareKey: true) { summary in
                try await self.refresh(summary.originalTransactionID, in: appEnvironment)
            }
            let isWhole = batch.count == stale.count
            pass.cursor = (isWhole ? summaries.last : batch.last)?.originalTransactionID ?? pass.cursor
            if isWhole, summaries.count < Self.summaryPage { pass.finishedAt = now }
            if try await storage.record(pass, replacing: stored) {
                stored = pass
            } else {
                // The histories were read, but the other pass may have to read them again.
                stored = try await storage.historyPass(in: appEnvironment.id)
                pass = stored ?? pass
            }
        }
        return pass.finishedAt == nil
    }

    private func refresh(_ original: String, in appEnvironment: AppEnvironment) async throws {
        do { try await histories.read(original, in: appEnvironment, origin: .asked) } catch let error as StorageError
            where error.code == .damaged
        {
            // The retry succeeds after the record is rebuilt.
            try await histories.scheduleRetry(of: original, in: appEnvironment, code: error.code.rawValue)
        } catch let failure as AppStoreServerError where failure.isFinal || failure.mayConcernOneRequest {
            // A retry is useless if the App Store does not know the transaction.
            if !failure.isFinal || failure.isAboutApp {
                try await histories.scheduleRetry(of: original, in: appEnvironment, code: failure.name)
            }
            // Recorded last: if the retry could not be stored, the next attempt of the pass requests the history again.
            try await storage.recordRequest(about: [original], in: appEnvironment.id, at: now)
        }
    }
}
