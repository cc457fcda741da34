import AppStoreModels
import AppStoreServer
import AppStoreTrust
import ArgumentParser
import Foundation
import StoreSimulator

/// `counterfoil simulator listen`: what the simulator announces, on the terminal and to one's own server.
struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Receive the simulator's notifications, verify each, and forward them to your server.",
        discussion: """
            Receives on 127.0.0.1 in the place of the URL that the simulator has for notifications, which is put back at \
            the end. Each notification, and the signed data in it, is verified with the simulator's root. With \
            --forward-to your server gets exactly the body, and the simulator exactly your server's status.

            EXAMPLES
              counterfoil simulator listen
              counterfoil simulator listen \\
                --forward-to http://127.0.0.1:8080/apple/notifications
              counterfoil simulator listen --environment sandbox --count 1 --json

            JSON, one line each, or "valid":false with "reason" and "message":
              {"appAccountToken":…,"customer":…,"environment":…,"forwardedStatus":…,
              "notificationType":…,"notificationUUID":…,"originalTransactionId":…,
              "productId":…,"signedDate":…,"status":…,"subtype":…,
              "transactionId":…,"valid":true}
            Exit status: 0 ended, 1 refused or failed, 2 wrong usage.
            """)

    @Option(help: ArgumentHelp("Where to forward each notification.", valueName: "url")) var forwardTo: String?
    @Option(help: ArgumentHelp("The port to receive on; 0 for a free one.", valueName: "n")) var port = 0
    @Option(
        name: .customLong("environment"),
        help: ArgumentHelp("Only this environment: production or sandbox. Default: both.", valueName: "name"))
    var environments: [EnvironmentName] = []
    @Option(help: ArgumentHelp("End after so many notifications.", valueName: "n")) var count: Int?
    @OptionGroup var options: SimulatorOptions

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535.") }
        if let count, count < 1 { throw ValidationError("--count is 1 or more.") }
        guard let forwardTo else { return }
        guard let url = URL(string: forwardTo), url.host() != nil, ["http", "https"].contains(url.scheme) else {
            throw ValidationError("--forward-to takes an http or https URL.")
        }
    }

    private var named: [EnvironmentName] { environments.isEmpty ? EnvironmentName.allCases : environments }

    func run() async throws {
        let client = try await options.client()
        // Whether it is there, before anything is changed.
        _ = try await client.send("GET", [])
        let reader = try NotificationReader(client)
        let (finished, continuation) = AsyncStream.makeStream(of: Void.self)
        let receiver = NotificationReceiver(
            reader: reader, forwardTo: forwardTo, maximum: count, asJSON: options.json
        ) { continuation.finish() }
        let (port, server) = try await receiver.start(port: port)
        defer { server.cancel() }
        let before = try await redirect(to: port, by: client)
        do {
            try await Signals.untilStopped {
                self.greet(port)
                for await _ in finished {}
            }
        } catch {
            await putBack(before, by: client)
            throw error
        }
        await putBack(before, by: client)
    }

    /// Has notifications come here.
    ///
    /// - Returns: Where they went before.
    private func redirect(to port: Int, by client: ControlClient) async throws -> [EnvironmentName: String?] {
        var before: [EnvironmentName: String?] = [:]
        for environment in named {
            let settings = try await client.call("GET", [environment.rawValue, "settings"], as: StoreSettings.self)
            before[environment] = .some(settings.notificationURL)
            let url = "http://127.0.0.1:\(port)/\(environment.rawValue)"
            _ = try await client.send("PUT", [environment.rawValue, "notification-url"], body: ["url": url])
        }
        return before
    }

    private func putBack(_ before: [EnvironmentName: String?], by client: ControlClient) async {
        // In a task of its own: after Ctrl-C this one is cancelled. A simulator that has stopped needs nothing put back.
        await Task {
            for (environment, url) in before {
                let body: [String: JSONValue] = ["url": url.map { .string($0) } ?? .null]
                _ = try? await client.send("PUT", [environment.rawValue, "notification-url"], body: body)
            }
            // Returns when the simulator has heard the answer to whatever it sent here.
            _ = try? await client.send("POST", ["settle"])
        }.value
    }

    private func greet(_ port: Int) {
        guard !options.json else { return }
        let which = named.map(\.rawValue).joined(separator: " and ")
        let target = forwardTo.map { ", forwarding to \($0.printable)" } ?? ""
        Output.line("listening to \(which) on port \(port)\(target); Ctrl-C ends it")
    }
}
