public import CounterfoilClient
public import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One device of one customer of the simulator, as a store: what StoreKit would be on it.
public actor SimulatedDevice: PurchaseStore {
    /// Why the simulator did not do what it was asked to.
    public struct Failure: Error, Hashable, Sendable {
        /// The status of the answer; nil if there was none.
        public var status: Int?
        /// What it said, or the error of StoreKit that it plays.
        public var message: String
    }

    /// A session of its own: whoever waits for updates is in nobody's way.
    private static func makeSession() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 40
        configuration.httpMaximumConnectionsPerHost = 100
        return URLSession(configuration: configuration)
    }

    private nonisolated let session = makeSession()

    private nonisolated let base: URL
    private let commands: URL
    private let customer: String
    private let device: String

    /// - Parameters:
    ///   - control: Where the simulator's control API is.
    ///   - environment: `sandbox` or `production`.
    ///   - customer: The customer of the store, by name.
    ///   - device: The device, by name. It is there as soon as it is named.
    public init(control: URL, environment: String = "sandbox", customer: String, device: String) {
        let environment = control.appendingPathComponent("simulator").appendingPathComponent(environment)
        base = environment.appendingPathComponent("customers").appendingPathComponent(customer)
            .appendingPathComponent("devices").appendingPathComponent(device)
        commands = environment.appendingPathComponent("commands")
        self.customer = customer
        self.device = device
    }

    // The names on the wire.
    private struct Contents: Decodable {
        var all: [Signed] = []
        var current: [Signed] = []
        var unfinished: [Signed] = []
        var statuses: [Status] = []
        var products: [SoldProduct] = []
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
    private struct SoldProduct: Decodable {
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

    /// What happens outside a purchase on this device: asked for again and again, until nobody listens.
    public nonisolated var updates: AsyncStream<StoreUpdate> {
        AsyncStream { continuation in
            let asking = Task {
                var next = 0
                while !Task.isCancelled {
                    do {
                        let found: Updates = try await get(
                            base.appendingPathComponent("updates"), ["after": "\(next)", "wait": "20"])
                        next = found.next
                        for update in found.updates {
                            continuation.yield(update.transaction?.transaction.map { .transaction($0) } ?? .statuses)
                        }
                    } catch {
                        // A simulator that restarts is asked again.
                        try? await Task.sleep(nanoseconds: 100_000_000)
                    }
                }
            }
            continuation.onTermination = { _ in asking.cancel() }
        }
    }

    /// What nobody finished on this device.
    public func unfinished() async -> [DeviceTransaction] { await contents().unfinished.compactMap(\.transaction) }

    /// What there is a right to, as this device knows.
    public func current() async -> [DeviceTransaction] { await contents().current.compactMap(\.transaction) }

    /// Everything that this device knows of.
    public func all() async -> [DeviceTransaction] { await contents().all.compactMap(\.transaction) }

    /// The subscriptions' states, as this device knows them.
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

    /// The app transaction; nil on a device with an old system.
    public func appTransaction() async -> String? { await contents().signedAppTransactionInfo }

    /// The receipt.
    public func receipt() async -> Data? { await contents().receipt }

    /// What the catalogue sells.
    public func products(_ ids: [String]) async throws -> [DeviceProduct] {
        let contents: Contents = try await get(base)
        return contents.products.filter { ids.contains($0.id) }.map {
            DeviceProduct(
                id: $0.id, kind: $0.type, displayName: $0.name, description: $0.name, displayPrice: $0.displayPrice,
                price: $0.price, groupID: $0.subscriptionGroupIdentifier)
        }
    }

    /// Buys on this device.
    public func purchase(_ productID: String, _ options: PurchaseOptions) async throws -> PurchaseResult {
        var command: [String: Any] = ["product": productID, "quantity": options.quantity]
        // Null says that the app names no account; left out, it would be the one that the simulator has for the customer.
        command["appAccountToken"] = options.appAccountToken.map { $0.uuidString.lowercased() as Any } ?? NSNull()
        // The store judges an offer and its signature. Left out, they would let it sell at the full price.
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

    /// Finishes on this device. What fails stays unfinished, as with StoreKit.
    public func finish(_ transactionID: UInt64) async {
        _ = try? await perform("finish", ["transaction": String(transactionID)])
    }

    /// Asks the store for everything.
    public func sync() async throws { _ = try await perform("sync", [:]) }

    /// A device that cannot be asked has nothing, as StoreKit without a network.
    private func contents() async -> Contents { (try? await get(base)) ?? Contents() }

    private func perform(_ name: String, _ command: [String: Any]) async throws -> Outcome {
        let members = command.merging(["customer": customer, "device": device]) { old, _ in old }
        var request = URLRequest(url: commands)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONSerialization.data(withJSONObject: [name: members])
        return try await ask(request)
    }

    private nonisolated func get<Answer: Decodable>(_ url: URL, _ query: [String: String] = [:]) async throws -> Answer
    {
        var address = URLComponents(url: url, resolvingAgainstBaseURL: false)
        address?.queryItems = query.isEmpty ? nil : query.sorted { $0.key < $1.key }.map(URLQueryItem.init)
        return try await ask(URLRequest(url: address?.url ?? url))
    }

    private nonisolated func ask<Answer: Decodable>(_ request: URLRequest) async throws -> Answer {
        // On Linux a request that is cancelled while it ends may crash or never return: nobody waits for this one then.
        let session = session
        let (data, response) = try await Task { try await session.data(for: request) }.value
        let status = (response as? HTTPURLResponse)?.statusCode
        guard status == 200 else { throw Failure(status: status, message: String(decoding: data, as: UTF8.self)) }
        return try CustomerAnswer.decoder.decode(Answer.self, from: data)
    }
}
