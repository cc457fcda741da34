import ArgumentParser

/// The options of every command that calls a running simulator.
struct SimulatorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The simulator's folder or URL. Default: $COUNTERFOIL_SIMULATOR, or the one that runs.",
            valueName: "dir|url"), completion: .directory, transform: HomeFolder.path)
    var simulator: String?

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func client() async throws -> ControlClient { ControlClient(try await SimulatorLocation.find(simulator)) }
}

/// The option for one of the simulator's two environments.
struct EnvironmentOption: ParsableArguments {
    @Option(
        name: .customLong("environment"),
        help: ArgumentHelp("The environment: production or sandbox.", valueName: "name"))
    var name: EnvironmentName = .production
}
