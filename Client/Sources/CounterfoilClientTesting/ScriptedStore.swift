public import CounterfoilClient
public import Foundation

/// A store that a test controls. Its transactions are not signed.
public actor ScriptedStore: PurchaseStore {
    /// The changes that the store reports.
    public nonisolated let updates: AsyncStream<StoreUpdate>
    /// All transactions, finished or not.
    public private(set) var transactions: [DeviceTransaction] = []
    /// The identifiers of finished transactions, in the order of finishing.
    public private(set) var finished: [UInt64] = []
    /// The number of calls to ``sync()``.
    public private(set) var synced = 0
    /// The options of each purchase.
    public private(set) var purchases: [PurchaseOptions] = []
    private let continuation: AsyncStream<StoreUpdate>.Continuation
    private var results: [PurchaseResult] = []
    private var states: [DeviceStatus] = []
    private var app: String?
    private var file: Data?
    private var syncFailure: (any Error)?
    private var purchaseFailure: (any Error)?

    /// Makes a store without transactions.
    public init(appTransaction: String? = nil, receipt: Data? = nil) {
        (updates, continuation) = AsyncStream.makeStream(of: StoreUpdate.self)
        app = appTransaction
        file = receipt
    }

    /// Adds or replaces a transaction, and reports it in ``updates`` unless `reportsUpdate` is false.
    public func add(_ transaction: DeviceTransaction, reportsUpdate: Bool = true) {
        transactions.removeAll { $0.id == transaction.id }
        transactions.append(transaction)
        if reportsUpdate { continuation.yield(.transaction(transaction)) }
    }

    /// Adds results for the next purchases, one for each. Other purchases are cancelled.
    public func enqueuePurchaseResults(_ results: [PurchaseResult]) { self.results += results }

    /// Sets the states of the subscriptions, and reports the change in ``updates``.
    public func setStatuses(_ states: [DeviceStatus]) {
        self.states = states
        continuation.yield(.statuses)
    }

    /// Makes ``sync()`` throw an error.
    public func failSync(with error: any Error) { syncFailure = error }

    /// Makes purchases throw an error.
    public func failPurchases(with error: any Error) { purchaseFailure = error }

    /// Returns the unfinished transactions.
    public func unfinished() -> [DeviceTransaction] { transactions.filter { !finished.contains($0.id) } }

    /// Returns the transactions that are not consumable and not revoked. Expired ones are included.
    public func current() -> [DeviceTransaction] {
        transactions.filter { $0.kind != .consumable && $0.revocationDate == nil }
    }

    /// Returns all transactions except finished consumables.
    public func all() -> [DeviceTransaction] {
        transactions.filter { $0.kind != .consumable || !finished.contains($0.id) }
    }

    /// Returns the states of the subscriptions.
    public func statuses() -> [DeviceStatus] { states }

    /// Returns the app transaction, if the store was made with one.
    public func appTransaction() -> String? { app }

    /// Returns the receipt, if the store was made with one.
    public func receipt() -> Data? { file }

    /// Returns no products.
    public func products(_ ids: [String]) -> [DeviceProduct] { [] }

    /// Returns the next result, or throws the error that the test has set.
    public func purchase(_ productID: String, _ options: PurchaseOptions) throws -> PurchaseResult {
        purchases.append(options)
        if let purchaseFailure { throw purchaseFailure }
        guard !results.isEmpty else { return .cancelled }
        let result = results.removeFirst()
        if case .success(let transaction) = result { add(transaction, reportsUpdate: false) }
        return result
    }

    /// Records that a transaction was finished.
    public func finish(_ transactionID: UInt64) { finished.append(transactionID) }

    /// Counts the call, and throws the error that the test has set.
    public func sync() throws {
        synced += 1
        if let syncFailure { throw syncFailure }
    }
}
