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

@Suite(.timeLimit(.minutes(10))) struct `simulator listen` {
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

    @Test(arguments: [true, false])
    func `A listener restores the URL of an earlier one only if that still runs`(_ endsFirst: Bool) async throws {
        try await withListener { first, _, port, store in
            let errors = store.deletingLastPathComponent().appending(path: "errors")
            let second = try await ChildProcess(
                Tool.executable(), ["simulator", "listen", "--simulator", store.path], environment: ["TERM": "dumb"],
                errors: errors)
            defer { second.send(SIGKILL) }
            for await _ in second.lines { break }
            if endsFirst {
                first.interrupt()
                #expect(await first.end() == 0)
            }
            second.send(SIGINT)
            #expect(await second.end() == 0)
            let notes = try String(contentsOf: errors, encoding: .utf8)
            for environment in ["production", "sandbox"] {
                let answer = try await Command.run([
                    "simulator", "notifications", "--environment", environment, "--simulator", store.path, "--json",
                ]).object()
                let url = "http://127.0.0.1:\(port)/\(environment)"
                #expect(answer["url"] as? String == (endsFirst ? nil : url))
                let note = "note: \(environment) has no notification URL: nothing listens at \(url)\n"
                #expect(notes.contains(note) == endsFirst, "\(notes)")
            }
        }
    }

    /// Calls `body` with the folder of a simulator that is reached through a proxy. Returns the notification URL
    /// afterwards.
    ///
    /// - Parameter respond: Responds to a request to the simulator.
    private func urlAfterListening(
        through respond: @escaping @Sendable (HTTPTransportRequest) async throws -> HTTPTransportResponse,
        _ body: (URL) async throws -> Void
    ) async throws -> String? {
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(Date(timeIntervalSince1970: 1_767_258_000))
        configuration.production.notificationURL = "http://127.0.0.1:1/before"
        let simulator = try await Simulator.start(configuration)
        return try await withCleanup({ await simulator.stop() }) {
            let origin = String(simulator.information.controlURL.dropLast("/simulator".count))
            let proxy = try await LoopbackService(
                CallbackResponder<BasicRequestContext> { request, _ in
                    let body = Data(try await request.body.collect(upTo: 1 << 20).readableBytesView)
                    let sent = HTTPTransportRequest(
                        method: request.method.rawValue, url: origin + request.uri.path,
                        headers: body.isEmpty ? [] : [("Content-Type", "application/json")],
                        body: body.isEmpty ? nil : body, timeout: .seconds(600))
                    let answer = try await uncancelled { try await respond(sent) }
                    return Response(
                        status: .init(code: answer.status),
                        body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
                }, label: "proxy")
            try await proxy.whileRunning {
                try await Tool.inTemporaryFolder { folder in
                    var information = simulator.information
                    information.controlURL = "http://127.0.0.1:\(proxy.port)/simulator"
                    try JSONEncoder().encode(information).write(to: folder.appending(path: "simulator.json"))
                    try await body(folder)
                }
            }
            return simulator.settings(of: .production).notificationURL
        }
    }

    @Test func `A listener that cannot set all notification URLs restores those that it has set`() async throws {
        let url = try await urlAfterListening { request in
            if request.url.hasSuffix("/sandbox/notification-url") { return HTTPTransportResponse(status: 503) }
            return try await AsyncHTTPClientTransport().send(request)
        } _: { folder in
            let outcome = try await Command.run(["simulator", "listen", "--simulator", folder.path])
            #expect(outcome.status == 1 && outcome.errors.contains("http_503"), "\(outcome.errors)")
        }
        #expect(url == "http://127.0.0.1:1/before")
    }

    /// The first change of the URL is held up until the listener has read the URL to restore it. A listener that waits
    /// for the change does not read it; then the change is held up for a second.
    @Test func `A listener that is interrupted while it sets a notification URL restores the previous one`()
        async throws
    {
        let (changes, changing) = AsyncStream.makeStream(of: Void.self)
        let (ends, ended) = AsyncStream.makeStream(of: Void.self)
        // Without a buffer: what the listener reads before the change does not count.
        let (readings, read) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(0))
        let url = try await urlAfterListening { request in
            let isChange = request.url.hasSuffix("/production/notification-url")
            if isChange {
                changing.yield()
                _ = try await TimeLimit.run(.seconds(1)) { for await _ in readings { return } }
            }
            let answer = try await AsyncHTTPClientTransport().send(request)
            if isChange { ended.yield() }
            if request.url.hasSuffix("/production/settings") { read.yield() }
            return answer
        } _: { folder in
            let listener = try await RunningCommand(
                ["simulator", "listen", "--simulator", folder.path], state: folder.appending(path: "state"))
            defer { listener.kill() }
            for await _ in changes { break }
            listener.interrupt()
            for await _ in ends { break }
            #expect(await listener.end() == 0)
        }
        #expect(url == "http://127.0.0.1:1/before")
    }
}
