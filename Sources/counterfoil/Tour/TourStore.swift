import AppStoreModels
import Basics
import Foundation
import StoreSimulator

/// Runs scenarios in a simulated App Store. Receives each notification over HTTP, verifies and prints it.
struct TourStore {
    /// The names of the scenarios, with new names for their customers.
    private static let scenarios = [
        ("trial-converted", ["anna": "anna"]), ("grace-period-recovered", ["anna": "boris"]),
        ("family-sharing", ["anna": "clara", "ben": "dmitri"]),
    ]

    let style: Style

    /// Runs the scenarios on a frozen clock and prints each customer's purchases.
    ///
    /// - Returns: Whether all expectations of the scenarios were met.
    func run() async throws -> Bool {
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(Date(timeIntervalSince1970: 1_767_258_000))
        return try await TemporaryFolder.use { folder in
            configuration.directory = folder
            let simulator = try await Simulator.start(configuration)
            return try await withCleanup({ await simulator.stop() }) { try await run(simulator) }
        }
    }

    private func run(_ simulator: Simulator) async throws -> Bool {
        let reader = try NotificationReader(ControlClient(simulator.information))
        let listener = NotificationListener(reader: reader, indent: "    ")
        let service = try await listener.start(port: 0)
        simulator.configure(.production) { $0.notificationURL = "http://127.0.0.1:\(service.port)/production" }
        return try await service.whileRunning { try await runScenarios(simulator) }
    }

    private func runScenarios(_ simulator: Simulator) async throws -> Bool {
        var hasPassed = true
        for (name, customers) in Self.scenarios {
            guard let text = ShippedScenarios.text(name) else {
                throw Refusal(code: "unknown_scenario", message: "there is no scenario \(name)")
            }
            let scenario = try Scenario(yaml: customers.reduce(text) { $0.replacing($1.key, with: $1.value) })
            Output.line("  " + style.strong(scenario.name))
            let report = try await simulator.run(scenario)
            Output.line(report.passed ? "    \(style.good("as expected"))" : "    \(style.bad(report.explanation))")
            Output.line()
            hasPassed = hasPassed && report.passed
        }
        Output.line("  " + style.strong("On \(simulator.now.readable) the customers have"))
        for customer in simulator.states() { Output.line("    \(customer.customer.padded(to: 8)) \(customer.summary)") }
        return hasPassed
    }
}
