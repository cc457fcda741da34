import AppStoreModels
import Basics
import Foundation
import Testing
import WebConsole

@testable import StoreSimulator

@Suite struct `The clock of the simulator's panel` {
    @Test func `The button to the next event names its exact time`() async throws {
        try await withSimulator { simulator in
            try await simulator.perform(.purchase(customer: "anna", product: "com.example.premium.monthly"))
            let panel = SimulatorPanel(simulator: simulator, state: PanelState())
            // The store chooses the millisecond of each renewal.
            for _ in 0..<20 {
                let next = try #require(simulator.core.clockReading.next)
                let instant = InstantText.text(try #require(next.millisecondsSince1970))
                let page = panel.page(
                    PanelRequest(page: .customers, environment: .production, query: FormFields()))
                let html = try #require(page.html)
                #expect(html.contains("name=\"to\" value=\"\(instant)\""))
                #expect(html.contains("clock advance --to \(instant)"))
                try await simulator.advance(to: next)
            }
        }
    }

    @Test(
        arguments: [
            ("2027-03-01", 1_803_859_200_000), ("2027-03-01T12:00", 1_803_902_400_000),
            ("2027-03-01T12:00:30", 1_803_902_430_000), ("2027-03-01 12:00:00 UTC", 1_803_902_400_000),
            ("2027-03-01T12:00:00.288Z", 1_803_902_400_288), ("1803902400000", 1_803_902_400_000), ("tomorrow", nil),
        ] as [(String, Int64?)])
    func `The form of the clock takes the instants that its command takes`(_ text: String, _ instant: Int64?) throws {
        var fields = FormFields()
        fields.set("to", text)
        let call = try #require(PanelAction.all["advance"]).call(fields)
        let expected = instant.map { JSONValue.integer($0) } ?? JSONValue.string(text)
        #expect(call.body == JSONValue.object(["to": expected]))
    }
}
