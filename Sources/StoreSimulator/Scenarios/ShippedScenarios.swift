/// The scenarios that are included in the simulator: all life cycles that Apple describes.
public enum ShippedScenarios {
    /// The names of the scenarios, in alphabetical order.
    public static var names: [String] { files.keys.sorted() }

    /// Returns the YAML of a scenario; nil if there is none with that name.
    public static func text(_ name: String) -> String? { files[name] }

    /// Returns a parsed scenario; nil if there is none with that name.
    public static func scenario(_ name: String) throws(ScenarioError) -> Scenario? {
        guard let text = files[name] else { return nil }
        return try Scenario(yaml: text)
    }
}
