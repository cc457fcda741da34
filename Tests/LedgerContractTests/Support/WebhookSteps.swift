import AppStoreModels
import Entitlements
import Foundation
import Ledger
import TestSupport

/// Steps about webhooks.
extension Step {
    private static let names = ["crm", "data", "mail"]

    /// The target of an endpoint: one accepts each event once, another one accepts only renewals, twice, and the third
    /// accepts only production.
    static func target(_ endpoint: WebhookEndpoint) -> FanOutTarget {
        let name = endpoint.name
        return FanOutTarget(endpoint: endpoint.id) { type, scope in
            guard type != .webhookTest else { return 0 }
            switch name {
            case "data": return type == .subscriptionRenewed ? 2 : 0
            case "mail": return scope == 1 ? 1 : 0
            default: return 1
            }
        }
    }

    private static func endpoint(named name: String, _ walk: Walk) async throws -> WebhookEndpoint? {
        try await walk.ledger.webhookEndpoints().first { $0.name == name }
    }

    /// Adds, changes, disables, enables or removes an endpoint.
    static func endpoint(_ facts: inout RandomFacts, _ now: Milliseconds) -> Step {
        let name = facts.pick(names, or: "crm")
        let number = Int.random(in: 0..<9, using: &facts.random)
        let isConfigured = facts.isOneIn(5)
        // Most events happened before now, so an endpoint that begins now would receive few of them.
        let begin = facts.days(0...2).milliseconds
        let instant = number == 5 ? begin : now
        return Step(name: "endpoint \(name) \(number)") { walk in
            var definition = WebhookDefinition(
                name: name, url: "https://\(number).example.com", secrets: [Secret("whsec_AAAA")])
            definition.events = number == 1 ? ["subscription.*"] : nil
            guard let known = try await endpoint(named: name, walk) else {
                if isConfigured { try await walk.ledger.registerWebhooks([name], at: begin) }
                return try await walk.ledger.addWebhook(definition, at: begin).map { LedgerView.text($0) } ?? "taken"
            }
            switch number {
            case 0 where known.isConfigured:
                let added = try await walk.ledger.addWebhook(definition, replacesConfigured: true, at: begin)
                while try await walk.ledger.runWebhookJob(limit: 2, at: instant) {}
                return added.map { LedgerView.text($0) } ?? "taken"
            case 0: try await walk.ledger.removeWebhook(known.id)
            case 1: try await walk.ledger.changeWebhook(known.id, to: definition)
            case 2..<5:
                try await walk.ledger.switchWebhook(
                    known.id, .init(reason: .requested, since: now), discardingBacklog: number == 2,
                    changingTo: number == 3 ? definition : nil, at: now)
            default: try await walk.ledger.switchWebhook(known.id, nil, discardingBacklog: number == 5, at: instant)
            }
            // Discarded deliveries are not sent any more, even if the job has not ended yet.
            let due = try await walk.ledger.dueDeliveries(of: known.id, at: now, limit: number == 2 ? 5 : 0)
            while try await walk.ledger.runWebhookJob(limit: 2, at: instant) {}
            return "\(due.map { LedgerView.text($0) })"
        }
    }

    /// Creates deliveries from events.
    static func fanOut(_ facts: inout RandomFacts, _ now: Milliseconds) -> Step {
        let limit = Int.random(in: 1...12, using: &facts.random)
        let position = facts.isOneIn(3) ? Int.random(in: 1...40, using: &facts.random) : nil
        let holdsRecovered = position != nil && facts.isOneIn(2)
        return Step(name: "fan out \(limit) after \(position ?? 0) \(holdsRecovered)") { walk in
            let gate = FanOutLimit(after: walk.notification(at: position), holdsRecovered: holdsRecovered)
            let endpoints = try await walk.ledger.webhookEndpoints().map(\.id)
            let hasNewEvents = try await walk.ledger.status(for: endpoints) != nil
            let progress = try await walk.ledger.fanOut(
                to: endpoints, by: { target($0) }, within: gate, limit: limit, at: now)
            // In half of the walks, deliveries are released although more events may come before them.
            if progress != .more || limit.isMultiple(of: 2) {
                while try await walk.ledger.releaseDeliveries(to: endpoints, limit: 3, at: now) {}
            }
            return "\(hasNewEvents) \(progress)"
        }
    }

    /// Sends due deliveries, with various outcomes.
    static func deliver(_ facts: inout RandomFacts, _ now: Milliseconds) -> Step {
        let ends = (0..<12).map { _ in Int.random(in: 0..<9, using: &facts.random) }
        let disableAfter = Int64.random(in: 1...400_000_000, using: &facts.random)
        return Step(name: "deliver \(ends)") { walk in
            var (lines, outcomes) = ([String](), [DeliveryOutcome]())
            for endpoint in try await walk.ledger.webhookEndpoints() {
                for delivery in try await walk.ledger.dueDeliveries(of: endpoint.id, at: now, limit: 4) {
                    lines.append("\(endpoint.name) \(LedgerView.text(delivery))")
                    var outcome = Self.outcome(ends[outcomes.count % ends.count], of: delivery, at: now)
                    outcome.event = try await walk.ledger.event(delivery.event)?.event
                    outcomes.append(outcome)
                }
            }
            let disabled = try await walk.ledger.record(outcomes, disableAfter: disableAfter, at: now)
            for endpoint in try await walk.ledger.webhookEndpoints() {
                disabled[endpoint.id].map { lines.append("\(endpoint.name) \($0)") }
            }
            return lines.joined(separator: "\n")
        }
    }

    private static func outcome(_ end: Int, of delivery: WebhookDelivery, at now: Milliseconds) -> DeliveryOutcome {
        let again = DeliveryOutcome.Result.retry(at: now + Int64(end) * 20_000_000, body: Data("again".utf8))
        let result: DeliveryOutcome.Result =
            switch end {
            case 0..<4: .delivered
            case 4..<7: again
            case 7: .failed
            default: .discarded
            }
        var outcome = DeliveryOutcome(
            delivery: delivery.id, endpoint: delivery.endpoint, result: result, status: end < 4 ? 200 : 500,
            error: end < 4 ? nil : "error_\(end)")
        (outcome.isGone, outcome.isInternalFailure, outcome.isPostponed) = (end == 6, end == 5, end == 5)
        if end != 8 {
            outcome.attempt = DeliveryAttempt(
                at: now, milliseconds: Int64(end), status: outcome.status, error: outcome.error, response: Data([1]),
                timestamp: end == 3 ? nil : now / 1000)
        }
        return outcome
    }

    /// Replays events or sends a test event.
    static func replay(_ facts: inout RandomFacts, _ now: Milliseconds) -> Step {
        let name = facts.pick(names, or: "crm")
        let first = Int.random(in: 0...20, using: &facts.random)
        let (end, isOpen) = (facts.isOneIn(2) ? Milliseconds.max : now - 90_000_000, facts.isOneIn(2))
        let limit = Int.random(in: 1...30, using: &facts.random)
        let isTest = facts.isOneIn(4)
        return Step(name: isTest ? "test \(name)" : "replay \(limit) after \(first)") { walk in
            guard let endpoint = try await endpoint(named: name, walk) else { return "" }
            guard !isTest else {
                let event = LedgerEvent(
                    id: "evt_test_\(now)", scope: 1, type: .webhookTest, occurredAt: now, createdAt: now)
                let made = try await walk.ledger.addWebhookTest(event, to: endpoint.id)
                let isKnown = try await walk.ledger.eventNumber(event.id) == made?.event
                return "\(made.map { LedgerView.text($0) } ?? "-") \(isKnown)"
            }
            let numbers = try await [0] + walk.ledger.firstEvents().map { $0.number }
            let range = ReplayRange(
                from: .min, to: end, after: numbers[min(first, numbers.count - 1)],
                through: isOpen ? .max : numbers[min(first + 9, numbers.count - 1)], limit: limit)
            let counted = try await walk.ledger.countReplay(range, to: target(endpoint))
            let outcome = try await walk.ledger.replay(range, to: target(endpoint), at: now)
            return [counted, outcome].map { outcome in
                "\(outcome.deliveries) \(outcome.last.flatMap { numbers.firstIndex(of: $0) } ?? 0)"
            }.joined(separator: " ")
        }
    }
}

/// Steps about refunds and the audit log.
extension Step {
    static func report(
        _ facts: inout RandomFacts, _ customer: String, _ appEnvironment: AppEnvironment, _ now: Milliseconds
    ) -> Step {
        let report = UsageReport(
            transactionID: facts.isOneIn(2) ? facts.original() : nil, productID: facts.isOneIn(2) ? "gold" : nil,
            customerConsented: facts.isOneIn(3) ? facts.isOneIn(2) : nil,
            consumptionPercentage: facts.isOneIn(2) ? Int32.random(in: 0...100_000, using: &facts.random) : nil,
            deliveryStatus: facts.isOneIn(3) ? .delivered : nil, sampleContentProvided: facts.isOneIn(3) ? true : nil,
            reportedAt: now)
        return Step(name: "report of \(customer)") {
            try await $0.ledger.record(report, of: customer, in: appEnvironment.id)
            return ""
        }
    }

    /// Leases inquiries and settles some of them. Sometimes a usage report arrives meanwhile.
    static func answer(_ facts: inout RandomFacts, _ now: Milliseconds) -> Step {
        let states: [ConsumptionInquiry.State] = [.pending, .sent, .refused, .missed]
        let (state, customer) = (facts.pick(states, or: .sent), facts.pick(RandomFacts.customers, or: "anna"))
        let hasNewReport = facts.isOneIn(3)
        return Step(name: "answer \(state)") { walk in
            let lease = now + 60_000
            let taken = try await walk.ledger.leaseInquiries(at: now, leaseEnds: lease, limit: 2)
            if hasNewReport {
                try await walk.ledger.record(UsageReport(reportedAt: now), of: customer, in: 1)
            }
            for var inquiry in taken {
                (inquiry.state, inquiry.answer) = (state, "answer")
                inquiry.attempts += 1
                inquiry.nextAttemptAt = now + 3_600_000
                if state == .sent { (inquiry.sentAt, inquiry.sent) = (now, "{}") }
                try await walk.ledger.recordOutcome(of: inquiry, leaseEnds: lease)
            }
            return "\(taken.map { LedgerView.text($0) })"
        }
    }

    static func audit(_ facts: inout RandomFacts, _ now: Milliseconds) -> Step {
        let entries = (0..<Int.random(in: 1...2, using: &facts.random)).map { index in
            AuditEntry(
                at: now, actor: "support", address: index == 0 ? "127.0.0.1" : nil, action: "GET /v1/customers/{id}",
                target: "anna", result: "200")
        }
        return Step(name: "audit") {
            try await $0.ledger.appendAudit(entries)
            let remaining = try await $0.ledger.audit(AuditFilter(), before: .max, limit: 9).items
            return "\(remaining.count) \(remaining.allSatisfy(\.isChained))"
        }
    }
}
