public import CounterfoilClient
public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The store on a device of a customer of Counterfoil's simulator. It replaces StoreKit.
public actor SimulatedDevice: PurchaseStore {
    /// A failed request to the simulator.
    public struct Failure: Error, Hashable, Sendable {
        /// The HTTP status of the response; nil without a response.
        public var status: Int?
        /// The simulator's message, or the simulated error of StoreKit.
        public var message: String
    }

    /// Makes a separate session, so that long polling for updates does not block other requests.
    private static func makeSession() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 40
        configuration.httpMaximumConnectionsPerHost = 100
        return URLSession(configuration: configuration)
    }

    private nonisolated let session = makeSession()

    /// The URL of the device.
    private nonisolated let address: String
    private let commands: URL
    private let customer: String
    private let device: String

    /// - Parameters:
    ///   - control: The simulator's URL, without `/simulator`.
    ///   - environment: `sandbox` or `production`.
    ///   - customer: The customer's name in the simulator.
    ///   - device: The device's name. The simulator creates the device when it is first used.
    public init(control: URL, environment: String = "sandbox", customer: String, device: String) {
        let environment = control.appendingPathComponent("simulator").appendingPathComponent(environment)
        // A name may contain any character, including slashes.
        let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "/"))
        let names = [customer, device].map { $0.addingPercentEncoding(withAllowedCharacters: allowed) ?? "" }
        address = "\(environment.absoluteString)/customers/\(names[0])/devices/\(names[1])"
        commands = environment.appendingPathComponent("commands")
        self.customer = customer
        self.device = device
    }

    // The simulator's JSON.
    private struct Contents: Decodable {
        var all: [Signed] = []
        var current: [Signed] = []
        var unfinished: [Signed] = []
        var statuses: [Status] = []
        var products: [Product] = []
        var signedAppTransactionInfo: String?
        var receipt: Data?
    }
    private struct Signed: Decodable {
        var signedTransactionInfo: String
        var isVerified: Bool
        var transaction: DeviceTransaction? { DeviceTransaction(jws: signedTransactionInfo, isVerified: isVerified) }
    }
    private struct Status: Decodable {
        var state: Int
        var signedTransactionInfo: String
        var signedRenewalInfo: String
        var isVerified: Bool
    }
    private struct Renewal: Decodable {
        var signedDate: Date
        var gracePeriodExpiresDate: Date?
    }
    private struct Product: Decodable {
        var id: String
        var type: ProductKind
        var name: String
        var displayPrice: String
        var price: Decimal
        var subscriptionGroupIdentifier: String?
    }
    private struct Updates: Decodable {
        struct Update: Decodable {
            var transaction: Signed?
        }
        var updates: [Update]
        var next: Int
    }
    private struct Outcome: Decodable {
        /// `success`, `pending`, `cancelled` or `failed`.
        var result: String
        var transaction: Signed?
        var message: String?
    }

    /// The changes outside a purchase on this device. The device polls the simulator until the stream ends.
    public nonisolated var updates: AsyncStream<StoreUpdate> {
        AsyncStream { continuation in
            let polling = Task {
                var next = 0
                while !Task.isCancelled {
                    do {
                        let found: Updates = try await get("/updates?after=\(next)&wait=20")
                        next = found.next
                        for update in found.updates {
                            continuation.yield(update.transaction?.transaction.map { .transaction($0) } ?? .statuses)
                        }
                    } catch {
                        // Retry, because the simulator may restart.
                        try? await Task.sleep(nanoseconds: 100_000_000)
                    }
                }
            }
            continuation.onTermination = { _ in polling.cancel() }
        }
    }

    /// Returns the device's unfinished transactions.
    public func unfinished() async -> [DeviceTransaction] { await contents().unfinished.compactMap(\.transaction) }

    /// Returns the device's current entitlements.
    public func current() async -> [DeviceTransaction] { await contents().current.compactMap(\.transaction) }

    /// Returns all transactions that the device knows.
    public func all() async -> [DeviceTransaction] { await contents().all.compactMap(\.transaction) }

    /// Returns the states of the subscriptions that the device knows.
    public func statuses() async -> [DeviceStatus] {
        await contents().statuses.compactMap { status in
            guard let renewal: Renewal = SignedText.payload(of: status.signedRenewalInfo),
                let transaction = DeviceTransaction(jws: status.signedTransactionInfo, isVerified: status.isVerified)
            else { return nil }
            return DeviceStatus(
                state: RenewalState(rawValue: status.state), transaction: transaction,
                renewalJWS: status.signedRenewalInfo, renewalSignedDate: renewal.signedDate,
                gracePeriodExpirationDate: renewal.gracePeriodExpiresDate, isVerified: status.isVerified)
        }
    }

    /// Returns the app transaction; nil on a device with an old system.
    public func appTransaction() async -> String? { await contents().signedAppTransactionInfo }

    /// Returns the app receipt.
    public func receipt() async -> Data? { await contents().receipt }

    /// Returns products of the simulator's catalogue.
    public func products(_ ids: [String]) async throws -> [DeviceProduct] {
        let contents: Contents = try await get()
        return contents.products.filter { ids.contains($0.id) }.map {
            DeviceProduct(
                id: $0.id, kind: $0.type, displayName: $0.name, description: $0.name, displayPrice: $0.displayPrice,
                price: $0.price, groupID: $0.subscriptionGroupIdentifier)
        }
    }

    /// Buys a product on this device.
    public func purchase(_ productID: String, _ options: PurchaseOptions) async throws -> PurchaseResult {
        var command: [String: Any] = ["product": productID, "quantity": options.quantity]
        // Null means no account token. Without the member the simulator would use the customer's token.
        command["appAccountToken"] = options.appAccountToken.map { $0.uuidString.lowercased() as Any } ?? NSNull()
        // The simulator checks the offer and its signature. Without them it would sell at the full price.
        switch options.offer {
        case .promotional(let id, let jws):
            command["offer"] = id
            command["signature"] = jws
        case .introductory(let jws): command["introductorySignature"] = jws
        case .winBack(let id): command["offer"] = id
        case nil: break
        }
        let outcome = try await perform("purchase", command)
        switch (outcome.result, outcome.transaction?.transaction) {
        case ("success", let transaction?): return .success(transaction)
        case ("pending", _): return .pending
        case ("cancelled", _): return .cancelled
        default: throw Failure(status: 200, message: outcome.message ?? outcome.result)
        }
    }

    /// Finishes a transaction on this device. After a failure the transaction stays unfinished, as with StoreKit.
    public func finish(_ transactionID: UInt64) async {
        _ = try? await perform("finish", ["transaction": String(transactionID)])
    }

    /// Synchronises the device with the simulated App Store.
    public func sync() async throws { _ = try await perform("sync", [:]) }

    /// Requests the device's data. Returns empty data after a failure, like StoreKit without a network.
    private func contents() async -> Contents { (try? await get()) ?? Contents() }

    private func perform(_ name: String, _ command: [String: Any]) async throws -> Outcome {
        let members = command.merging(["customer": customer, "device": device]) { old, _ in old }
        var request = URLRequest(url: commands)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONSerialization.data(withJSONObject: [name: members])
        return try await send(request)
    }

    private nonisolated func get<Answer: Decodable>(_ suffix: String = "") async throws -> Answer {
        guard let url = URL(string: address + suffix) else {
            throw Failure(status: nil, message: "The address of the simulator is not a URL.")
        }
        return try await send(URLRequest(url: url))
    }

    private nonisolated func send<Answer: Decodable>(_ request: URLRequest) async throws -> Answer {
        // Use a separate task, which cancellation does not reach: on Linux, cancelling a request while it completes may
        // crash or hang.
        let session = session
        let (data, response) = try await Task { try await session.data(for: request) }.value
        let status = (response as? HTTPURLResponse)?.statusCode
        guard status == 200 else { throw Failure(status: status, message: String(decoding: data, as: UTF8.self)) }
        return try CustomerResponse.decoder.decode(Answer.self, from: data)
    }
}
