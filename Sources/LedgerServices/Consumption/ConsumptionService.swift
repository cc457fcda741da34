internal import AppStoreModels
package import AppStoreServer
internal import Basics
internal import Entitlements
internal import Foundation
package import Ledger
package import Logging
internal import ServiceLifecycle

/// Answers the App Store's consumption requests before their deadlines.
package struct ConsumptionService: Service {
    package typealias Storage = CustomerStorage & ConsumptionStorage

    private let storage: any Storage
    private let apps: Apps
    private let scopes: AppEnvironmentRegistry
    private let clients: [Int64: AppStoreServerClient]
    private let clock: ServerClock
    private let logger: Logger
    private let metrics: ServerMetrics
    private let work = ConsumptionWork()

    package init(
        storage: any Storage, apps: Apps, scopes: AppEnvironmentRegistry, clients: [Int64: AppStoreServerClient],
        clock: ServerClock, logger: Logger, metrics: ServerMetrics
    ) {
        self.storage = storage
        self.apps = apps
        self.scopes = scopes
        self.clients = clients
        self.clock = clock
        self.logger = logger
        self.metrics = metrics
    }

    /// The time after which an unfinished attempt is repeated, in milliseconds.
    private static let lease: Milliseconds = 120_000
    /// The number of requests to lease at once.
    private static let batch = 20

    /// Answers due requests every second until the server shuts down.
    ///
    /// Does not wait for answers before it looks for further requests: an App Store that does not respond to one app,
    /// or the backlog of one app, must not delay the others.
    package func run() async throws {
        let log = FailureLog(logger, end: "consumption requests are answered again")
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                while !Task.isCancelled {
                    // The wait throws only if the task is cancelled.
                    do { try await clock.wait(for: .seconds(1)) } catch { return }
                    await log.attempt("consumption requests could not be answered; trying again") {
                        try await startDue(&group)
                    }
                }
            }
        }
    }

    /// Answers the due requests of all apps and environments that no other call is answering.
    ///
    /// - Throws: The first failure, after the other requests were tried. The remaining requests wait for the next call.
    package func answerDue() async throws {
        var isFinished = false
        while !isFinished {
            let failure = await withDiscardingTaskGroup { group -> (any Error)? in
                do { isFinished = try await startDue(&group) < Self.batch } catch { return error }
                return nil
            }
            if let failure { throw failure }
            if let failure = work.takeFailure() { throw failure }
        }
    }

    /// Starts to answer the due requests of all apps and environments without work, at most twenty of each. Those of
    /// one are answered one after the other.
    ///
    /// - Returns: The number of requests.
    /// - Throws: A failure of the ledger, also one of an earlier call's work.
    @discardableResult
    private func startDue(_ group: inout DiscardingTaskGroup) async throws -> Int {
        if let failure = work.takeFailure() { throw failure }
        var count = 0
        while true {
            let now = clock.now().milliseconds
            let leaseEnds = now + Self.lease
            let due = try await storage.leaseInquiries(
                at: now, leaseEnds: leaseEnds, limit: Self.batch, except: work.scopes)
            count += due.count
            for (scope, inquiries) in Dictionary(grouping: due, by: \.scope) {
                work.begin(in: scope)
                group.addTask { await answer(inquiries, in: scope, leaseEnds) }
            }
            guard due.count == Self.batch, !Task.isCancelled else { return count }
        }
    }

    private func answer(_ inquiries: [ConsumptionInquiry], in scope: Int64, _ leaseEnds: Milliseconds) async {
        var failure: (any Error)?
        for inquiry in inquiries {
            // Continue after a failure: the other requests may be close to their deadlines.
            do { try await answer(inquiry, leaseEnds) } catch { failure = failure ?? error }
        }
        work.end(in: scope, Task.isCancelled ? nil : failure)
    }

    /// Returns the information that would be sent about a transaction; nil if the ledger does not contain the
    /// transaction. If several customers own the purchase, the reports of the first one count, whoever asks.
    /// Nothing is sent about a purchase whose owner was erased.
    ///
    /// - Parameter customer: The customer whose reports count if nobody owns the purchase.
    package func preview(_ transactionID: String, of customer: String?, in appEnvironment: AppEnvironment) async throws
        -> ConsumptionPreview?
    {
        guard let original = try await storage.originalTransactionID(of: transactionID, in: appEnvironment.id),
            let lineage = try await storage.lineage(original, in: appEnvironment.id),
            let transaction = lineage.transactions.first(where: { $0.transactionID.isExactly(transactionID) })
        else { return nil }
        var usage: [UsageReport] = []
        let owner = try await storage.owners(of: original, in: appEnvironment.id).first
        if owner == nil, try await storage.isOwnerErased(of: original, in: appEnvironment.id) {
            // The erasure deleted the customer's consent, or its refusal.
            usage = [UsageReport(customerConsented: false, reportedAt: 0)]
        } else if let customer = owner ?? customer {
            usage = try await storage.usage(
                of: customer, transactionID: transactionID, productID: transaction.productID, in: appEnvironment.id)
        }
        return ConsumptionPreview(
            about: transaction, usage: usage, policy: apps[appEnvironment.bundleID]?.consumption)
    }

    private func answer(_ inquiry: ConsumptionInquiry, _ leaseEnds: Milliseconds) async throws {
        guard let appEnvironment = scopes[id: inquiry.scope] else { return }
        var inquiry = inquiry
        let now = clock.now().milliseconds
        let (request, obstacle) = try await information(for: inquiry, in: appEnvironment)
        if now >= inquiry.deadline {
            // If the clock is ahead and is corrected, the request can still be answered.
            if clock.isSteady { inquiry.miss(because: obstacle) } else { inquiry.hold(at: now) }
        } else if let request {
            try await send(request, &inquiry, appEnvironment)
        } else {
            inquiry.wait(because: obstacle, at: now)
        }
        // Also when the server stops now: the App Store may have accepted the answer.
        try await uncancelled { [storage, inquiry] in
            try await storage.recordOutcome(of: inquiry, leaseEnds: leaseEnds)
        }
        count(inquiry, obstacle, in: appEnvironment.environment)
        // With an obstacle, such as missing consent, nothing should have been sent.
        guard inquiry.state == .missed, obstacle == nil else { return }
        logger.warning(
            "a consumption request was not answered in time",
            metadata: appEnvironment.logMetadata(["code": "\(inquiry.answer ?? "too_late")"]))
    }

    /// Counts an inquiry whose state is final.
    private func count(_ inquiry: ConsumptionInquiry, _ obstacle: String?, in environment: AppStoreEnvironment) {
        switch inquiry.state {
        case .pending, .overtaken: break
        case .sent: metrics.count(.sent, in: environment)
        case .refused: metrics.count(.refused, in: environment)
        case .missed:
            let isIntended = obstacle.flatMap { ConsumptionPreview.Obstacle(rawValue: $0) } != nil
            metrics.count(isIntended ? .withheld : .missed, in: environment)
        }
    }

    /// Returns the information to send, or the reason why nothing is sent.
    private func information(
        for inquiry: ConsumptionInquiry, in appEnvironment: AppEnvironment
    ) async throws -> (request: ConsumptionRequest?, obstacle: String?) {
        do {
            let preview = try await preview(inquiry.transactionID, of: inquiry.customer, in: appEnvironment)
            guard let preview else { return (nil, "unknown_transaction") }
            return (preview.request, preview.obstacle?.rawValue)
        } catch let error as StorageError where error.code == .damaged {
            logger.error(
                "a consumption request cannot be answered",
                metadata: appEnvironment.logMetadata([
                    "transaction": "\(inquiry.transactionID)", "reason": "\(error.logReason)",
                ]))
            return (nil, error.code.rawValue)
        }
    }

    private func send(
        _ request: ConsumptionRequest, _ inquiry: inout ConsumptionInquiry, _ appEnvironment: AppEnvironment
    ) async throws {
        guard let client = clients[appEnvironment.id] else {
            return inquiry.wait(because: "not_configured", at: clock.now().milliseconds)
        }
        inquiry.attempts += 1
        inquiry.sent = request.json
        do {
            let json = try await send(request, for: inquiry.transactionID, client)
            inquiry.recordSuccess(json, at: clock.now().milliseconds)
        } catch {
            // On shutdown, it is unknown whether the App Store received the answer. It is sent again after the lease.
            if error.isCancellation, Task.isCancelled { throw CancellationError() }
            inquiry.recordFailure(
                error.apiCode.map { String($0.rawValue) } ?? "\(error.code)", isFinal: error.isFinal,
                at: clock.now().milliseconds)
            logger.warning(
                "the App Store did not accept the answer to a consumption request",
                metadata: appEnvironment.logMetadata([
                    "code": "\(error.code)", "status": "\(error.status ?? 0)",
                ]))
        }
    }

    /// Sends the answer in the version that the App Store accepts for the purchase. Returns the accepted JSON.
    private func send(
        _ request: ConsumptionRequest, for transactionID: String, _ client: AppStoreServerClient
    ) async throws(AppStoreServerError) -> String {
        do throws(AppStoreServerError) {
            try await client.sendConsumption(request, for: transactionID)
            return request.json
        } catch {
            // Purchases of the Advanced Commerce API need version 1. Apple does not document the error code of this
            // refusal.
            guard error.code == .refused, error.status == 400, error.apiCode?.name == nil else { throw error }
            let first = ConsumptionRequestV1(request)
            try await client.sendConsumptionV1(first, for: transactionID)
            return String(decoding: try client.json(first, for: .sendConsumptionV1), as: UTF8.self)
        }
    }
}
