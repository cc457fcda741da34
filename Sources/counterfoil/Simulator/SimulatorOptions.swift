import ArgumentParser

/// The options of every command that talks to a running simulator.
struct SimulatorOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the simulator, where simulator.json is. Default: the one started last.", valueName: "dir"))
    var simulator: String?

    @Flag(help: "Print JSON instead of text.")
    var json = false

    func client() throws(Refusal) -> ControlClient { ControlClient(try SimulatorLocation.find(simulator)) }
}

/// The option that says which of the simulator's two environments is meant.
struct EnvironmentOption: ParsableArguments {
    @Option(help: ArgumentHelp("The environment: production or sandbox.", valueName: "name"))
    var environment: EnvironmentName = .production
}
