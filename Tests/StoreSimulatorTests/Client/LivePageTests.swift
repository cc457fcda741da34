import AppStoreModels
import Basics
import Foundation
import TestSupport
import Testing
import WebConsole

@testable import StoreSimulator

@Suite(.timeLimit(.minutes(10))) struct `Open pages of a simulator` {
    @Test func `Open pages learn of the result of a delivery`() async throws {
        let (delivery, gate) = (Gate(), Gate())
        let simulator = try await Simulator.start(.frozen) { _ in
            delivery.open()
            await gate.pass()
        }
        try await withCleanup({ await simulator.stop() }) {
            async let bought = simulator.perform(.purchase(customer: "anna", product: "com.example.unlock"))
            await delivery.pass()
            let before = simulator.core.pages.lastChange
            gate.open()
            _ = try await bought
            #expect(simulator.core.pages.lastChange > before)
        }
    }

    @Test func `Open pages learn of faults and snapshots that commands have added or removed`() async throws {
        try await withSimulator { simulator in
            let pages = simulator.core.pages
            var last = pages.lastChange
            let number = try simulator.add(Fault("route:*", .drop))
            #expect(pages.lastChange > last)
            last = pages.lastChange
            try simulator.removeFault(number)
            #expect(pages.lastChange > last)
            last = pages.lastChange
            try await simulator.snapshot("a")
            #expect(pages.lastChange > last)
        }
    }

    @Test func `Open pages learn of a request whose response a fault has replaced`() async throws {
        try await withSimulator { simulator in
            _ = try simulator.add(Fault("route:*", .drop, count: 1))
            let last = simulator.core.pages.lastChange
            _ = simulator.core.verifyReceipt(Data(), in: .production)
            #expect(simulator.core.faults.isEmpty)
            #expect(simulator.core.pages.lastChange > last)
        }
    }
}
