import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger

/// The reference library of Standard Webhooks, in Python.
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
    .enabled(if: PythonEnvironment.isWanted, "\(PythonEnvironment.absence)"))
struct `A receiver of webhooks that we did not write` {
    @Test func `accepts our signatures, by the old secret and by the new one`() async throws {
        let new = "whsec_" + Data(repeating: 9, count: 24).base64EncodedString()
        let stranger = "whsec_" + Data(repeating: 1, count: 32).base64EncodedString()
        try await World.runTelling { configuration, _ in
            configuration.webhooks[0].secrets.append(Secret(new))
        } _: { world, receiver in
            _ = try await world.buy("anna")
            _ = try await world.buy("Bób-ü")
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.tell()
            let messages = receiver.take().map {
                StandardWebhooks.Plan.Message(headers: $0.headers, body: String(decoding: $0.body, as: UTF8.self))
            }
            #expect(messages.count == 3)
            let plan = StandardWebhooks.Plan(
                secrets: [World.webhookSecret, new], stranger: stranger, messages: messages)
            let report = try await PythonEnvironment.ask("verify_webhooks.py", plan, for: StandardWebhooks.Report.self)
            #expect(report.failures == [])
            #expect(report.accepted == 6)
        }
    }
}
