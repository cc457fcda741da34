internal import HTTPTypes

extension ControlRoutes {
    /// The operation that runs a scenario.
    static let scenarios: [Operation] = [
        Operation(.post, "/scenarios") { simulator, request in
            let body = try request.decode(ScenarioText.self)
            let scenario: Scenario
            do { scenario = try Scenario(yaml: body.yaml) } catch {
                throw ControlFailure(400, "invalid_scenario", "\(error)", param: "yaml")
            }
            return try json(try await simulator.run(scenario))
        }
    ]
}

/// The YAML of a scenario.
struct ScenarioText: Codable, Sendable { var yaml: String }
