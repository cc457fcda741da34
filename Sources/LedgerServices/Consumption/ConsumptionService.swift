package import Ledger
internal import AppStoreModels
package import AppStoreServer
internal import Entitlements
internal import Foundation
package import Logging
internal import ServiceLifecycle

/// Answers the App Store's questions before refunds, while they may be answered.
package struct ConsumptionService: Service {
    package typealias Storage = CustomerStorage & ConsumptionStorage

    private let storage: any Storage
    private let apps: Apps
    private let scopes: ScopeRegistry
    private let clients: [Int64: AppStoreServerClient]
    private let clock: ServerClock
    private let logger: Logger

    package init(
        storage: any Storage, apps: Apps, scopes: ScopeRegistry, clients: [Int64: AppStoreServerClient],
        clock: ServerClock,
        logger: Logger
    ) {
        self.storage = storage
        self.apps = apps
        self.scopes = scopes
        self.clients = clients
        self.clock = clock
        self.logger = logger
    }

    /// Answers in time, until the server ends.
    package func run() async throws { await cancelWhenGracefulShutdown { await work() } }

    private func work() async {
        while !Task.isCancelled {
            // Cancelled is stopped.
            do { try await clock.wait(for: .seconds(1)) } catch { return }
            do { try await answerDue() } catch {
                if Task.isCancelled { return }
                logger.error("consumption requests wait", metadata: ["reason": "\(error.logReason)"])
            }
        }
    }

    /// How long one attempt may take before another is made, in milliseconds.
    private static let lease: Milliseconds = 120_000

    /// Answers the questions that are due, twenty at a time.
    ///
    /// - Throws: The first failure, after the other questions taken with it were tried. Those not taken yet wait for
    ///   the next call.
    package func answerDue() async throws {
        while true {
            let now = clock.now().milliseconds
            let leaseEnds = now + Self.lease
            let due = try await storage.takeInquiries(at: now, leaseEnds: leaseEnds, limit: 20)
            var failure: (any Error)?
            for inquiry in due {
                // The others may have little time left.
                do { try await answer(inquiry, leaseEnds) } catch { failure = failure ?? error }
            }
            if let failure { throw failure }
            guard due.count == 20 else { return }
        }
    }

    /// What would be sent about a transaction; nil when the ledger does not know it.
    package func preview(_ transactionID: String, of customer: String?, in scope: Scope) async throws
        -> ConsumptionAnswer?
    {
        guard let original = try await storage.originalTransactionID(of: transactionID, in: scope.id),
            let lineage = try await storage.lineage(original, in: scope.id),
            let transaction = lineage.transactions.first(where: { $0.transactionID == transactionID })
        else { return nil }
        var usage: [UsageReport] = []
        if let customer {
            usage = try await storage.usage(
                of: customer, transactionID: transactionID, productID: transaction.productID, in: scope.id)
        }
        return ConsumptionAnswer(
            about: transaction, usage: usage, policy: apps[scope.bundleID]?.consumption)
    }

    private func answer(_ inquiry: ConsumptionInquiry, _ leaseEnds: Milliseconds) async throws {
        guard let scope = scopes[id: inquiry.scope] else { return }
        var inquiry = inquiry
        let now = clock.now().milliseconds
        let (request, obstacle) = try await answer(to: inquiry, in: scope)
        if now >= inquiry.deadline {
            inquiry.state = .missed
            inquiry.answer = obstacle ?? inquiry.answer ?? "too_late"
        } else if let request {
            try await send(request, &inquiry, scope)
        } else {
            // The customer may still agree, and the app say so; or the configuration, or the record, is put right.
            inquiry.answer = obstacle
            inquiry.putOff(by: LongestDelay.inquiry.milliseconds, at: now)
        }
        try await storage.settle(inquiry, leaseEnds: leaseEnds)
    }

    /// What is to be sent, or why nothing is.
    private func answer(
        to inquiry: ConsumptionInquiry, in scope: Scope
    ) async throws -> (request: ConsumptionRequest?, obstacle: String?) {
        do {
            let owners = try await storage.owners(of: inquiry.originalTransactionID, in: scope.id)
            let customer = owners.first ?? inquiry.customer
            guard let answer = try await preview(inquiry.transactionID, of: customer, in: scope) else {
                return (nil, "unknown_transaction")
            }
            return (answer.request, answer.obstacle?.rawValue)
        } catch let error as StorageError where error.code == .damaged {
            logger.error(
                "a consumption request cannot be answered",
                metadata: ["transaction": "\(inquiry.transactionID)", "reason": "\(error.logReason)"])
            return (nil, error.code.rawValue)
        }
    }

    private func send(
        _ request: ConsumptionRequest, _ inquiry: inout ConsumptionInquiry, _ scope: Scope
    ) async throws {
        guard let client = clients[scope.id] else {
            inquiry.answer = "not_configured"
            inquiry.putOff(by: LongestDelay.inquiry.milliseconds, at: clock.now().milliseconds)
            return
        }
        inquiry.attempts += 1
        inquiry.sent = request.json
        do {
            inquiry.sent = try await send(request, for: inquiry.transactionID, client)
            inquiry.state = .sent
            inquiry.sentAt = clock.now().milliseconds
            inquiry.answer = "accepted"
        } catch {
            // The server ends. Nobody knows whether the answer arrived, and it is sent again after the lease.
            if error.isCancellation, Task.isCancelled { throw CancellationError() }
            inquiry.answer = error.apiCode.map { String($0.rawValue) } ?? "\(error.code)"
            logger.warning(
                "the answer to a consumption request was not taken",
                metadata: ["code": "\(error.code)", "status": "\(error.status ?? 0)", "app": "\(scope.bundleID)"])
            // Only the App Store's own word is final, not that of a proxy on the way.
            if error.isFinal {
                inquiry.state = .refused
            } else {
                let pause: Milliseconds = 5000 << Milliseconds(min(inquiry.attempts, 7))
                inquiry.putOff(by: pause, at: clock.now().milliseconds)
            }
        }
    }

    /// Sends the answer in the version that the App Store takes for the purchase. Returns what it took.
    private func send(
        _ request: ConsumptionRequest, for transactionID: String, _ client: AppStoreServerClient
    ) async throws(AppStoreServerError) -> String {
        do throws(AppStoreServerError) {
            try await client.sendConsumption(request, for: transactionID)
            return request.json
        } catch {
            // For Advanced Commerce there is still the first version. The number of this refusal is not documented.
            guard error.code == .refused, error.status == 400, error.apiCode?.name == nil else { throw error }
            let first = ConsumptionRequestV1(request)
            try await client.sendConsumptionV1(first, for: transactionID)
            return String(decoding: try client.json(first, for: .sendConsumptionV1), as: UTF8.self)
        }
    }
}
