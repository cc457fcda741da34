import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

/// Retries, deadlines and refusals, in the log and in the metrics.
extension `Consumption requests` {
    @Test func `A failed answer is retried, and a request without consent is missed at the deadline`() async throws {
        try await withPurchase(ConsumptionPolicy(defaultConsent: true)) { world, customer in
            world.simulator.configure { $0.refundDecision = .byCommand }
            let fault = try world.simulator.add(
                Fault("route:send-consumption", .rateLimit(retryAfterSeconds: 1_000_000_000)))
            let id = try await requestRefund(world)
            let failed = try await request(world, customer, about: id, in: [.pending], attempts: 1)
            #expect(failed["items.0.sent_at"] == nil)
            try world.simulator.removeFault(fault)
            try await world.simulator.advance(by: 3600)
            #expect(try await request(world, customer, about: id, in: [.sent]).number("items.0.attempts") == 2)
        }
        try await withPurchase(ConsumptionPolicy()) { world, customer in
            world.simulator.configure { $0.refundDecision = .byCommand }
            let id = try await requestRefund(world)
            try await world.simulator.advance(by: 12 * 3600 + 1)
            let missed = try await request(world, customer, about: id, in: [.missed])
            #expect(missed.text("items.0.answer") == "no_consent")
        }
    }

    @Test func `The log says that an answer was too late, but not that there was no consent`() async throws {
        for hasConsent in [true, false] {
            let lines = LogCapture()
            try await withPurchase(ConsumptionPolicy(defaultConsent: hasConsent), lines: lines) { world, customer in
                world.simulator.configure { $0.refundDecision = .byCommand }
                try world.simulator.add(
                    Fault("route:send-consumption", .rateLimit(retryAfterSeconds: 1_000_000_000)))
                let id = try await requestRefund(world)
                _ = try await request(world, customer, about: id, in: [.pending], attempts: hasConsent ? 1 : 0)
                try await world.simulator.advance(by: 12 * 3600 + 1)
                let missed = try await request(world, customer, about: id, in: [.missed])
                #expect(missed.text("items.0.state") == "missed")
            }
            let words = "warning a consumption request was not answered in time"
            let logged = lines.text.split(separator: "\n").filter { $0.contains(words) }
            #expect(logged.count == (hasConsent ? 1 : 0), "\(lines.text)")
        }
    }

    /// The value of a metric without its common prefix.
    private static func value(_ metric: String, in world: World) async throws -> Double? {
        let text = await (try world.server).core.metrics.text()
        let line = try #require(text).split(separator: "\n").first {
            $0.hasPrefix("counterfoil_consumption_\(metric) ")
        }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }

    private static func waitUntilCounted(_ result: String, in world: World) async throws {
        let metric = #"requests_total{environment="Production",result="\#(result)"}"#
        try await waitUntil("the request is counted as \(result)") { try await value(metric, in: world) == 1 }
    }

    @Test func `The metrics show a request that waits for the App Store, and how it ends`() async throws {
        try await withPurchase(ConsumptionPolicy(defaultConsent: true)) { world, customer in
            world.simulator.configure { $0.refundDecision = .byCommand }
            let fault = try world.simulator.add(
                Fault("route:send-consumption", .rateLimit(retryAfterSeconds: 1_000_000_000)))
            let id = try await requestRefund(world)
            _ = try await request(world, customer, about: id, in: [.pending], attempts: 1)
            try await world.simulator.advance(by: 3600)
            let backlog = try await Self.value("backlog", in: world)
            #expect(backlog == 1)
            let age = try await Self.value("oldest_age_seconds", in: world) ?? 0
            // The frozen clock advances by a millisecond for each signature.
            #expect((3599..<3700).contains(age), "\(age)")
            try world.simulator.removeFault(fault)
            try await world.simulator.advance(by: 3600)
            _ = try await request(world, customer, about: id, in: [.sent])
            try await Self.waitUntilCounted("sent", in: world)
            let rest = try await (Self.value("backlog", in: world), Self.value("oldest_age_seconds", in: world))
            #expect(rest.0 == 0 && rest.1 == 0)
        }
    }

    @Test func `The metrics distinguish a missed answer from one that should not be sent`() async throws {
        for (hasConsent, result) in [(true, "missed"), (false, "withheld")] {
            try await withPurchase(ConsumptionPolicy(defaultConsent: hasConsent)) { world, customer in
                world.simulator.configure { $0.refundDecision = .byCommand }
                try world.simulator.add(
                    Fault("route:send-consumption", .rateLimit(retryAfterSeconds: 1_000_000_000)))
                let id = try await requestRefund(world)
                _ = try await world.inquiry(about: id) { hasConsent ? $0.attempts > 0 : $0.answer == "no_consent" }
                let backlog = try await Self.value("backlog", in: world)
                #expect(backlog == (hasConsent ? 1 : 0))
                try await world.simulator.advance(by: 12 * 3600 + 1)
                _ = try await request(world, customer, about: id, in: [.missed])
                try await Self.waitUntilCounted(result, in: world)
            }
        }
    }

    @Test func `An answer is retried after a proxy's refusal and not after the App Store's`() async throws {
        let route = "route:send-consumption"
        try await withPurchase(ConsumptionPolicy(defaultConsent: true)) { world, customer in
            world.simulator.configure { $0.refundDecision = .byCommand }
            // A refusal without an error code of the App Store.
            let fault = try world.simulator.add(Fault(route, .status(code: 403)))
            let id = try await requestRefund(world)
            let failed = try await request(world, customer, about: id, in: [.pending, .refused], attempts: 1)
            try #require(failed.text("items.0.state") == "pending")
            try world.simulator.removeFault(fault)
            try await world.simulator.advance(by: 3600)
            #expect(try await request(world, customer, about: id, in: [.sent]).number("items.0.attempts") == 2)
        }
        try await withPurchase(ConsumptionPolicy(defaultConsent: true)) { world, customer in
            world.simulator.configure { $0.refundDecision = .byCommand }
            try world.simulator.add(Fault(route, .error(code: 4_000_034)))
            let id = try await requestRefund(world)
            #expect(try await request(world, customer, about: id, in: [.refused]).text("items.0.answer") == "4000034")
            try await Self.waitUntilCounted("refused", in: world)
        }
    }
}
