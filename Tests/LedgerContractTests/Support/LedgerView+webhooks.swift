import Foundation
import Ledger
import Testing

extension LedgerView {
    /// Endpoints and their deliveries.
    static func webhooks(_ ledger: any LedgerEngine) async throws -> [String] {
        var lines: [String] = []
        let backlog = try await ledger.webhookBacklog(without: [])
        lines.append("\(backlog)")
        let first = try await ledger.webhookEndpoints().prefix(1).map(\.id)
        let rest = try await ledger.webhookBacklog(without: first)
        lines.append("\(rest)")
        let since = RandomFacts.start.milliseconds + 2 * 86_400_000
        let activities = [
            try await ledger.webhookActivity(since: since, limit: 3),
            try await ledger.webhookActivity(since: since, limit: 1000),
        ]
        for endpoint in try await ledger.webhookEndpoints() {
            lines.append(text(endpoint))
            lines += activities.map { "\(endpoint.name) \($0[endpoint.id].map { "\($0)" } ?? "-")" }
            lines += try await filtered(to: endpoint, ledger)
            for state in [nil] + WebhookDelivery.State.allCases.map(Optional.some) {
                lines += try await deliveries(to: endpoint, in: state, ledger)
            }
            let next = try await ledger.nextDelivery(to: [endpoint.id], after: 0)
            lines.append("\(endpoint.name) next delivery at \(next ?? -1)")
        }
        for (index, event) in try await ledger.firstEvents(8).map({ $0.event }).enumerated() {
            let found = try #require(try await ledger.deliveries(ofEvent: event.id, limit: 5, attempts: 2))
            lines += found.map { "event \(index): \(text($0.delivery)) \($0.attempts)" }
        }
        for id in ["evt_nobody", "evt_00000000-0000-0000-0000-000000000000", ""] {
            try #require(try await ledger.deliveries(ofEvent: id, limit: 5, attempts: 2) == nil)
        }
        return lines
    }

    /// All deliveries in pages of three, and the attempts of the first delivery on each page.
    private static func deliveries(
        to endpoint: WebhookEndpoint, in state: WebhookDelivery.State?, _ ledger: any LedgerEngine
    ) async throws -> [String] {
        var lines: [String] = []
        var before: Int64? = .max
        while let position = before {
            let page = try await ledger.deliveries(
                of: endpoint.id, matching: DeliveryFilter(state: state), before: position, limit: 3, scanLimit: 4)
            lines += page.items.map { "\(endpoint.name) \(state?.name ?? "all") \(text($0))" }
            before = page.next
            guard let first = page.items.first else { continue }
            let found = try await ledger.delivery(first.id, of: endpoint.id)
            try #require(found == first)
            lines += try await ledger.attempts(of: first.id, limit: 2).map { "\($0)" }
        }
        return lines
    }

    /// Filtered deliveries, in small pages with a small scan limit.
    private static func filtered(to endpoint: WebhookEndpoint, _ ledger: any LedgerEngine) async throws -> [String] {
        let anna = DeliveryFilter.Customer(name: RandomFacts.customers.first ?? "anna", scopes: [1, 2])
        let filters = [
            DeliveryFilter(eventType: .subscriptionRenewed), DeliveryFilter(state: .delivered, customer: anna),
            DeliveryFilter(customer: .init(name: anna.name, scopes: [1])), DeliveryFilter(scopes: [0, 2]),
            DeliveryFilter(eventType: .subscriptionRenewed, scopes: [1]),
        ]
        var lines: [String] = []
        for (index, filter) in filters.enumerated() {
            var before: Int64? = .max
            while let position = before {
                let page = try await ledger.deliveries(
                    of: endpoint.id, matching: filter, before: position, limit: 2, scanLimit: 4)
                lines += page.items.map { "\(endpoint.name) filter \(index) \(text($0))" }
                lines.append(page.next == nil ? "end" : "page")
                before = page.next
            }
        }
        return lines
    }

    static func text(_ endpoint: WebhookEndpoint) -> String {
        """
        endpoint \(endpoint.name) \(endpoint.definition?.url ?? "-") \(endpoint.definition?.events ?? []) \
        \(endpoint.isConfigured) \(endpoint.disabled.map { "\($0)" } ?? "on") \(endpoint.failingSince ?? -1) \
        \(endpoint.createdAt)
        """
    }

    /// The delivery without the engine's row identifiers, and without the random names of events.
    static func text(_ delivery: WebhookDelivery) -> String {
        let hasRandomName = delivery.eventType.rawValue.hasPrefix("purchase.")
        return """
            \(hasRandomName ? "" : delivery.eventID) \(delivery.eventType.rawValue) \(delivery.variant) \
            \(delivery.isRepeat ? "again " : "")\(delivery.state) \(delivery.attempts) due \(delivery.due ?? -1) \
            \(delivery.lastStatus ?? -1) \(delivery.lastError ?? "-") \(delivery.createdAt) \(delivery.endedAt ?? -1) \
            \(delivery.body.map { String(decoding: $0, as: UTF8.self) } ?? "-")
            """
    }

    /// Consumption inquiries and usage reports.
    static func inquiries(in appEnvironment: AppEnvironment, _ ledger: any LedgerEngine) async throws -> [String] {
        var lines = try await ledger.inquiries(in: appEnvironment.id, before: .max, limit: 20).map {
            "asked \(text($0))"
        }
        lines += try await ledger.pendingInquiries(in: appEnvironment.id, after: nil, limit: 3).map {
            "pending \(text($0))"
        }
        for id in [nil, "1"] {
            let found = try await ledger.inquiries(
                about: ["1", "4"], transactionID: id, in: appEnvironment.id, limit: 3)
            lines += found.map { "about \(id ?? "all") \(text($0))" }
        }
        for customer in RandomFacts.customers {
            lines += try await ledger.usage(of: customer, transactionID: "1", productID: "gold", in: appEnvironment.id)
                .map { "use of \(customer) \($0)" }
        }
        return lines
    }

    static func text(_ inquiry: ConsumptionInquiry) -> String {
        var inquiry = inquiry
        inquiry.id = 0
        return "\(inquiry)"
    }
}
