import AppStoreModels
import ArgumentParser
import StoreSimulator

/// `counterfoil simulator notifications`.
struct SimulatorNotifications: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "Show the notification URL and version, choose the version, or send a notification again.",
        discussion: """
            As in App Store Connect, each environment has its own settings. To rehearse the move from version 1 to \
            version 2, start with --version 1 and switch with --version 2.

            EXAMPLES
              counterfoil simulator notifications
              counterfoil simulator notifications --version 1
              counterfoil simulator notifications --version 2 --environment sandbox
              counterfoil simulator notifications resend UUID
            """,
        subcommands: [NotificationsShow.self, NotificationsResend.self], defaultSubcommand: NotificationsShow.self)
}

/// `counterfoil simulator notifications show`.
struct NotificationsShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show where notifications go and in which version, or choose the version.",
        discussion: """
            EXAMPLES
              counterfoil simulator notifications show --environment sandbox
            """)

    @Option(help: ArgumentHelp("The version to send from now on: 1 or 2.", valueName: "n")) var version: Int?
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func validate() throws {
        guard version.map({ NotificationVersion(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("--version takes 1 or 2.")
        }
    }

    func run() async throws {
        let client = try await options.client()
        var settings = try await client.settings(of: environment.name)
        if let version {
            settings = try await client.call(
                "PATCH", [environment.name.rawValue, "settings"], body: ["notificationVersion": version])
        }
        let chosen = settings.notificationVersion.rawValue
        if options.json {
            let answer: [String: JSONValue] = [
                "environment": .string(environment.name.environment.rawValue),
                "version": .integer(Int64(chosen)),
                "url": settings.notificationURL.map { .string($0) } ?? .null,
            ]
            return Output.line(try JSONLine.text(answer))
        }
        let place = settings.notificationURL.map { "go to \($0.printable)" } ?? "go nowhere: no URL is set"
        Output.line("\(environment.name.rawValue): notifications of version \(chosen) \(place)")
    }
}

/// `counterfoil simulator notifications resend`.
struct NotificationsResend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resend", abstract: "Send a notification again now.",
        discussion: """
            This attempt is in addition to those of Apple's schedule. Exit status: 0 delivered, 1 not delivered.

            EXAMPLES
              counterfoil simulator notifications resend UUID
            """)

    @Argument(help: ArgumentHelp("The notificationUUID of the notification.", valueName: "uuid")) var uuid: String
    @OptionGroup var environment: EnvironmentOption
    @OptionGroup var options: SimulatorOptions

    func run() async throws {
        let path = [environment.name.rawValue, "notifications", uuid, "resend"]
        let data = try await options.client().send("POST", path)
        // Only the last attempt matters.
        let last = try ControlClient.decode(NotificationSummaryLine.self, from: data).attempts.last
        if options.json { Output.line(String(decoding: data, as: UTF8.self)) }
        guard last?.sendAttemptResult == SendAttemptResult.success.rawValue else {
            let status = last?.status.map { ", status \($0)" } ?? ""
            let reason = last?.sendAttemptResult ?? "no notification URL is set"
            throw Refusal(
                code: "not_delivered", message: "the notification was not delivered: \(reason)\(status)".printable)
        }
        if !options.json { Output.line("delivered") }
    }
}
