/// The scenarios that come with the simulator: every life cycle that Apple describes.
public enum ShippedScenarios {
    /// Their names, in order.
    public static var names: [String] { files.keys.sorted() }

    /// The YAML of one; nil if there is none of that name.
    public static func text(_ name: String) -> String? { files[name] }

    /// One of them, read; nil if there is none of that name.
    public static func scenario(_ name: String) throws(ScenarioError) -> Scenario? {
        guard let text = files[name] else { return nil }
        return try Scenario(yaml: text)
    }
}
