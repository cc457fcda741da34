internal import AppStoreModels
import Foundation
import Testing

@testable import StoreSimulator

/// Regressions of the control API.
@Suite struct `Regressions of the control API` {
    @Test(arguments: ["-9223372036854775808", "9223372036854775807", "9e18"])
    func `An advance to an instant outside the range of dates is refused`(number: String) {
        let failure = #expect(throws: ControlFailure.self) {
            try ControlJSON.decode(ClockAdvance.self, from: Data(#"{"to":\#(number)}"#.utf8))
        }
        #expect(failure?.param == "to")
    }

    @Test(arguments: ["1577836800000", #""2020-01-01T00:00:00Z""#])
    func `The dates of a new customer are milliseconds or ISO 8601`(date: String) throws {
        let dates = #""firstPurchaseDate":\#(date),"preorderDate":\#(date)"#
        let command = try ControlJSON.decode(
            StoreCommand.self, from: Data(#"{"createCustomer":{"customer":"anna",\#(dates)}}"#.utf8))
        let instant = Date(timeIntervalSince1970: 1_577_836_800)
        #expect(command == .createCustomer(customer: "anna", firstPurchaseDate: instant, preorderDate: instant))
    }

    @Test(
        arguments: [
            (.failed, 500), (.unwritableDirectory, 500), (.limitReached, 400), (.unknownFault, 404),
        ] as [(SimulatorError.Code, Int)])
    func `A folder that cannot be written is no fault of the request`(_ code: SimulatorError.Code, _ status: Int) {
        #expect(ControlFailure(SimulatorError(code, "")).status == status)
    }

    @Test func `A call that the stop of the simulator cancels is no bug of the simulator`() {
        let failure = ControlFailure(CancellationError())
        #expect(failure.status == 503 && failure.code == "stopping")
    }

    @Test func `The clock does not advance while a notification is being sent`() throws {
        let start = Date(timeIntervalSince1970: 1_767_225_600)
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(start)
        configuration.production.notificationURL = "http://127.0.0.1/"
        configuration.production.maximumRenewalLeadTime = 0
        var state = SimulatorState(configuration, real: start)
        _ = try state.production.perform(
            .purchase(customer: "anna", product: "com.example.basic.monthly"), at: start)
        let target = Period.year.date(after: start)
        guard case .send(let attempt) = state.step(until: target, limit: nil) else {
            Issue.record("the notification is not sent")
            return
        }
        guard case .wait = state.step(until: target, limit: attempt.date + RetrySchedule.minimumDelay) else {
            Issue.record("the store continues although the receiver has not responded")
            return
        }
        #expect(state.clock.now() == start)
        // The response has arrived: the renewal is next.
        guard case .happened = state.step(until: target, limit: nil) else {
            Issue.record("the renewal does not happen")
            return
        }
        let renewal = Period.month.date(after: start)
        #expect((renewal..<renewal + 1).contains(state.clock.now()))
    }

    @Test func `The certificate folder has the current leaf, and the receipt root after the first receipt`()
        async throws
    {
        try await Simulator.run { simulator in
            let folder = SimulatorDirectory.certificates(in: simulator.directory.url)
            try simulator.rotateSigningKey()
            let leaf = try Data(contentsOf: folder.appending(path: "leaf.cer"))
            #expect(Array(leaf) == simulator.core.authority.current.leaf.der)
            try await simulator.buy("com.example.coins.100")
            let customer = try #require(simulator.states().first).customer
            _ = try simulator.receipt(of: customer)
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "receipt-root.cer").path))
        }
    }

    @Test func `A list of notifications can be limited to one notification and one customer`() async throws {
        try await Simulator.run { simulator in
            var uuids: [String] = []
            for customer in ["anna", "ben"] {
                let bought = try await simulator.perform(
                    .purchase(customer: customer, product: "com.example.premium.monthly"))
                uuids += bought.notifications.map(\.notificationUUID)
            }
            try #require(uuids.count == 2)
            func numbers(_ query: [String: String]) throws -> [Int] {
                let request = ControlRequest(path: ["environment": "production"], query: query, body: Data())
                return try simulator.core.notificationPage(request).items.map(\.number)
            }
            #expect(try numbers([:]) == [0, 1])
            #expect(try numbers(["notificationUUID": uuids[1]]) == [1])
            #expect(try numbers(["notificationUUID": uuids[1].uppercased(), "customer": "ben"]) == [1])
            #expect(try numbers(["notificationUUID": uuids[1], "customer": "anna"]) == [])
            #expect(try numbers(["notificationUUID": "x"]) == [])
        }
    }

    @Test func `No receipt is signed before the folder has the receipt root`() async throws {
        try await Simulator.run { simulator in
            let folder = SimulatorDirectory.certificates(in: simulator.directory.url)
            try await simulator.buy("com.example.coins.100")
            let customer = try #require(simulator.states().first).customer
            // A file in place of the folder: the certificates cannot be written.
            try FileManager.default.removeItem(at: folder)
            try Data().write(to: folder)
            for _ in 0..<2 { #expect(throws: SimulatorError.self) { try simulator.receipt(of: customer) } }
            try FileManager.default.removeItem(at: folder)
            _ = try simulator.receipt(of: customer)
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "receipt-root.cer").path))
        }
    }
}
