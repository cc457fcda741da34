public import CounterfoilClient
public import Foundation

/// A device's store that does what a test says. It signs nothing: what it hands out only looks signed.
public actor ScriptedStore: PurchaseStore {
    /// What the store tells by itself.
    public nonisolated let updates: AsyncStream<StoreUpdate>
    /// What was bought, whether finished or not.
    public private(set) var transactions: [DeviceTransaction] = []
    /// What was finished, in this order.
    public private(set) var finished: [UInt64] = []
    /// How often the App Store was asked for everything, which may ask for a password.
    public private(set) var synced = 0
    /// The options of each purchase.
    public private(set) var purchases: [PurchaseOptions] = []
    private let telling: AsyncStream<StoreUpdate>.Continuation
    private var results: [PurchaseResult] = []
    private var states: [DeviceStatus] = []
    private var app: String?
    private var file: Data?
    private var syncFailure: (any Error)?
    private var purchaseFailure: (any Error)?

    /// Makes a store where nothing was bought.
    public init(appTransaction: String? = nil, receipt: Data? = nil) {
        (updates, telling) = AsyncStream.makeStream(of: StoreUpdate.self)
        app = appTransaction
        file = receipt
    }

    /// Adds what was bought, and tells of it if the app should hear.
    public func add(_ transaction: DeviceTransaction, tells: Bool = true) {
        transactions.removeAll { $0.id == transaction.id }
        transactions.append(transaction)
        if tells { telling.yield(.transaction(transaction)) }
    }

    /// What the next purchases come to. Without it they are cancelled.
    public func answerPurchases(with results: [PurchaseResult]) { self.results += results }

    /// Sets the subscriptions' states, and tells of it.
    public func setStatuses(_ states: [DeviceStatus]) {
        self.states = states
        telling.yield(.statuses)
    }

    /// What asking for everything throws.
    public func failSync(with error: any Error) { syncFailure = error }

    /// What purchases throw.
    public func failPurchases(with error: any Error) { purchaseFailure = error }

    /// What nobody finished.
    public func unfinished() -> [DeviceTransaction] { transactions.filter { !finished.contains($0.id) } }

    /// What there is a right to, without a look at the clock.
    public func current() -> [DeviceTransaction] {
        transactions.filter { $0.kind != .consumable && $0.revocationDate == nil }
    }

    /// Everything but finished consumables.
    public func all() -> [DeviceTransaction] {
        transactions.filter { $0.kind != .consumable || !finished.contains($0.id) }
    }

    /// The subscriptions' states.
    public func statuses() -> [DeviceStatus] { states }

    /// The app transaction, if the store was made with one.
    public func appTransaction() -> String? { app }

    /// The receipt, if the store was made with one.
    public func receipt() -> Data? { file }

    /// Products are not for sale here.
    public func products(_ ids: [String]) -> [DeviceProduct] { [] }

    /// Answers as the test said.
    public func purchase(_ productID: String, _ options: PurchaseOptions) throws -> PurchaseResult {
        purchases.append(options)
        if let purchaseFailure { throw purchaseFailure }
        guard !results.isEmpty else { return .cancelled }
        let result = results.removeFirst()
        if case .success(let transaction) = result { add(transaction, tells: false) }
        return result
    }

    /// Notes it.
    public func finish(_ transactionID: UInt64) { finished.append(transactionID) }

    /// Notes it.
    public func sync() throws {
        synced += 1
        if let syncFailure { throw syncFailure }
    }
}
