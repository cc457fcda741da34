import AppStoreModels
import Foundation
import StoreSimulator

/// Lives in a simulated App Store. Each notification is received over HTTP, verified and printed as it comes.
struct TourStore {
    /// The scenarios, and how their customers are called here.
    private static let stories = [
        ("trial-converted", ["anna": "anna"]), ("grace-period-recovered", ["anna": "boris"]),
        ("family-sharing", ["anna": "clara", "ben": "dmitri"]),
    ]

    let style: Style

    /// Runs the scenarios on a frozen clock, and ends with what each customer has.
    ///
    /// - Returns: Whether everything came as the scenarios say.
    func run() async throws -> Bool {
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(Date(timeIntervalSince1970: 1_767_258_000))
        return try await TemporaryFolder.use { folder in
            configuration.directory = folder
            let simulator = try await Simulator.start(configuration)
            let result: Result<Bool, any Error>
            do { result = .success(try await run(simulator)) } catch { result = .failure(error) }
            await simulator.stop()
            return try result.get()
        }
    }

    private func run(_ simulator: Simulator) async throws -> Bool {
        let reader = try NotificationReader(ControlClient(simulator.information))
        let receiver = NotificationReceiver(reader: reader, indent: "    ")
        let service = try await receiver.start(port: 0)
        simulator.configure(.production) { $0.notificationURL = "http://127.0.0.1:\(service.port)/production" }
        return try await service.whileRunning { try await tell(simulator) }
    }

    private func tell(_ simulator: Simulator) async throws -> Bool {
        var isGood = true
        for (name, cast) in Self.stories {
            guard let text = ShippedScenarios.text(name) else {
                throw Refusal(code: "unknown_scenario", message: "there is no scenario \(name)")
            }
            let scenario = try Scenario(yaml: cast.reduce(text) { $0.replacing($1.key, with: $1.value) })
            Output.line("  " + style.strong(scenario.name))
            let report = try await simulator.run(scenario)
            Output.line(report.passed ? "    \(style.good("as it should"))" : "    \(style.bad(report.explanation))")
            Output.line()
            isGood = isGood && report.passed
        }
        Output.line("  " + style.strong("On \(simulator.now.readable) the customers have"))
        for customer in simulator.states() { Output.line("    \(customer.customer.padded(to: 8)) \(customer.summary)") }
        return isGood
    }
}
