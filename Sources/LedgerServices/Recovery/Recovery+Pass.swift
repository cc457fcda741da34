internal import AppStoreModels
internal import AppStoreTrust
internal import Ledger
internal import AppStoreServer
internal import Foundation
internal import Logging

extension Recovery {
    /// Customers that are asked about at once. The client sees to the App Store's quotas.
    private static let atOnce = 4
    /// How many subscriptions and purchases are looked at in one go.
    private static let summaries = 500
    /// How many of them the App Store is asked about in one go. It may take a minute to tell of one, and notifications are
    /// looked after in between.
    static let mostAsked = 32
    /// How long after the end of a pass the next one begins.
    private static let passInterval: Milliseconds = 86_400_000

    /// How many history requests of one scope are taken in one go.
    private static let requests = 64

    /// Asks for all histories that somebody has put down to be asked for.
    ///
    /// - Throws: A failure, after the requests of all other scopes were tried.
    package func runHistoryRequests() async throws {
        try await Concurrently.forEach(scopes.all, atOnce: 16) { scope in
            while try await self.runSomeHistoryRequests(in: scope) {}
        }
    }

    /// Asks for some of the histories of a scope; false when there are none to ask for.
    func runSomeHistoryRequests(in scope: Scope) async throws -> Bool {
        let taken = try await storage.takeHistoryRequests(in: scope.id, at: now, limit: Self.requests)
        try await Concurrently.forEach(taken, atOnce: Self.atOnce) { try await self.run($0, in: scope) }
        return !taken.isEmpty
    }

    private func run(_ request: HistoryRequest, in scope: Scope) async throws {
        guard clients[scope.id] != nil else {
            return try await storage.postpone(
                request, until: now + LongestDelay.historyRequest.milliseconds, code: "no_key")
        }
        do {
            let reading = try await histories.read(
                request.transactionID, in: scope, origin: .asked, putsAside: false)
            guard let code = reading.unverified.first?.code else {
                return try await storage.finish(request: request.id)
            }
            try await postpone(request, code)
        } catch let error as StorageError where error.code == .damaged {
            // A record of this Apple account cannot be read: that is no reason to keep others waiting.
            logger.error(
                "a history cannot be kept and will be asked for again",
                metadata: ["app": "\(scope.bundleID)", "reason": "\(error.logReason)"])
            try await postpone(request, error.code.rawValue)
        } catch {
            guard let failure = error as? AppStoreServerError else { throw error }
            if failure.isFinal {
                // Whatever could not be believed: nobody will ever tell it again.
                try await storage.keep(unverified: [], ofHistory: request.transactionID, in: scope.id, at: now)
                return try await storage.fail(request: request.id, code: failure.name, at: now)
            }
            // If nobody can be asked now, that is no reason to wait the longer with this one.
            guard failure.mayBeAboutOne else { throw failure }
            try await postpone(request, failure.name)
        }
    }

    private func postpone(_ request: HistoryRequest, _ code: String) async throws {
        try await storage.postpone(
            request, until: now + AccountHistories.pause(after: request.attempts), code: code)
    }

    /// Looks for subscriptions and purchases that are out of date, and asks the App Store about them.
    ///
    /// - Parameters:
    ///   - pages: How far it goes at most.
    ///   - startingAnew: Whether it begins again even if the last one ended a short while ago.
    /// - Returns: Whether there is more to do.
    @discardableResult
    func continuePass(_ scope: Scope, pages: Int, startingAnew: Bool = false) async throws -> Bool {
        guard clients[scope.id] != nil else { return false }
        var pass = try await storage.historyPass(in: scope.id) ?? HistoryPass(scope: scope.id, startedAt: now)
        if let finishedAt = pass.finishedAt {
            guard startingAnew || finishedAt + Self.passInterval <= now || finishedAt > now else { return false }
            pass = HistoryPass(scope: scope.id, startedAt: now)
        }
        var page = 0
        while pass.finishedAt == nil, page < pages {
            page += 1
            let summaries = try await storage.summaries(after: pass.cursor, in: scope.id, limit: Self.summaries)
            let stale = summaries.filter { $0.isOutOfDate(at: now, everyoneSince: pass.everyoneSince) }
            let asked = Array(stale.prefix(Self.mostAsked))
            try await Concurrently.forEach(asked, atOnce: Self.atOnce) { summary in
                try await self.refresh(summary.originalTransactionID, in: scope)
            }
            let isWhole = asked.count == stale.count
            pass.cursor = (isWhole ? summaries.last : asked.last)?.originalTransactionID ?? pass.cursor
            if isWhole, summaries.count < Self.summaries { pass.finishedAt = now }
            try await storage.record(pass)
        }
        return pass.finishedAt == nil
    }

    private func refresh(_ original: String, in scope: Scope) async throws {
        do { try await histories.read(original, in: scope, origin: .asked) } catch let error as StorageError
            where error.code == .damaged
        {
            // It is asked for when its record was derived again.
            try await histories.putAside(original, in: scope, code: error.code.rawValue)
        } catch {
            guard let failure = error as? AppStoreServerError, failure.isFinal || failure.mayBeAboutOne else {
                throw error
            }
            try await storage.recordAsked(about: [original], in: scope.id, at: now)
            // What the App Store does not know (any more) is no use to ask again at once.
            if !failure.isFinal { try await histories.putAside(original, in: scope, code: failure.name) }
        }
    }
}
