internal import AppStoreModels
package import AppStoreServer
internal import AppStoreTrust
internal import Foundation
package import Ledger
internal import Logging

extension Recovery {
    private enum Item: Sendable {
        case stored(isNew: Bool, signedDate: Milliseconds)
        case unverified(UnverifiedItem)
    }

    /// The maximum number of restarts of a window in one pass, after its token expired or its start became too old.
    private static let maximumRestarts = 3

    /// Reads the remaining pages of a window.
    ///
    /// - Parameter isHint: Whether later windows of the recovery read the same notifications again. If the App Store
    ///   refuses such a window, it is skipped.
    package func read(
        _ window: RecoveryWindow, in appEnvironment: AppEnvironment, isHint: Bool, _ client: AppStoreServerClient
    ) async throws {
        var window = window
        for attempt in 0... {
            do { return try await readPages(of: window, in: appEnvironment, client) } catch {
                guard let failure = error as? AppStoreServerError else { throw error }
                guard attempt < Self.maximumRestarts, try await begin(&window, anewAfter: failure, restarts: attempt)
                else {
                    guard isHint, failure.isFinal else { throw failure }
                    return try await storage.skip(window: window)
                }
                if window.from >= window.until { return }
            }
        }
    }

    /// Restarts a window if the failure allows it. Returns false otherwise.
    private func begin(
        _ window: inout RecoveryWindow, anewAfter failure: AppStoreServerError, restarts: Int
    ) async throws -> Bool {
        switch failure.apiCode {
        case .paginationTokenExpired?, .invalidPaginationToken?:
            guard window.token != nil || failure.apiCode == .paginationTokenExpired else { return false }
            try await storage.restart(window: window)
        case .startDateTooFarInPast?:
            let limit = RecoveryPlan.limit(at: clock.now(), settings)
            // Later windows read the same time as a hint.
            guard limit > window.from || !window.onlyFailures else { return false }
            let start = window.start(refusedWith: limit, restarts: restarts)
            try await storage.clip(window: window, to: start)
            window.from = start
        default: return false
        }
        window.token = nil
        return true
    }

    private func readPages(
        of window: RecoveryWindow, in appEnvironment: AppEnvironment, _ client: AppStoreServerClient
    ) async throws {
        var window = window
        let request = NotificationHistoryRequest(
            startDate: Date(milliseconds: window.from), endDate: Date(milliseconds: window.until),
            notificationType: window.filter?.type, notificationSubtype: window.filter?.subtype,
            onlyFailures: window.onlyFailures ? true : nil)
        for try await page in client.notificationHistory(request, after: window.token) {
            let outcome = try await store(page)
            log(outcome.unverified, in: appEnvironment)
            try await storage.record(outcome, of: window, at: now)
            window.token = outcome.next
            try Task.checkCancellation()
        }
    }

    /// Stores all notifications of a page. They are on disk when this method returns.
    private func store(_ page: NotificationHistoryResponse) async throws -> PageOutcome {
        try await withThrowingTaskGroup(of: Item.self) { group in
            for item in page.items { group.addTask { try await self.store(item.signedPayload) } }
            var outcome = PageOutcome(
                next: page.hasMore ? page.nextPage : nil, isLast: !page.hasMore,
                counts: RecoveryCounts(pages: 1, found: page.items.count), unverified: [])
            for try await item in group {
                switch item {
                case .stored(let isNew, let signedDate):
                    if isNew { outcome.counts.new += 1 } else { outcome.counts.duplicates += 1 }
                    outcome.signedUntil = max(outcome.signedUntil ?? signedDate, signedDate)
                case .unverified(let item):
                    outcome.counts.failed += 1
                    outcome.unverified.append(item)
                }
            }
            return outcome
        }
    }

    private func store(_ signedPayload: String) async throws -> Item {
        do {
            let acceptance = try await ingest.accept(signedPayload, origin: .recovered)
            let signedDate = acceptance.signedDate
            if case .stored = acceptance.insertion { return .stored(isNew: true, signedDate: signedDate) }
            return .stored(isNew: false, signedDate: signedDate)
        } catch let refusal as VerificationError where !refusal.isRetryable {
            return .unverified(UnverifiedItem(signedPayload, refusal, isNotification: true))
        }
    }

    /// Logs the first unverified notifications of each error code: with wrong anchors every notification of the history
    /// is one. The end of the reading logs the number of the others.
    private func log(_ unverified: [UnverifiedItem], in appEnvironment: AppEnvironment) {
        for (code, items) in Dictionary(grouping: unverified, by: \.code).sorted(by: { $0.key < $1.key }) {
            let some = UnverifiedCount(count: items.count, message: items.first?.message ?? "")
            guard isFirst(some, code, in: appEnvironment.id) else { continue }
            log(some, code, "notifications of the history failed verification", in: appEnvironment)
        }
    }

    /// Logs how many unverified notifications a reading found after the first ones, one line for each error code.
    func logOtherUnverified(in appEnvironment: AppEnvironment) {
        for (code, others) in takeUnlogged(in: appEnvironment.id).sorted(by: { $0.key < $1.key }) where others.count > 0
        {
            log(others, code, "more notifications of the history failed verification", in: appEnvironment)
        }
    }

    private func log(
        _ unverified: UnverifiedCount, _ code: String, _ message: Logger.Message, in appEnvironment: AppEnvironment
    ) {
        logger.error(
            message,
            metadata: appEnvironment.logMetadata([
                "count": "\(unverified.count)", "code": "\(code)", "reason": "\(unverified.message)",
            ]))
    }
}
