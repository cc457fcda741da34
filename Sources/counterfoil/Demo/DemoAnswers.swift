import Foundation
internal import Ledger
import StoreSimulator

// What the server answers about the featured customer, and about itself.

extension DemoRun {
    private struct Entry: Decodable {
        var occurredAt: Int64
        var sentence: String
        var origin: String?
    }

    func printTimeline() async throws {
        output.heading("The server's timeline of \(featuredCustomer.name)")
        output.line(output.faint("GET /v1/customers/\(featuredCustomer.id)/timeline"))
        let entries: ListPage<Entry> = try await services.client.get(
            "/v1/customers/\(featuredCustomer.id)/timeline?limit=100")
        for entry in entries.items.reversed().suffix(18) {
            let mark = entry.origin == "recovered" ? "  " + output.good("recovered") : ""
            let day = Date(milliseconds: entry.occurredAt).readable.prefix(10)
            output.line("\(output.faint(String(day)))  \(entry.sentence.printable)\(mark)")
        }
    }

    private struct Explanation: Decodable {
        struct Fact: Decodable {
            var kind, identifier, role: String
            var origin: String?
        }

        var isActive: Bool
        var rule, sentence: String
        var facts: [Fact]
    }

    func printExplanation() async throws {
        let product = try services.simulator.state(of: featuredCustomer.name).subscriptions.last?.productID
        guard let name = product?.split(separator: ".").dropFirst(2).first else { return }
        output.heading("Why \(featuredCustomer.name) has or lacks the entitlement \(name)")
        let path = "/v1/customers/\(featuredCustomer.id)/entitlements/\(name)/explain"
        output.line(output.faint("GET " + path))
        let response: Explanation = try await services.client.get(path)
        output.line(
            "\(response.isActive ? output.good("yes") : output.bad("no")) \(response.rule): \(response.sentence.printable)"
        )
        for fact in response.facts where fact.role == "decides" {
            let origin = fact.origin.map { " (origin: \($0))" } ?? ""
            output.line(
                "decided by \(fact.kind) \(fact.identifier.printable), one of \(response.facts.count) facts\(origin)")
        }
    }

    private struct Completeness: Decodable {
        var environment, state: String
        var completeUntil: Int64?
    }

    func printCompleteness() async throws {
        output.heading("Is anything missing?")
        output.line(output.faint("GET /v1/completeness"))
        let list: ListPage<Completeness> = try await services.client.get("/v1/completeness")
        for item in list.items {
            let until = item.completeUntil.map { " until " + Date(milliseconds: $0).readable } ?? ""
            let state = item.state == "complete" ? output.good(item.state) : item.state
            output.line("\(item.environment.padded(to: 11)) \(state)\(until)")
        }
    }
}
