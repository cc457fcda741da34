package import AppStoreModels
internal import AppStoreServer
internal import Foundation
package import Ledger
internal import Synchronization

/// The result of reading a history.
package struct HistoryReading: Sendable {
    /// The number of new facts.
    package var newFacts = 0
    /// The original transaction identifiers in the history.
    package var found: Set<ExactText> = []
    /// The items that did not verify.
    package var unverified: [UnverifiedItem] = []

    /// The state of a history that was read to its end.
    var state: AccountHistory.State { unverified.isEmpty ? .complete : .unverified }
}

/// Reads the history of one Apple account once. Every page is stored at once, so an interrupted reading keeps its
/// pages.
final class HistoryReader: Sendable {
    /// The transaction in the requests to the App Store.
    let transactionID: String
    private let revision: String?
    private let appEnvironment: AppEnvironment
    private let origin: Origin
    private let storage: any AccountHistories.Storage
    private let verifier: SignedDataVerifier
    private let client: AppStoreServerClient
    private let now: @Sendable () -> Date
    private let state = Mutex(HistoryReading())

    init(
        _ mark: HistoryMark, in appEnvironment: AppEnvironment, _ origin: Origin,
        _ storage: any AccountHistories.Storage,
        _ verifier: SignedDataVerifier, _ client: AppStoreServerClient, now: @escaping @Sendable () -> Date
    ) {
        (transactionID, revision) = (mark.transactionID, mark.revision)
        self.appEnvironment = appEnvironment
        self.origin = origin
        self.storage = storage
        self.verifier = verifier
        self.client = client
        self.now = now
    }

    /// The result so far.
    var reading: HistoryReading { state.withLock(\.self) }

    func run() async throws {
        try await readStatuses()
        do { try await readPages(after: revision) } catch let error as AppStoreServerError
            where revision != nil && error.apiCode == .invalidRequestRevision
        {
            // The stored revision has become invalid, so read from the beginning.
            try await readPages(after: nil)
        }
        let reading = reading
        try await storage.recordRequest(
            about: reading.found.subtracting([ExactText(transactionID)]).sorted().map(\.text), in: appEnvironment.id,
            at: now().milliseconds)
        try await storage.replaceUnverified(
            with: reading.unverified, ofHistory: transactionID, in: appEnvironment.id, at: now().milliseconds)
    }

    private func readStatuses() async throws {
        var batch = SignedFactBatch(appEnvironment: appEnvironment, origin: origin, now: now())
        for item in try await client.subscriptionStatuses(of: transactionID).data.flatMap(\.lastTransactions) {
            try await batch.add(item.signedTransactionInfo, .transaction, verifier)
            try await batch.add(item.signedRenewalInfo, .renewal, verifier)
        }
        try await store(batch)
    }

    private func readPages(after revision: String?) async throws {
        // The next reading begins before the first page with unverified items.
        var (last, isVerified) = (revision, true)
        let request = TransactionHistoryRequest(sort: .ascending)
        for try await page in client.transactionHistory(of: transactionID, request, after: revision) {
            var batch = SignedFactBatch(appEnvironment: appEnvironment, origin: origin, now: now())
            for text in page.signedTransactions { try await batch.add(text, .transaction, verifier) }
            isVerified = isVerified && batch.unverified.isEmpty
            try await store(batch)
            guard isVerified else { continue }
            last = page.revision
            // A date of 0 means that the reading is not finished.
            if page.hasMore {
                try await storage.record(revision: last, of: transactionID, in: appEnvironment.id, at: 0)
            }
        }
        // If an item did not verify, the reading is finished only when a retry verifies it.
        let isComplete = reading.unverified.isEmpty
        try await storage.record(
            revision: last, of: transactionID, in: appEnvironment.id, at: isComplete ? now().milliseconds : 0)
    }

    private func store(_ batch: SignedFactBatch) async throws {
        let newFacts = batch.signedFacts.isEmpty ? 0 : try await storage.commit(batch.signedFacts)
        state.withLock { reading in
            reading.newFacts += newFacts
            reading.found.formUnion(batch.originals)
            reading.unverified += batch.unverified
        }
    }
}
