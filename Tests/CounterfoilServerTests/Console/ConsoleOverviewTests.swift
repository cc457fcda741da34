import AppStoreModels
import Entitlements
import Foundation
import Ledger
import LedgerServices
import StoreSimulator
import TestSupport
import Testing
import WebConsole

@testable import CounterfoilServer

/// The overview with its section "Needs attention", and the notes about missing notifications.
@Suite struct `The overview and completeness in the console` {
    @Test func `The overview reports draining, new refusal codes, and failures in any environment`() async throws {
        try await World.withConsole { world, browser in
            let core = try world.server.core
            let now = core.now.milliseconds
            func refuse(_ code: String, _ count: Int, ago: Int64) async throws {
                try await core.storage.commit(
                    (0..<count).map { _ in
                        Refusal(receivedAt: now - ago, code: code, message: "no", sender: "192.0.2.1", body: Data())
                    })
            }
            // The day before had `known_code` alone; the last day has more than one page of refusals.
            try await refuse("long_ago", 1, ago: 3 * 86_400_000)
            try await refuse("known_code", 1, ago: 30 * 3_600_000)
            try await refuse("known_code", 150, ago: 3_600_000)
            try await refuse("fresh_code", 1, ago: 60_000)
            try await refuse("long_ago", 1, ago: 60_000)
            let page = try await browser.get("/console").text
            #expect(page.contains("the day before did not have: fresh_code, long_ago."), "\(page)")
            #expect(!page.contains("draining"))
            // The overview of Production reports a failure in Sandbox.
            _ = try await world.subscribe("ben", in: .sandbox)
            let filter = InboxFilter(scopes: core.scopes.all.filter { $0.environment == .sandbox }.map(\.id))
            let stored = try #require(try await core.storage.notifications(filter, before: .max, limit: 1).items.first)
            try await core.storage.failProcessed(stored.id, code: "storage_damaged", message: "it is damaged")
            let failing = try await browser.get("/console?environment=Production").text
            #expect(failing.contains("Notifications that failed"))
            #expect(failing.contains("1 of com.<wbr>example.<wbr>app Sandbox."))
            core.readiness.startDraining()
            #expect(try await browser.get("/console").text.contains("draining"))
        }
    }

    @Test func `The Sandbox overview links to the simulator and shows the simulated time`() async throws {
        try await World.withConsole({ $0.clock = .simulator("http://127.0.0.1:8090/simulator") }) { world, browser in
            let page = try await browser.get("/console?environment=Sandbox").text
            #expect(page.contains("href=\"http://127.0.0.1:8090/?environment=sandbox\""))
            #expect(page.contains("<span>simulated time \(try world.server.core.now.consoleText)</span>"))
            let clock = try await ServerClock.following(world.simulator.information.controlURL)
            #expect(clock.followed?.mode == "frozen")
            #expect(try await !browser.get("/console?environment=Production").text.contains("127.0.0.1:8090"))
        }
    }

    @Test func `An empty overview names a command that sends a notification of its environment`() async throws {
        try await World.withConsole { _, browser in
            for (environment, option) in [("Production", ""), ("Sandbox", " --environment sandbox")] {
                let page = try await browser.get("/console?environment=\(environment)").text
                let form = /simulator trigger (?<kind>[A-Z_.]+[A-Z])(?<option> --environment [a-z]+)?\./
                let command = try #require(page.firstMatch(of: form))
                #expect(NotificationKind.all.contains { $0.name == command.kind })
                #expect((command.option ?? "") == option)
            }
        }
    }

    @Test func `Pages about purchases say since when notifications may be missing`() async throws {
        try await World.withConsole { world, browser in
            let anna = try await world.subscribe("anna")
            let note = "may be missing here. The page Completeness says why."
            func pagesWithNote() async throws -> [String] {
                var found: [String] = []
                for path in ["customers/\(anna)", "customers/\(anna)/explain/premium", "notifications", "webhooks"] {
                    let page = try await browser.get("/console/\(path)").text
                    if page.contains(note) { found.append(path) }
                }
                return found
            }
            try await world.server.core.recovery.runNow()
            let complete = try await pagesWithNote()
            #expect(complete == [])
            let marks = try await world.server.core.storage.completenessMarks()
            let since = try #require(marks.first).until
            try await world.simulator.advance(by: 2 * 3600)
            let behind = try await pagesWithNote()
            #expect(behind == ["customers/\(anna)", "customers/\(anna)/explain/premium", "notifications"])
            let page = try await browser.get("/console/customers/\(anna)").text
            // Both pages show the same state in the same way.
            for path in ["", "/completeness"] {
                let state = try await browser.get("/console\(path)").text
                #expect(state.contains("<span class=\"tag bad\">behind</span>"), "\(path)")
            }
            #expect(page.contains("Notifications since \(Date(milliseconds: since).consoleText) \(note)"))
            try await world.server.core.recovery.runNow()
            let recovered = try await pagesWithNote()
            #expect(recovered == [])
        }
    }

    @Test func `Pages about purchases say that notifications may be missing if the history was never read`()
        async throws
    {
        try await World.withConsole {
            $0.keys.append(
                .init(name: "agent", hash: APIKeyText.hash(of: "agent"), scopes: [.consoleOpen, .customersRead]))
        } _: { world, browser in
            let note = "Notifications may be missing here: none could be recovered yet."
            let before = try await browser.get("/console/customers/anna").text
            #expect(!before.contains(note))
            // The client does not retry a response of 418.
            try world.simulator.add(
                Fault("route:notification-history", .status(code: 418), environment: .production))
            await #expect(throws: (any Error).self) { try await world.server.core.recovery.runNow() }
            let behind = try await browser.get("/console/customers/anna").text
            #expect(behind.contains(note + " The page Completeness says why."))
            // The key may not open that page.
            let agent = Browser(world.url)
            try await agent.signIn("agent")
            let limited = try await agent.get("/console/customers/anna").text
            #expect(limited.contains(note) && !limited.contains("says why"))
            try world.simulator.removeFault()
            try await world.server.core.recovery.runNow()
            let recovered = try await browser.get("/console/customers/anna").text
            #expect(!recovered.contains("may be missing here"))
        }
    }

    @Test func `The completeness page says since when the ledger is behind`() async throws {
        try await World.withConsole { world, browser in
            #expect(try await !browser.get("/console/completeness").text.contains("The ledger is behind"))
            let core = try world.server.core
            let appEnvironment = try #require(core.scopes.all.first)
            let received = core.now.milliseconds - 120_000
            _ = try await core.storage.commit(
                received: [
                    ReceivedNotification(
                        scope: appEnvironment.id, uuid: UUID().uuidString.lowercased(), type: "TEST",
                        signedDate: received,
                        receivedAt: received, origin: .delivered, text: "eyJ9.eyJ9.x")
                ], processed: [])
            let since = Date(milliseconds: received).consoleText
            #expect(try await browser.get("/console/completeness").text.contains("The ledger is behind since \(since)"))
        }
    }
}
