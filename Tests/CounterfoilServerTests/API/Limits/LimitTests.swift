import Basics
import Foundation
import HTTPTypes
import Hummingbird
import StoreSimulator
import Testing

@testable import CounterfoilServer
@testable import LedgerServices

@Suite struct `Limits` {
    @Test func `A rate meter allows its rate in each second, in a burst or evenly`() {
        let meter = RateMeter(perSecond: 4)
        #expect((0..<5).map { _ in meter.take(at: 1000) } == [nil, nil, nil, nil, 251])
        let quarter: Int64 = 250_000_000
        #expect(meter.take(at: 1000 + quarter - 1) != nil)
        #expect(meter.take(at: 1000 + quarter) == nil)
        #expect(meter.take(at: 1000 + quarter) != nil)
        for number in Int64(10)..<100 { #expect(meter.take(at: number * quarter) == nil) }
        // After a pause the burst is one second's worth.
        #expect((0..<6).map { _ in meter.take(at: 1000 * quarter) == nil }.filter { $0 }.count == 4)
    }

    @Test func `A rate meter of an hour allows its rate in each hour, in a burst or evenly`() {
        let meter = RateMeter(perHour: 4)
        #expect((0..<5).map { _ in meter.take(at: 1000) } == [nil, nil, nil, nil, 900_001])
        let quarter: Int64 = 900_000_000_000
        #expect(meter.take(at: 1000 + quarter - 1) != nil)
        #expect(meter.take(at: 1000 + quarter) == nil)
        #expect((0..<6).map { _ in meter.take(at: 1000 * quarter) == nil }.filter { $0 }.count == 4)
    }

    @Test func `Charged tokens delay later requests`() {
        let meter = RateMeter(perSecond: 4)
        meter.charge(0, at: 1000)
        meter.charge(8, at: 1000)
        #expect(meter.take(at: 1000) == 1251)
        #expect(meter.take(at: 1000 + 1_250_000_000) == nil)
        #expect(meter.take(at: 1000 + 1_250_000_000) == 251)
    }

    @Test func `Each KiB of a refused receipt counts as a forged text`() async throws {
        try await World.withAPI { world in
            var report = PurchaseReport()
            report.receipt = String(repeating: "A", count: 1 << 20)
            var forged = 0
            do {
                _ = try await world.server.core.purchaseVerifier.verify(report, forged: &forged)
                Issue.record("the receipt was accepted")
            } catch let error as ServiceFailure { #expect(error.code == "malformed_receipt") }
            #expect(forged == 1024)
        }
    }

    @Test func `A customer who reports forged transactions is rate limited, and others are not`() async throws {
        // The rate is low: the cost of one request is over soon, that of 500 verifications is not.
        try await World.withAPI(server: { $0.limits.requestsPerSecondOfCustomer = 1 }) { world in
            let outcome = try await world.simulator.perform(.purchase(customer: "anna", product: "com.example.unlock"))
            let transaction = try #require(outcome.transactionID)
            let text = try #require(try await world.signedTransactions(of: transaction).first)
            let parts = text.split(separator: ".")
            try #require(parts.count == 3)
            let forged = (0..<500).map { number -> String in
                let payload = Base64.encodeURL(Array(#"{"transactionId":"\#(number)"}"#.utf8))
                return "\(parts[0]).\(payload).\(parts[2])"
            }
            let now = Int64(world.simulator.now.timeIntervalSince1970)
            let app = TestAPIClient(
                url: world.url, key: TestAPIClient.publicKey,
                token: TestAPIClient.token(claims: #"{"sub":"anna","iat":\#(now),"exp":\#(now + 3600)}"#))
            let path = "/v1/customers/anna/purchases"
            var backoff = 0
            // Repeated, because on a busy machine the next request may arrive when the cost is over.
            for _ in 0..<20 where backoff <= 2000 {
                let answer = try await app.post(path, ["signed_transactions": forged])
                let isForgery = answer.status == 400 && answer.code == "bad_signature"
                #expect(isForgery || answer.status == 429, "\(answer.text)")
                let next = try await app.get("/v1/customers/anna")
                if isForgery, next.status == 429 { backoff = next["backoff_ms"] as? Int ?? 0 }
            }
            #expect(backoff > 2000)
            let backend = try await world.api.get("/v1/customers/anna?environment=Sandbox")
            #expect(backend.status == 200, "\(backend.text)")
        }
    }

    @Test func `A key above its rate limit is answered with 429 and the time to wait`() async throws {
        try await World.withAPI(server: { $0.limits.requestsPerSecond = 2 }) { world in
            let refused = try await Self.firstRefusal(world.api)
            #expect(refused["code"] as? String == "rate_limited")
            #expect(refused["retryable"] as? Bool == true)
            #expect(refused["backoff_ms"] as? Int ?? 0 > 0)
            #expect(refused.headers["retry-after"] == "1")
            // Each key has its own limit.
            var other = world.api
            other.key = TestAPIClient.readerKey
            #expect(try await other.get("/v1/customers/anna?environment=Sandbox").status == 200)
        }
    }

    /// Sends bursts of requests until one is refused. Repeats them, because a busy machine may be too slow for the
    /// limit.
    private static func firstRefusal(_ api: TestAPIClient) async throws -> TestAPIClient.Response {
        for _ in 0..<100 {
            let answers = try await withThrowingTaskGroup(of: TestAPIClient.Response.self) { group in
                for _ in 0..<20 { group.addTask { try await api.get("/v1/customers/anna") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            if let refused = answers.first(where: { $0.status != 200 }) { return refused }
        }
        return try #require(nil, "no request was refused")
    }

    @Test func `A request body above the limit is answered with 413`() async throws {
        try await World.withAPI(server: { $0.limits.requestBytes = 2000 }) { world in
            let large = Data(repeating: UInt8(ascii: " "), count: 2001)
            #expect(try await world.api.send("POST", "/apple/notifications", body: large).status == 413)
            let small = try await world.api.send("POST", "/apple/notifications", body: large.prefix(2000))
            #expect(small.status == 400)
            #expect(small["code"] as? String == "bad_json")
        }
        try await World.withAPI { world in
            // The limit for notifications of version 1 is 1 MiB.
            let large = Data(repeating: UInt8(ascii: " "), count: (1 << 20) + 1)
            let answer = try await world.api.send("POST", "/apple/notifications", body: large)
            #expect(answer.status == 413)
            #expect(answer["code"] as? String == "too_large")
            #expect((answer["message"] as? String)?.contains("limit of 1048576 bytes") == true, "\(answer.text)")
        }
    }

    @Test func `A request with several Content-Length values is answered with 400`() async throws {
        try await World.withAPI(server: { $0.limits.requestBytes = 2000 }) { world in
            let body = "{}" + String(repeating: " ", count: 2998)
            for lengths in ["2\r\nContent-Length: 3000", "3000\r\nContent-Length: 2", "2, 3000", "3000, 2"] {
                let connection = try RawConnection(url: world.url)
                connection.send(
                    "POST /apple/notifications HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                        + "Content-Length: \(lengths)\r\n\r\n" + body)
                let answer = await connection.read()
                #expect(answer.hasPrefix("HTTP/1.1 400"), "\(lengths): \(answer.prefix(200))")
                #expect(!answer.contains("bad_json"), "\(lengths): the body was read")
            }
        }
    }

    @Test func `A request above the time limit is answered with 503 and logged once`() async throws {
        let lines = LogCapture()
        try await World.run(
            server: {
                TestAPIClient.configure(&$0)
                $0.limits.requestTimeout = .milliseconds(500)
            }, logger: lines.logger(.init())
        ) { world in
            let paths = ["/apple/notifications", "/v1/sessions", "/v1/customers/anna/purchases"]
            // The bodies never arrive.
            let connections = try paths.map { path in
                let connection = try RawConnection(url: world.url)
                connection.send(
                    "POST \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(TestAPIClient.key)\r\n"
                        + "Content-Length: 100\r\n\r\n{")
                return connection
            }
            for (path, connection) in zip(paths, connections) {
                let answer = await connection.read()
                #expect(answer.hasPrefix("HTTP/1.1 503"), "\(path)")
                #expect(answer.contains(#""code":"timeout""#), "\(path)")
                let route = "route=\(path.replacing("anna", with: "{id}"))"
                let logged = lines.text.split(separator: "\n").filter {
                    $0.contains("request failed") && $0.contains(route)
                }
                #expect(
                    logged.count == 1 && logged[0].contains(#"reason="timeout: The request exceeded the time limit"#),
                    "\(path): \(logged)")
            }
            #expect(try await world.api.get("/v1/customers/anna").status == 200)
        }
    }

    @Test(arguments: [
        ("GET", "/v1/customers/anna", "/v1/customers/{id}", false), ("GET", "/health/live", "/health/live", false),
        ("GET", "/v1/customers/anna?at=2026-01-01T00:00:00Z", "/v1/customers/{id}", true),
        ("DELETE", "/v1/customers/anna", "/v1/customers/{id}", true), ("GET", "/health/ready", "/health/ready", true),
        ("POST", "/v1/customers/anna/purchases", "/v1/customers/{id}/purchases", true), ("GET", "/else", "none", true),
    ])
    func `The time limit applies to requests that may wait`(
        method: String, target: String, route: String, isWatched: Bool
    ) throws {
        let head = HTTPRequest(
            method: try #require(.init(method)), scheme: nil, authority: nil, path: target)
        #expect(RequestTimeLimit.mayWait(Request(head: head, body: .init(buffer: .init())), on: route) == isWatched)
    }

    @Test(.timeLimit(.minutes(10))) func `Slow, incomplete and idle connections are closed`() async throws {
        try await World.withAPI(server: {
            $0.limits.sendingTime = .milliseconds(150)
            $0.limits.idleTime = .milliseconds(300)
        }) { world in
            let beginnings = [
                "", "GET /health/li", "GET /health/live HTTP/1.1\r\nHost: x\r\nX-A: ",
                "POST /apple/notifications HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
                "POST /apple/notifications HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
            ]
            for beginning in beginnings {
                let connection = try RawConnection(url: world.url)
                connection.send(beginning)
                _ = await connection.read()
                #expect(connection.isClosed, "\(beginning)")
            }
            // Sending one byte at a time does not extend the limit: at this rate the request would take a minute.
            let connection = try RawConnection(url: world.url)
            let header = "X-Long: " + String(repeating: "0", count: 3000)
            await connection.drip("GET /health/live HTTP/1.1\r\nHost: x\r\n\(header)\r\n\r\n", every: 20)
            #expect(await connection.read().isEmpty)
            #expect(connection.isClosed)
            for isHalfClosed in [false, true] {
                let (answer, isClosed) = try await Self.health(world, isHalfClosed: isHalfClosed)
                #expect(answer.hasPrefix("HTTP/1.1 200") && isClosed)
            }
        }
    }

    /// Sends one request, and closes the sending side if `isHalfClosed`. Returns the answer, and whether the server has
    /// closed the connection, which is idle or half closed after the answer.
    private static func health(_ world: World, isHalfClosed: Bool) async throws -> (answer: String, isClosed: Bool) {
        while true {
            try Task.checkCancellation()
            let connection = try RawConnection(url: world.url)
            connection.send("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
            if isHalfClosed { connection.finishSending() }
            let answer = await connection.read()
            // On a busy machine the limit may be exceeded before the request is sent.
            if !answer.isEmpty { return (answer, connection.isClosed) }
        }
    }

    @Test(arguments: [
        ("HTTP/1.0\r\n", 1), ("HTTP/1.0\r\nConnection: keep-alive\r\n", 2), ("HTTP/1.1\r\nHost: x\r\n", 2),
        ("HTTP/1.1\r\nHost: x\r\nConnection: Close\r\n", 1),
        ("HTTP/1.1\r\nHost: x\r\nConnection: TE, close\r\n", 1),
    ])
    func `A connection is closed after its last request as HTTP defines it`(head: String, count: Int) async throws {
        try await World.withAPI { world in
            let connection = try RawConnection(url: world.url)
            // A server that keeps the connection open answers this one too, if only with 400.
            let last = "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            connection.send("GET /health/live \(head)\r\n" + last)
            let answer = await connection.read()
            #expect(answer.components(separatedBy: "HTTP/1.1 ").count - 1 == count, "\(answer)")
            #expect(connection.isClosed)
        }
    }

    @Test func `A limit of connections that stays nearly reached is logged once, and so is its end`() {
        let lines = LogCapture()
        var limit = ConnectionLimit(8, lines.logger(ServerConfiguration.Log()))
        for _ in 0..<8 { limit.connectionOpened() }
        for _ in 0..<5 {
            #expect(!limit.isAcceptingNewConnections())
            limit.connectionClosed()
            #expect(limit.isAcceptingNewConnections())
            limit.connectionOpened()
        }
        #expect(lines.count(of: "no more connections can be open") == 1)
        #expect(!lines.text.contains("can be opened again"))
        for _ in 0..<8 { limit.connectionClosed() }
        #expect(lines.count(of: "no more connections can be open") == 1)
        #expect(lines.count(of: "can be opened again") == 1)
    }

    /// Each of them could have all connections that the limit of open files allows, and a process that has no descriptor
    /// left ends.
    @Test func `A console at its own address and the API share the connections`() {
        var configuration = ServerConfiguration(apps: [])
        configuration.console.isEnabled = true
        let all = HTTPService.connections(configuration, ofConsole: false)
        configuration.console.listen = ServerConfiguration.Console.Address()
        let shares = [false, true].map { HTTPService.connections(configuration, ofConsole: $0) }
        #expect(shares.allSatisfy { $0 > 0 } && shares.reduce(0, +) == all, "\(shares) of \(all)")
    }

    @Test(.timeLimit(.minutes(10))) func `Connections above the limit wait until others are closed`() async throws {
        let lines = LogCapture()
        try await World.run(
            server: {
                TestAPIClient.configure(&$0)
                $0.limits.connections = 4
                $0.limits.sendingTime = .seconds(2)
            }, logger: lines.logger(.init())
        ) { world in
            let idle = try (0..<6).map { _ in try RawConnection(url: world.url) }
            // Connections above the limit wait, and so does this request; none is refused.
            #expect(try await Self.health(world, isHalfClosed: true).answer.hasPrefix("HTTP/1.1 200"))
            for connection in idle { _ = await connection.read() }
            #expect(idle.allSatisfy { $0.isClosed })
            #expect(lines.text.contains("no more connections can be open"), "\(lines.text)")
        }
    }
}
