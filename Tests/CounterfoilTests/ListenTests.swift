import AppStoreServer
import Basics
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import StoreSimulator
import TestSupport
import Testing

@Suite struct `simulator listen` {
    /// Calls `body` with a running listener, a function that returns its next line, its port and the folder of the
    /// simulator.
    private func withListener(
        _ options: [String] = [],
        _ body: (RunningCommand, () async -> String?, _ port: String, _ store: URL) async throws -> Void
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            try await RunningCommand.withSimulator(in: folder) { store, _ in
                let listener = try await RunningCommand(
                    ["simulator", "listen", "--simulator", store.path] + options, state: folder.appending(path: "state")
                )
                defer { listener.kill() }
                // One stream can be read in several steps: each takes the lines after those that were read.
                func nextLine() async -> String? { await listener.lines.first { _ in true } }
                let start = try #require(await nextLine())
                let port = try #require(start.firstMatch(of: #/port (\d+)/#)?.1)
                try await body(listener, nextLine, String(port), store)
            }
        }
    }

    /// After a reset the identifiers repeat.
    @Test func `A listener names the customer of a notification after a reset, too`() async throws {
        try await withListener { listener, nextLine, _, store in
            var identifiers: Set<String> = []
            for customer in ["anna", "ben"] {
                let bought = try await Command.run(
                    ["simulator", "buy", customer, "premium.monthly", "--simulator", store.path, "--json"]
                ).object()
                let notifications = try #require(bought["notifications"] as? [[String: Any]])
                identifiers.insert(try #require(notifications.first?["notificationUUID"] as? String))
                let next = await nextLine()
                let line = try #require(next)
                #expect(line.contains("  \(customer)/com.example.premium.monthly  "), "\(line)")
                let reset = try await Command.run(["simulator", "reset", "--simulator", store.path])
                #expect(reset.status == 0, "\(reset.errors)")
            }
            #expect(identifiers.count == 1)
            listener.interrupt()
            #expect(await listener.end() == 0)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `A refused body is not the notification for which a listener waits`() async throws {
        try await withListener(["--count", "1"]) { listener, nextLine, port, store in
            let refused = try await AsyncHTTPClientTransport().send(
                HTTPTransportRequest(
                    method: "POST", url: "http://127.0.0.1:\(port)/production",
                    body: Data(repeating: UInt8(ascii: " "), count: (1 << 20) + 1), timeout: .seconds(600)))
            #expect(refused.status == 413)
            let bought = try await Command.run(
                ["simulator", "buy", "anna", "premium.monthly", "--simulator", store.path])
            #expect(bought.status == 0, "\(bought.errors)")
            try await waitUntil("the listener has ended") { !listener.isRunning }
            let line = await nextLine()
            #expect(line?.contains("anna/com.example.premium.monthly") == true)
            #expect(await listener.end() == 0)
        }
    }

    /// The listener reaches the simulator through a proxy that refuses to change the sandbox.
    @Test func `A listener that cannot set all notification URLs restores those that it has set`() async throws {
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(Date(timeIntervalSince1970: 1_767_258_000))
        configuration.production.notificationURL = "http://127.0.0.1:1/before"
        let simulator = try await Simulator.start(configuration)
        try await withCleanup({ await simulator.stop() }) {
            let origin = String(simulator.information.controlURL.dropLast("/simulator".count))
            let proxy = try await LoopbackService(
                CallbackResponder<BasicRequestContext> { request, _ in
                    guard request.uri.path != "/simulator/sandbox/notification-url" else {
                        return Response(status: .serviceUnavailable)
                    }
                    let body = Data(try await request.body.collect(upTo: 1 << 20).readableBytesView)
                    let answer = try await AsyncHTTPClientTransport().send(
                        HTTPTransportRequest(
                            method: request.method.rawValue, url: origin + request.uri.path,
                            headers: body.isEmpty ? [] : [("Content-Type", "application/json")],
                            body: body.isEmpty ? nil : body, timeout: .seconds(600)))
                    return Response(
                        status: .init(code: answer.status),
                        body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
                }, label: "proxy")
            try await proxy.whileRunning {
                try await Tool.inTemporaryFolder { folder in
                    var information = simulator.information
                    information.controlURL = "http://127.0.0.1:\(proxy.port)/simulator"
                    try JSONEncoder().encode(information).write(to: folder.appending(path: "simulator.json"))
                    let outcome = try await Command.run(["simulator", "listen", "--simulator", folder.path])
                    #expect(outcome.status == 1 && outcome.errors.contains("http_503"), "\(outcome.errors)")
                }
            }
            #expect(simulator.settings(of: .production).notificationURL == "http://127.0.0.1:1/before")
        }
    }
}
