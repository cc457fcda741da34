import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger

/// The input and output of `verify_webhooks.py`, which uses the Python reference library of Standard Webhooks.
enum StandardWebhooks {
    struct Plan: Encodable {
        struct Message: Encodable {
            var headers: [String: String]
            var body: String
        }

        var secrets: [String]
        var stranger: String
        var messages: [Message]
    }

    struct Report: Decodable {
        var accepted: Int
        var failures: [String]
    }
}

@Suite(
    .enabled(if: PythonEnvironment.isEnabled, "\(PythonEnvironment.absence)"))
struct `Webhooks verified by the Standard Webhooks library` {
    @Test func `The reference library accepts signatures with the old and the new secret`() async throws {
        let new = "whsec_" + Data(repeating: 9, count: 24).base64EncodedString()
        let stranger = "whsec_" + Data(repeating: 1, count: 32).base64EncodedString()
        try await World.runWithWebhooks { configuration, _ in
            configuration.webhooks[0].secrets.append(Secret(new))
        } _: { world, receiver in
            _ = try await world.buy("anna")
            _ = try await world.buy("Bób-ü")
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.deliverWebhooks()
            let messages = receiver.take().map {
                StandardWebhooks.Plan.Message(headers: $0.headers, body: String(decoding: $0.body, as: UTF8.self))
            }
            #expect(messages.count == 3)
            let plan = StandardWebhooks.Plan(
                secrets: [World.webhookSecret, new], stranger: stranger, messages: messages)
            let report = try await PythonEnvironment.run("verify_webhooks.py", plan, for: StandardWebhooks.Report.self)
            #expect(report.failures == [])
            #expect(report.accepted == 6)
        }
    }
}
