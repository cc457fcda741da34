import AppStoreServer
import ArgumentParser
import Basics
import Foundation
import StoreSimulator

/// `counterfoil simulator listen`: prints the simulator's notifications and forwards them to a server.
struct ListenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Receive the simulator's notifications, verify each, and forward them to your server.",
        discussion: """
            Replaces the simulator's notification URL with one on 127.0.0.1 and restores it at the end, unless it was \
            changed meanwhile or is that of another `listen` that has ended. Verifies each notification, and the signed data in it, with the simulator's root. With \
            --forward-to your server receives the unchanged body, and the simulator your server's status.

            EXAMPLES
              counterfoil simulator listen
              counterfoil simulator listen \\
                --forward-to http://127.0.0.1:8080/apple/notifications
              counterfoil simulator listen --environment sandbox --count 1 --json

            JSON, one line each; if refused "valid":false with "code" and "message":
              {"appAccountToken":…,"customer":…,"environment":…,"forwardedStatus":…,
              "notificationType":…,"notificationUUID":…,"originalTransactionId":…,
              "productId":…,"signedDate":…,"status":…,"subtype":…,
              "transactionId":…,"valid":true}
            Exit status: 0 done, 1 refused or failed, 2 wrong usage.
            """)

    @Option(help: ArgumentHelp("The URL to forward each notification to.", valueName: "url")) var forwardTo: String?
    @Option(help: ArgumentHelp("The port to receive on; 0 for a free one.", valueName: "n")) var port = 0
    @Option(
        name: .customLong("environment"),
        help: ArgumentHelp("Only this environment: production or sandbox. Default: both.", valueName: "name"))
    var environments: [EnvironmentName] = []
    @Option(help: ArgumentHelp("Stop after this many notifications.", valueName: "n")) var count: Int?
    @OptionGroup var options: SimulatorOptions

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port takes 0 to 65535.") }
        if let count, count < 1 { throw ValidationError("--count takes a number from 1.") }
        if let forwardTo, ServerURL.http(forwardTo) == nil {
            throw ValidationError("--forward-to takes an http or https URL.")
        }
    }

    private var selected: [EnvironmentName] { environments.isEmpty ? EnvironmentName.allCases : environments }

    func run() async throws {
        let client = try await options.client()
        // Check that the simulator responds before changing its settings.
        _ = try await client.send("GET", [])
        let reader = try NotificationReader(client)
        let (finished, continuation) = AsyncThrowingStream.makeStream(of: Void.self, throwing: (any Error).self)
        let listener = NotificationListener(
            reader: reader, forwardTo: forwardTo, maximum: count, asJSON: options.json
        ) { continuation.finish(throwing: $0) }
        let service = try await listener.start(port: port)
        try await service.whileRunning { try await listen(at: service.port, client, finished) }
    }

    private func listen(
        at port: Int, _ client: ControlClient, _ finished: AsyncThrowingStream<Void, any Error>
    ) async throws {
        var before: [EnvironmentName: String?] = [:]
        for environment in selected {
            before[environment] = .some(try await client.settings(of: environment).notificationURL)
        }
        // Catch signals before changing a URL: one that ends the command must not leave the URL of a closed port.
        try await Signals.untilStopped { [before] in
            try await withCleanup({ await restoreURLs(before, from: port, by: client) }) {
                try await redirect(to: port, by: client)
                try printStart(port)
                for try await _ in finished {}
            }
        }
    }

    /// Sets the simulator's notification URLs to this command's port.
    private func redirect(to port: Int, by client: ControlClient) async throws {
        for environment in selected {
            try Task.checkCancellation()
            let url = Self.url(of: environment, at: port)
            // The simulator would carry out an interrupted request, perhaps after the URL was restored.
            _ = try await uncancelled {
                try await client.send("PUT", [environment.rawValue, "notification-url"], body: ["url": url])
            }
        }
    }

    private static func url(of environment: EnvironmentName, at port: Int) -> String {
        "http://127.0.0.1:\(port)/\(environment.rawValue)"
    }

    /// Restores the previous notification URLs, except where another one was set meanwhile, such as that of a second
    /// listener. The URL of an earlier listener that has ended is not restored: nothing will listen there again.
    private func restoreURLs(
        _ before: [EnvironmentName: String?], from port: Int, by client: ControlClient
    ) async {
        // Use a separate task, because Ctrl-C cancels this one. Ignore failures: the simulator may have stopped.
        await Task {
            var notes: [String] = []
            for (environment, previous) in before {
                let settings = try? await client.settings(of: environment)
                guard settings?.notificationURL == Self.url(of: environment, at: port) else { continue }
                var url = previous
                if let previous, await Self.isOfEndedListener(previous, environment) {
                    url = nil
                    notes.append("\(environment.rawValue) has no notification URL: nothing listens at \(previous)")
                }
                let body: [String: JSONValue] = ["url": url.map { .string($0) } ?? .null]
                _ = try? await client.send("PUT", [environment.rawValue, "notification-url"], body: body)
            }
            // Wait until the simulator has received the response to every notification that it sent here.
            _ = try? await client.send("POST", ["wait-until-idle"])
            for note in notes { Output.error("note: \(note)") }
        }.value
    }

    /// Whether a URL has the form of a listener's, and its port is closed. A server of one's own may start again.
    private static func isOfEndedListener(_ url: String, _ environment: EnvironmentName) async -> Bool {
        guard let port = URLComponents(string: url)?.port, url == Self.url(of: environment, at: port) else {
            return false
        }
        let request = HTTPTransportRequest(method: "GET", url: url, timeout: .seconds(5))
        do {
            _ = try await AsyncHTTPClientTransport().send(request)
            return false
        } catch { return (error as? HTTPTransportError)?.code == .connectionRefused }
    }

    private func printStart(_ port: Int) throws {
        guard !options.json else { return }
        let names = selected.map(\.rawValue).joined(separator: " and ")
        let target = forwardTo.map { ", forwarding to \($0.printable)" } ?? ""
        try Output.send("listening to \(names) on port \(port)\(target); Ctrl-C stops it")
    }
}
