import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// The reference library of Standard Webhooks, in Python.
enum StandardWebhooks {
    static let absence = "needs the Python environment that `make test` sets up with Tests/Interop/setup"
    static let python = Fixtures.package.appending(path: ".build/interop-venv/bin/python")
    static let isRequired = ProcessInfo.processInfo.environment["COUNTERFOIL_INTEROP"] == "required"

    /// Whether the environment is there, with the library: it may be of a time before that was wanted.
    static let isReady: Bool = {
        let wanted = Fixtures.package.appending(path: ".build/interop-venv/requirements.txt")
        let text = try? String(contentsOf: wanted, encoding: .utf8)
        return text?.contains("standardwebhooks") == true && FileManager.default.isExecutableFile(atPath: python.path)
    }()

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
    .enabled(if: StandardWebhooks.isReady || StandardWebhooks.isRequired, "\(StandardWebhooks.absence)"))
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
            let input = world.folder.appending(path: "messages.json")
            let output = world.folder.appending(path: "report.json")
            try JSONEncoder().encode(plan).write(to: input)
            let script = Fixtures.package.appending(path: "Tests/Interop/verify_webhooks.py").path
            let outcome = try await Tool.run(
                StandardWebhooks.python.path, ["-B", script, input.path, output.path])
            #expect(outcome.status == 0, "\(outcome.errors)")
            let report = try JSONDecoder().decode(StandardWebhooks.Report.self, from: Data(contentsOf: output))
            #expect(report.failures == [])
            #expect(report.accepted == 6)
        }
    }
}
