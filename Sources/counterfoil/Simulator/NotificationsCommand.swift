import AppStoreModels
import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil simulator notifications`.
struct SimulatorNotifications: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "Show where notifications go and in which version, or choose the version.",
        discussion: """
            As in App Store Connect, each environment has its own. With --version 1 the app gets the notifications of \
            before, until --version 2 switches it over: a rehearsal of the move.

            EXAMPLES
              counterfoil simulator notifications
              counterfoil simulator notifications --version 1
              counterfoil simulator notifications --version 2 --environment sandbox
            """)

    @Option(help: ArgumentHelp("The version that the app gets from now on: 1 or 2.", valueName: "n")) var version: Int?
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func validate() throws {
        guard version.map({ NotificationVersion(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("--version is 1 or 2.")
        }
    }

    func run() async throws {
        let client = try await options.client()
        let path = [environment.environment.rawValue, "settings"]
        var settings = try await client.call("GET", path, as: StoreSettings.self)
        if let version {
            settings = try await client.call(
                "PATCH", path, body: ["notificationVersion": version], as: StoreSettings.self)
        }
        let chosen = settings.notificationVersion.rawValue
        if options.json {
            let answer: [String: JSONValue] = [
                "environment": .string(environment.environment.rawValue), "version": .integer(Int64(chosen)),
                "url": settings.notificationURL.map { .string($0) } ?? .null,
            ]
            return Output.line(try JSONLine.text(answer))
        }
        let place = settings.notificationURL.map { "go to \($0.printable)" } ?? "go nowhere: no URL is set"
        Output.line("\(environment.environment.rawValue): notifications of version \(chosen) \(place)")
    }
}
