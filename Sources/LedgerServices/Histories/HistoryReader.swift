internal import AppStoreModels
internal import AppStoreServer
internal import Foundation
package import Ledger
internal import Synchronization

/// What came of reading a history.
package struct HistoryReading: Sendable {
    /// How many facts were news.
    package var news = 0
    /// The subscriptions and purchases that were found.
    package var found: Set<String> = []
    /// What could not be believed.
    package var unverified: [UnverifiedItem] = []
}

/// Reads the history of one Apple account once. What it has read so far is kept, also when it is broken off.
final class HistoryReader: Sendable {
    /// What the App Store is asked with.
    let transactionID: String
    private let revision: String?
    private let scope: Scope
    private let origin: Origin
    private let storage: any AccountHistories.Storage
    private let verifier: SignedDataVerifier
    private let client: AppStoreServerClient
    private let now: @Sendable () -> Date
    private let state = Mutex(HistoryReading())

    init(
        _ mark: HistoryMark, in scope: Scope, _ origin: Origin, _ storage: any AccountHistories.Storage,
        _ verifier: SignedDataVerifier, _ client: AppStoreServerClient, now: @escaping @Sendable () -> Date
    ) {
        (transactionID, revision) = (mark.transactionID, mark.revision)
        self.scope = scope
        self.origin = origin
        self.storage = storage
        self.verifier = verifier
        self.client = client
        self.now = now
    }

    /// What was read so far.
    var reading: HistoryReading { state.withLock(\.self) }

    func run() async throws {
        try await readStatuses()
        do { try await readPages(after: revision) } catch let error as AppStoreServerError
            where revision != nil && error.apiCode == .invalidRequestRevision
        {
            // It is no longer good: from the beginning, then.
            try await readPages(after: nil)
        }
        let reading = reading
        try await storage.recordAsked(
            about: reading.found.subtracting([transactionID]).sorted(), in: scope.id, at: now().milliseconds)
        try await storage.keep(
            unverified: reading.unverified, ofHistory: transactionID, in: scope.id, at: now().milliseconds)
    }

    private func readStatuses() async throws {
        var batch = StatementBatch(scope: scope, origin: origin, now: now())
        for item in try await client.subscriptionStatuses(of: transactionID).data.flatMap(\.lastTransactions) {
            try await batch.add(transaction: item.signedTransactionInfo, verifier)
            try await batch.add(renewal: item.signedRenewalInfo, verifier)
        }
        try await keep(batch)
    }

    private func readPages(after revision: String?) async throws {
        // The next one begins before whatever could not be believed.
        var (last, isBelieved) = (revision, true)
        let request = TransactionHistoryRequest(sort: .ascending)
        for try await page in client.transactionHistory(of: transactionID, request, after: revision) {
            var batch = StatementBatch(scope: scope, origin: origin, now: now())
            for text in page.signedTransactions { try await batch.add(transaction: text, verifier) }
            isBelieved = isBelieved && batch.unverified.isEmpty
            try await keep(batch)
            guard isBelieved else { continue }
            last = page.revision
            // As long as there is more, it does not count as asked.
            if page.hasMore { try await storage.record(revision: last, of: transactionID, in: scope.id, at: 0) }
        }
        try await storage.record(revision: last, of: transactionID, in: scope.id, at: now().milliseconds)
    }

    private func keep(_ batch: StatementBatch) async throws {
        let news = batch.statements.isEmpty ? 0 : try await storage.commit(batch.statements)
        state.withLock { reading in
            reading.news += news
            reading.found.formUnion(batch.originals)
            reading.unverified += batch.unverified
        }
    }
}
