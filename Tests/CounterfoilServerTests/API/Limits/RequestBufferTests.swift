import Basics
import CounterfoilServer
import Foundation
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

/// The memory and connections that clients without a key can occupy.
@Suite(.timeLimit(.minutes(10))) struct `Request bodies` {
    /// Runs a server that trusts a proxy on loopback, so that a test can act as many clients.
    private static func run(_ bytes: Int, buffered: Int, _ body: (World) async throws -> Void) async throws {
        try await World.withAPI(
            server: { configuration in
                configuration.listen.trustedProxies = Network.loopback
                // Without a shared secret the server does not wait for the body of a receipt.
                for index in configuration.apps.indices { configuration.apps[index].sharedSecrets = [Secret("held")] }
                configuration.limits.requestBytes = bytes
                configuration.limits.bufferedBytes = buffered
            }, body)
    }

    /// Sends a request as a client at the given address, without the last byte of the body.
    private static func hold(_ world: World, _ client: String, bytes: Int) throws -> RawConnection {
        let connection = try RawConnection(url: world.url)
        connection.send(
            "POST /verifyReceipt HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: \(client)\r\nConnection: close\r\n"
                + "Content-Length: \(bytes)\r\n\r\n{" + String(repeating: " ", count: bytes - 2))
        return connection
    }

    /// Waits until the server buffers exactly this many bytes of request bodies.
    private static func wait(for bytes: Int, _ world: World) async throws {
        let metrics = try world.server.core.metrics
        let line = "\ncounterfoil_http_body_bytes \(bytes)\n"
        try await waitUntil("the server buffers \(bytes) bytes") { await metrics.text()?.contains(line) == true }
    }

    @Test(.timeLimit(.minutes(10)))
    func `Request bodies above the total buffer limit are answered with 503 and Retry-After`() async throws {
        try await Self.run(100_000, buffered: 400_000) { world in
            var held: [RawConnection] = []
            for index in 1...4 {
                held.append(try Self.hold(world, "10.0.0.\(index)", bytes: 90_001))
                try await Self.wait(for: 90_000 * index, world)
            }
            let refused = await (try Self.hold(world, "10.0.0.5", bytes: 90_001)).read()
            #expect(refused.hasPrefix("HTTP/1.1 503"), "\(refused.prefix(300))")
            #expect(refused.contains(#""code":"overloaded""#))
            #expect(refused.lowercased().contains("\r\nretry-after: 1\r\n"))
            // The refused request's bytes are free again, and small requests fit.
            try await Self.wait(for: 360_000, world)
            let small = try await world.api.send("POST", "/apple/notifications", body: Data("{}".utf8))
            #expect(small.status == 400)
            for connection in held {
                connection.send("}")
                #expect(await connection.read().hasPrefix("HTTP/1.1 200"))
            }
            try await Self.wait(for: 0, world)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `The bodies of one client occupy at most a quarter of the buffer`()
        async throws
    {
        try await Self.run(10_000, buffered: 400_000) { world in
            var held: [RawConnection] = []
            for index in 1...10 {
                // All addresses of an IPv6 /64 count as one client.
                held.append(try Self.hold(world, "2001:db8:0:1::\(index)", bytes: 10_000))
                try await Self.wait(for: 9_999 * index, world)
            }
            let refused = await (try Self.hold(world, "2001:db8:0:1:ffff::1", bytes: 10_000)).read()
            #expect(refused.hasPrefix("HTTP/1.1 503"), "\(refused.prefix(300))")
            let other = try Self.hold(world, "2001:db8:0:2::1", bytes: 10_000)
            try await Self.wait(for: 9_999 * 11, world)
            other.send("}")
            #expect(await other.read().hasPrefix("HTTP/1.1 200"))
            #expect(held.allSatisfy { !$0.isClosed })
        }
    }

    @Test func `A request whose Content-Length exceeds the limit is refused before its body arrives`() async throws {
        let operations: [(name: String, maximum: Int)] = [
            ("POST /apple/notifications", 1 << 20), ("POST /apple/retention", 64 << 10),
            ("POST /verifyReceipt", 4 << 20), ("POST /v1/customers/anna/purchases", 4 << 20),
            ("POST /v1/customers/anna/usage", 16 << 10), ("POST /v1/customers/anna/offers/promotional", 16 << 10),
            ("POST /v1/customers/anna/offers/introductory", 16 << 10), ("POST /v1/webhooks", 64 << 10),
            ("POST /v1/recoveries", 64 << 10),
        ]
        try await World.withAPI { world in
            for (operation, maximum) in operations {
                let answer = await (try Self.sendHead(world, operation, length: maximum + 1, key: TestAPIClient.key))
                    .read()
                #expect(answer.hasPrefix("HTTP/1.1 413"), "\(operation): \(answer.prefix(200))")
                #expect(answer.contains(#""code":"too_large""#), "\(operation)")
            }
        }
    }

    @Test(arguments: [
        ("HTTP/1.1\r\n", 400), ("HTTP/1.1\r\nHost: x\r\nHost: y\r\n", 400), ("HTTP/1.0\r\nHost: x\r\nhost: x\r\n", 400),
        ("HTTP/1.1\r\nHost: x\r\n", 200), ("HTTP/1.0\r\n", 200),
    ])
    func `A request of HTTP 1.1 must have exactly one Host`(head: String, status: Int) async throws {
        try await World.run { world in
            let connection = try RawConnection(url: world.url)
            let next = "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            connection.send("GET /health/live \(head)Connection: close\r\n\r\n" + next)
            let answer = await connection.read()
            #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
            // Nothing is read after a refused request.
            #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(answer)")
        }
    }

    @Test func `A chunked request is refused when its body exceeds the limit`() async throws {
        try await World.withAPI { world in
            let connection = try RawConnection(url: world.url)
            connection.send(
                "POST /v1/customers/anna/usage HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(TestAPIClient.key)\r\n"
                    + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "4001\r\n" + String(repeating: " ", count: 0x4001) + "\r\n0\r\n\r\n")
            let answer = await connection.read()
            #expect(answer.hasPrefix("HTTP/1.1 413"), "\(answer.prefix(200))")
            #expect(answer.contains(#""code":"too_large""#))
        }
    }

    @Test func `A request without a valid key is refused before its body arrives`() async throws {
        try await World.withAPI { world in
            let operations = try world.server.operations.filter { operation in
                operation.contains(" /v1/") && ["POST", "PATCH", "PUT"].contains { operation.hasPrefix($0) }
            }
            #expect(operations.count >= 8)
            for operation in operations.sorted() {
                let target = operation.replacing(/\{[a-z]+\}/, with: "x")
                for (key, status) in [(nil, 401), ("cfk_nobody", 401), (TestAPIClient.readerKey, 403)] {
                    let answer = await (try Self.sendHead(world, target, length: 1000, key: key)).read()
                    #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(operation): \(answer.prefix(100))")
                }
            }
        }
    }

    /// Sends the head of a request without the body.
    private static func sendHead(
        _ world: World, _ target: String, length: Int, key: String?
    ) throws -> RawConnection {
        let connection = try RawConnection(url: world.url)
        let authorization = key.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        connection.send(
            "\(target) HTTP/1.1\r\nHost: x\r\n\(authorization)Connection: close\r\nContent-Length: \(length)\r\n\r\n")
        return connection
    }
}

@Suite struct `Connection limit per address` {
    @Test(.timeLimit(.minutes(10))) func `Connections above the limit per address are closed at once`() async throws {
        let lines = LogCapture()
        try await World.run(
            server: { $0.limits.connectionsPerAddress = 3 }, logger: lines.logger(.init())
        ) { world in
            var open = try await Self.connect(3, world)
            let refused = try RawConnection(url: world.url)
            #expect(await refused.read().isEmpty)
            #expect(refused.isClosed)
            let metrics = try world.server.core.metrics
            #expect(await metrics.text()?.contains("\ncounterfoil_http_connections_refused_total 1\n") == true)
            #expect(lines.count(of: "an address has too many connections") == 1 && lines.text.contains("127.0.0.1"))
            // Closing one connection makes room for another.
            open.removeLast()
            var next = ""
            while next.isEmpty {
                try Task.checkCancellation()
                next = await (try Self.requestHealth(world)).read()
            }
            #expect(next.hasPrefix("HTTP/1.1 200"))
            #expect(open.count == 2)
        }
    }

    @Test func `Connections of trusted proxies do not count against the limit per address`() async throws {
        try await World.run(server: { configuration in
            configuration.limits.connectionsPerAddress = 3
            configuration.listen.trustedProxies = Network.loopback
        }) { world in
            let open = try await Self.connect(10, world)
            #expect(await (try Self.requestHealth(world)).read().hasPrefix("HTTP/1.1 200"))
            #expect(open.count == 10)
        }
    }

    /// Opens connections that the server has accepted and that stay open.
    private static func connect(_ count: Int, _ world: World) async throws -> [RawConnection] {
        let connections = try (0..<count).map { _ in try RawConnection(url: world.url) }
        for connection in connections {
            connection.send("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await connection.readSome().hasPrefix("HTTP/1.1 200"))
        }
        return connections
    }

    private static func requestHealth(_ world: World) throws -> RawConnection {
        let connection = try RawConnection(url: world.url)
        connection.send("GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        return connection
    }
}
