import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

/// The verifications that `Tests/Interop/verify_signed_data.py` performs with Apple's Python library.
private struct Questions: Encodable {
    struct Verification: Encodable {
        var name: String
        var kind = "notification"
        var text: String
        var root: String
        var environment: String
        var bundleId: String
        var appAppleId: Int64
    }

    var verify: [Verification]
    var sign: [String] = []
}

private struct Answers: Decodable {
    struct Verdict: Decodable {
        var name: String
        var refusal: String?
    }

    var verdicts: [Verdict]
}

@Suite(
    .enabled(if: PythonEnvironment.isEnabled, "\(PythonEnvironment.absence)"))
struct `Apple's Python library` {
    @Test func `Apple's Python library verifies every notification that the server stored`() async throws {
        try await World.run { world in
            let customer = try await world.buy("anna")
            try await world.simulator.advance(by: Period.year)
            try await world.waitUntilIdle()
            let core = try world.server.core
            let appEnvironment = try world.appEnvironment()
            let stored = try await core.storage.notifications(
                about: try #require(await core.customers.customer(customer, in: appEnvironment, at: nil).lineages.first)
                    .originalTransactionID,
                in: appEnvironment.id, limit: 100)
            #expect(stored.count > 10)
            let refusals = try await Self.refusals(of: stored, world)
            #expect(refusals.filter { $0.name != "damaged" }.allSatisfy { $0.refusal == nil })
            #expect(refusals.count == stored.count + 1)
            #expect(refusals.last?.refusal != nil)
        }
    }

    /// Returns the library's verdict on each notification, and on the last one with a damaged signature.
    private static func refusals(of stored: [StoredNotification], _ world: World) async throws -> [Answers.Verdict] {
        let information = world.simulator.information
        let root = try Data(contentsOf: URL(filePath: try #require(information.rootCertificates.first)))
        func question(_ name: String, _ text: String) -> Questions.Verification {
            .init(
                name: name, text: text, root: root.base64EncodedString(), environment: "Production",
                bundleId: information.bundleID, appAppleId: information.appAppleID)
        }
        let last = try #require(stored.last?.text)
        let damaged = String(last.dropLast(8)) + (last.hasSuffix("AAAAAAAA") ? "BBBBBBBB" : "AAAAAAAA")
        let questions = stored.map { question($0.uuid, $0.text) } + [question("damaged", damaged)]
        return try await PythonEnvironment.run(
            "verify_signed_data.py", Questions(verify: questions), for: Answers.self
        ).verdicts
    }
}
