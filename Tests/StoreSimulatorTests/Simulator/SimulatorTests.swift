import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator
import Testing

/// A whole simulator, over HTTP.
@Suite struct SimulatorTests {
    @Test func `A year of a monthly subscription is thirteen transactions that the API lists`() async throws {
        let simulator = try await Simulator.start(.frozen)
        let bought = try await simulator.perform(
            .purchase(customer: "anna", product: "com.example.basic.monthly"))
        let report = try await simulator.advance(by: Period.year)
        #expect(report.to == Period.year.after(report.from))

        let client = try simulator.client(.production)
        var history: [String] = []
        for try await transaction in try client.transactionHistory(of: #require(bought.transactionID)).items {
            history.append(transaction)
        }
        #expect(history.count == 13)
        await simulator.stop()
    }
}
