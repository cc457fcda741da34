import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil simulator settings`: shows or changes how the store behaves.
struct SettingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Show or change settings, such as the billing grace period.",
        discussion: """
            Each environment has its own. The schema StoreSettingsChange describes them: it is in /openapi.yaml below \
            the control URL, which `counterfoil simulator status --json` prints as controlURL.

            EXAMPLES
              counterfoil simulator settings
              counterfoil simulator settings '{"gracePeriod":"sixteenDays"}'
              counterfoil simulator settings '{"maximumRenewalLeadTime":0}' --json
              counterfoil simulator settings '{"renewalCap":6}' --environment sandbox
            """)

    @Argument(help: ArgumentHelp("The settings to change. Default: none, show all.", valueName: "json"))
    var changes: String?
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let changes = try changes.map(Self.members)
        let client = try await options.client()
        let path = [environment.name.rawValue, "settings"]
        let data =
            if let changes {
                try await client.send("PATCH", path, body: changes)
            } else {
                try await client.send("GET", path)
            }
        if options.json { return Output.line(String(decoding: data, as: UTF8.self)) }
        let settings = try ControlClient.decode([String: JSONValue].self, from: data)
        // A setting without a value, such as no limit of renewals, is not in the response.
        let shown = changes.map { $0.keys.sorted() } ?? settings.keys.sorted()
        let width = shown.map(\.count).max() ?? 0
        for name in shown { Output.line("\(name.padded(to: width))  \(try Self.text(settings[name]))".printable) }
    }

    private static func members(_ text: String) throws -> [String: JSONValue] {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)),
            case .object(let members) = value
        else { throw ValidationError("Settings are a JSON object such as {\"gracePeriod\":\"sixteenDays\"}.") }
        return members
    }

    private static func text(_ value: JSONValue?) throws -> String {
        if case .string(let text) = value { return text }
        return try JSONLine.text(value ?? .null)
    }
}
