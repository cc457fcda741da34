internal import AppStoreModels
internal import Entitlements
internal import Foundation
package import Ledger

extension MemoryLedger {
    /// The subject of a usage report: a transaction, else a product, else all purchases of the customer.
    struct UsageKey: Hashable, Sendable {
        var customer: Key
        var transaction: ExactText
        var product: ExactText

        init(_ customer: Key, _ subject: UsageReport.Subject) {
            self.customer = customer
            (transaction, product) = (ExactText(subject.transactionID), ExactText(subject.productID))
        }
    }

    /// A refund decision of the App Store about a transaction.
    struct StoredDecision: Hashable, Sendable {
        var transaction: Key
        var original: ExactText
        var decision: RefundDecision
    }

    /// A consumption inquiry and the notification that caused it.
    struct StoredInquiry: Sendable {
        var inquiry: ConsumptionInquiry
        var notification: String
    }
}

extension MemoryLedger: ConsumptionStorage {
    package func record(_ report: UsageReport, of customer: String, in scope: Int64) async throws {
        try write { state in
            let owner = Key(scope, customer)
            var stored = report
            stored.reportedAt = Erasure.instant(
                ofChangeAt: report.reportedAt, afterErasure: state.lastErasure(of: customer, in: scope))
            for part in stored.parts {
                let key = UsageKey(owner, part.subject)
                state.usage[key] = part.merged(with: state.usage[key])
            }
            state.useReports(of: customer, at: report.reportedAt, in: scope)
        }
    }

    package func usage(
        of customer: String, transactionID: String, productID: String, in scope: Int64
    ) async throws -> [UsageReport] {
        try read { state in
            UsageReport.Subject.byPrecedence(transactionID: transactionID, productID: productID).compactMap {
                state.usage[UsageKey(Key(scope, customer), $0)]
            }
        }
    }

    package func leaseInquiries(
        at now: Milliseconds, leaseEnds: Milliseconds, limit: Int, except scopes: Set<Int64>
    ) async throws -> [ConsumptionInquiry] {
        try write { state in
            let times = LongestDelay.inquiry.dueTimes(at: now)
            let due = state.inquiries.map(\.inquiry).filter { inquiry in
                inquiry.state == .pending && !scopes.contains(inquiry.scope)
                    && times.contains { $0.contains(inquiry.nextAttemptAt) }
            }.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }.prefix(limit)
            for inquiry in due { state.change(inquiry.id) { $0.nextAttemptAt = leaseEnds } }
            return Array(due)
        }
    }

    package func recordOutcome(of inquiry: ConsumptionInquiry, leaseEnds: Milliseconds) async throws {
        try write { state in
            state.change(inquiry.id) { _ = $0.recordOutcome(inquiry, leaseEnds: leaseEnds) }
        }
    }

    package func pendingInquiries(
        in scope: Int64, after position: InquiryPosition?, limit: Int
    ) async throws -> [ConsumptionInquiry] {
        try read { state in
            let pending = state.inquiries.map(\.inquiry).filter { inquiry in
                guard inquiry.scope == scope, inquiry.state == .pending else { return false }
                return position.map { ($0.deadline, $0.id) < (inquiry.deadline, inquiry.id) } ?? true
            }
            return Array(pending.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }.prefix(limit))
        }
    }

    package func inquiryBacklogs(
        in scopes: [Int64], dueBefore end: Milliseconds, without answers: [String]
    ) async throws -> [Int64: InquiryBacklog] {
        try read { state in
            let waiting = state.inquiries.map(\.inquiry).filter {
                $0.state == .pending && scopes.contains($0.scope) && $0.deadline < end
                    && !answers.containsExactly($0.answer ?? "")
            }
            return Dictionary(grouping: waiting, by: \.scope).mapValues { inquiries in
                InquiryBacklog(
                    count: inquiries.count, oldest: inquiries.map(\.requestedAt).min(),
                    firstDeadline: inquiries.map(\.deadline).min())
            }
        }
    }

    package func inquiries(in scope: Int64, before id: Int64, limit: Int) async throws -> [ConsumptionInquiry] {
        try read { state in
            let found = state.inquiries.map(\.inquiry).filter { $0.scope == scope && $0.id < id }
            return Array(found.sorted { $0.id > $1.id }.prefix(limit))
        }
    }

    package func inquiries(
        about originalTransactionIDs: [String], transactionID: String?, in scope: Int64, limit: Int
    ) async throws -> [ConsumptionInquiry] {
        try read { state in
            let found = state.inquiries.map(\.inquiry).filter {
                $0.scope == scope && originalTransactionIDs.containsExactly($0.originalTransactionID)
                    && (transactionID?.isExactly($0.transactionID) ?? true)
            }
            return Array(found.sorted { ($0.requestedAt, $0.id) > ($1.requestedAt, $1.id) }.prefix(limit))
        }
    }
}

extension MemoryLedger.State {
    /// Moves the usage reports of a customer to the one into whom that customer is merged.
    mutating func moveUsage(of from: String, to customer: String, at now: Milliseconds, in scope: Int64) {
        let (former, owner) = (MemoryLedger.Key(scope, from), MemoryLedger.Key(scope, customer))
        let moved = usage.filter { $0.key.customer == former }
        guard !moved.isEmpty else { return }
        for key in moved.keys { usage[key] = nil }
        for report in moved.values {
            let key = MemoryLedger.UsageKey(owner, report.subject)
            usage[key] = report.moved(to: usage[key], at: now)
        }
        useReports(of: customer, at: now, in: scope)
    }

    /// Deletes reports that are too many, and makes the customer's pending inquiries due.
    fileprivate mutating func useReports(of customer: String, at now: Milliseconds, in scope: Int64) {
        let owner = MemoryLedger.Key(scope, customer)
        let reports = usage.filter { key, _ in
            key.customer == owner && !(key.transaction.text + key.product.text).isEmpty
        }
        if let oldest = UsageReport.oldestKept(of: reports.values.map(\.reportedAt)) {
            for (key, report) in reports where report.reportedAt < oldest { usage[key] = nil }
        }
        let originals = lineages(in: scope).map(\.originalTransactionID).filter {
            owners(of: $0, in: scope).containsExactly(customer)
        }
        rescheduleInquiries(at: now, about: originals, in: scope)
    }

    /// Makes the pending inquiries about these purchases due at `now`, because the owner or the reported usage changed.
    mutating func rescheduleInquiries(at now: Milliseconds, about originals: [String], in scope: Int64) {
        for index in inquiries.indices {
            let inquiry = inquiries[index].inquiry
            guard inquiry.state == .pending, inquiry.scope == scope, inquiry.nextAttemptAt > now,
                originals.containsExactly(inquiry.originalTransactionID)
            else { continue }
            inquiries[index].inquiry.nextAttemptAt = now
        }
    }

    fileprivate mutating func change(_ inquiry: Int64, _ body: (inout ConsumptionInquiry) -> Void) {
        guard let index = inquiries.firstIndex(where: { $0.inquiry.id == inquiry }) else { return }
        body(&inquiries[index].inquiry)
    }

    /// Stores the inquiry or the refund decision of a notification that is processed for the first time.
    mutating func recordConsumption(_ notification: ProcessedNotification) {
        guard let transaction = notification.transaction, let original = notification.originalTransactionID else {
            return
        }
        let scope = notification.scope
        if let decision = RefundDecision(announcedBy: notification) {
            refundDecisions.insert(
                .init(
                    transaction: .init(scope, transaction.transactionID), original: ExactText(original),
                    decision: decision))
        } else {
            let environment = scopes.first { $0.id == scope }?.environment ?? .sandbox
            let inquiry = ConsumptionInquiry(
                requestedBy: notification, in: environment, customer: owners(of: original, in: scope).first)
            guard var inquiry, !inquiries.contains(where: { $0.notification.isExactly(notification.uuid) }) else {
                return
            }
            inquiry.id = (inquiries.last?.inquiry.id ?? 0) + step
            inquiries.append(.init(inquiry: inquiry, notification: notification.uuid))
        }
        let decisions = refundDecisions.filter {
            $0.transaction == .init(scope, transaction.transactionID) && $0.original == ExactText(original)
        }.map(\.decision)
        for inquiry in inquiries.map(\.inquiry) where inquiry.scope == scope {
            guard inquiry.transactionID.isExactly(transaction.transactionID),
                inquiry.originalTransactionID.isExactly(original)
            else { continue }
            change(inquiry.id) { $0.decide(by: decisions) }
        }
    }
}
