import CounterfoilClient
import CounterfoilClientTesting
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A simulated App Store and a server, each in a process of its own, on the simulator's clock.
package actor StoreAndServer {
    package static let publicKey = "cfk_shipped-in-the-app-of-the-tests"
    static let backendKey = "cfk_of-the-backend-of-the-tests"
    package static let start = Date(timeIntervalSince1970: 1_767_225_600)

    package nonisolated let control: URL
    package nonisolated let server: URL
    package private(set) var now = start
    private nonisolated let folder: URL
    private let simulator: RunningProcess
    private var process: RunningProcess?

    /// An unexpected answer.
    package struct Unexpected: Error, CustomStringConvertible { package let description: String }

    private struct Information: Decodable {
        var baseURLs: [String: String]
        var controlURL: URL
        var issuerId: String
        var keyId: String
        var privateKey: String
        var bundleId: String
        var appAppleId: Int64
        var rootCertificates: [String]
    }
    private struct Serving: Decodable { var url: URL }

    /// Starts both, and sets the simulator's notification URL to the server.
    package init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("end-to-end-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let date = ISO8601DateFormatter().string(from: Self.start)
        simulator = try await RunningProcess(
            ["simulator", "--clock", "frozen:\(date)", "--directory", folder.appendingPathComponent("store").path],
            log: folder.appendingPathComponent("simulator.log"))
        let information = try JSONDecoder().decode(Information.self, from: simulator.line)
        control = information.controlURL.deletingLastPathComponent()
        try Self.configuration(information, in: folder).write(
            to: folder.appendingPathComponent("counterfoil.yaml"), atomically: true, encoding: .utf8)
        let answerKey = Data(repeating: 7, count: 32).base64EncodedString()
        for (name, secret) in [("secret.txt", CustomerToken.secret), ("answers.txt", answerKey)] {
            let file = folder.appendingPathComponent(name)
            try secret.write(to: file, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }
        let process = try await Self.serve(in: folder, port: 0)
        self.process = process
        server = try JSONDecoder().decode(Serving.self, from: process.line).url
        // The clock stands still while the server sends requests, so an hour's quota would never refill.
        var settings = try await object("GET", "production/settings")
        settings["enforcesRateLimits"] = .bool(false)
        settings["gracePeriod"] = .text("sixteenDays")
        // On a busy machine the server may need more than five seconds to acknowledge a notification.
        settings["deliveryTimeout"] = .number(120)
        settings["notificationURL"] = .text(server.appendingPathComponent("apple/notifications").absoluteString)
        let body = try JSONEncoder().encode(settings)
        _ = try await send("PUT", "production/settings", String(decoding: body, as: UTF8.self))
    }

    private static func configuration(_ information: Information, in folder: URL) -> String {
        let roots = information.rootCertificates.map { "\"\($0)\"" }.joined(separator: ", ")
        return """
            apps:
              - bundle_id: "\(information.bundleId)"
                apple_id: \(information.appAppleId)
                key:
                  issuer_id: "\(information.issuerId)"
                  key_id: "\(information.keyId)"
                  private_key: {file: "\(information.privateKey)"}
                base_urls:
                  production: "\(information.baseURLs["production"] ?? "")"
                  sandbox: "\(information.baseURLs["sandbox"] ?? "")"
                entitlements:
                  premium: [com.example.premium.monthly, com.example.premium.weekly, com.example.unlock]
                  basic: [com.example.basic.monthly]
                  season: [com.example.season.pass]
                products:
                  "com.example.season.pass": {duration: P90D}
                customer_token_secret: {file: secret.txt}
                answer_key: {file: answers.txt}
            listen: {host: 127.0.0.1, port: 0}
            keys:
              - {name: backend, secret: {environment: BACKEND_KEY}, scopes: [all]}
              - name: app
                secret: {environment: PUBLIC_KEY}
                scopes: [customers:read, customers:write, offers:sign]
                public: true
            storage: {path: counterfoil.sqlite, synchronous: normal}
            trust: {anchors: [\(roots)], receipts: [\(roots)], revocation: off}
            recovery: {enabled: false}
            log: {level: error}
            clock: "\(information.controlURL.absoluteString)"

            """
    }

    private static func serve(in folder: URL, port: Int) async throws -> RunningProcess {
        try await RunningProcess(
            ["server", "run", "--config", folder.appendingPathComponent("counterfoil.yaml").path, "--port", "\(port)"],
            environment: ["BACKEND_KEY": backendKey, "PUBLIC_KEY": publicKey],
            log: folder.appendingPathComponent("server.log"))
    }

    /// Stops both.
    package func stop() async {
        await process?.stop()
        await simulator.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    // MARK: - The server

    /// Kills the server, like a power cut.
    package func killServer() async {
        await process?.kill()
        process = nil
    }

    /// Starts the server at its former port, unless it runs.
    package func startServer() async throws {
        guard process == nil else { return }
        process = try await Self.serve(in: folder, port: server.port ?? 0)
    }

    /// The server's answer to a backend about a customer, now or at an instant.
    package func customer(_ name: String, at instant: Date? = nil) async throws -> [String: Value] {
        let at = instant.map { URLQueryItem(name: "at", value: String($0.milliseconds)) }
        return try await call(name, query: [at].compactMap { $0 })
    }

    /// The customer's timeline on the server.
    package func timeline(of name: String) async throws -> [Value] {
        var items: [Value] = []
        var next: String? = ""
        while let cursor = next {
            var query = [URLQueryItem(name: "limit", value: "100")]
            if !cursor.isEmpty { query.append(URLQueryItem(name: "page", value: cursor)) }
            let page = try await call("\(name)/timeline", query: query)
            items += page["items"]?.list ?? []
            next = page["next_page"]?.string
        }
        return items
    }

    /// Grants an entitlement without a purchase.
    package func grant(_ entitlement: String, to name: String, until end: Date) async throws {
        let grant: [String: Value] = [
            "entitlement": .text(entitlement), "until": .number(Double(end.milliseconds)), "reason": .text("a test"),
            "actor": .text("support"),
        ]
        _ = try await call("\(name)/grants", body: try JSONEncoder().encode(grant))
    }

    /// Calls the server about a customer, with the backend's key.
    private func call(_ path: String, query: [URLQueryItem] = [], body: Data? = nil) async throws -> [String: Value] {
        let url = server.appendingPathComponent("v1/customers").appendingPathComponent(path)
        var address = URLComponents(url: url, resolvingAgainstBaseURL: false)
        if !query.isEmpty { address?.queryItems = query }
        var request = URLRequest(url: address?.url ?? url)
        request.setValue("Bearer \(Self.backendKey)", forHTTPHeaderField: "Authorization")
        if let body {
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = body
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else {
            throw Unexpected(description: "\(url): \(status) \(String(decoding: data, as: UTF8.self))")
        }
        return try JSONDecoder().decode([String: Value].self, from: data)
    }

    // MARK: - The store

    /// Runs a command, as JSON, in the store. The store may refuse it.
    ///
    /// - Returns: Whether the store accepted the command.
    @discardableResult
    package func command(_ json: String) async throws -> Bool {
        do { _ = try await send("POST", "production/commands", json) } catch is Refused { return false }
        return true
    }

    /// The store's state of a customer.
    package func state(of customer: String) async throws -> [String: Value] {
        try await object("GET", "production/customers/\(customer)")
    }

    /// All transactions of a customer in the store.
    package func transactions(of customer: String) async throws -> [DeviceTransaction] {
        try await object("GET", "production/customers/\(customer)/purchases")["signedTransactions"]?.list
            .compactMap { $0.string }.compactMap { DeviceTransaction(jws: $0, isVerified: true) } ?? []
    }

    /// Adds a fault for a number of requests or notifications: `route:*` or `notification:*`.
    package func fail(_ target: String, _ effect: String, count: Int) async throws {
        _ = try await send("POST", "faults", #"{"target":"\#(target)","effect":\#(effect),"count":\#(count)}"#)
    }

    /// Removes all faults.
    package func stopFailing() async throws { _ = try await send("DELETE", "faults", nil) }

    /// Advances the clock, and returns when the server has noticed.
    package func advance(by seconds: TimeInterval) async throws {
        now += seconds
        let instant = now.milliseconds
        _ = try await send("POST", "clock/advance", #"{"to":\#(instant)}"#)
        guard process != nil else { return }
        while try await customer("nobody")["as_of"]?.number.map({ Int64($0) < instant }) ?? true {
            // The server reads the simulator's clock four times a second.
            try await Task.sleep(nanoseconds: 10_000_000)
        }
    }

    private struct Refused: Error {}

    private func object(_ method: String, _ path: String) async throws -> [String: Value] {
        try JSONDecoder().decode([String: Value].self, from: try await send(method, path, nil))
    }

    private func send(_ method: String, _ path: String, _ body: String?) async throws -> Data {
        var request = URLRequest(url: control.appendingPathComponent("simulator/" + path))
        request.httpMethod = method
        request.timeoutInterval = 300
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(body.utf8)
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        if (400..<500).contains(status), path.hasSuffix("commands") { throw Refused() }
        guard (200..<300).contains(status) else {
            throw Unexpected(description: "\(method) \(path): \(status) \(String(decoding: data, as: UTF8.self))")
        }
        return data
    }
}

extension Date {
    /// Milliseconds since 1970, as in the server's JSON.
    package var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }
}

/// Any JSON value.
package enum Value: Sendable, Hashable, Codable {
    case text(String), number(Double), bool(Bool), list([Value]), object([String: Value]), null

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([Value].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: Value].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        case .null: try container.encodeNil()
        }
    }

    package var string: String? { if case .text(let value) = self { value } else { nil } }
    package var number: Double? { if case .number(let value) = self { value } else { nil } }
    package var flag: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var list: [Value] { if case .list(let value) = self { value } else { [] } }
    package subscript(name: String) -> Value? { if case .object(let value) = self { value[name] } else { nil } }
}
