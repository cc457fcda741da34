public import Foundation

/// The store on the device: StoreKit, or a replacement for tests.
///
/// The protocol uses only types of this library. ``PurchaseClient`` makes few assumptions: a store may return
/// transactions twice, late, out of order, unverified or of another environment, and any list may be incomplete.
public protocol PurchaseStore: Sendable {
    /// The changes outside a purchase of this app. Listening starts when the property is read, which happens once.
    var updates: AsyncStream<StoreUpdate> { get }
    /// Returns the unfinished transactions.
    func unfinished() async -> [DeviceTransaction]
    /// Returns StoreKit's current entitlements. Non-renewing subscriptions stay in the list forever.
    func current() async -> [DeviceTransaction]
    /// Returns all transactions that the device knows.
    func all() async -> [DeviceTransaction]
    /// Returns the states of the subscriptions.
    func statuses() async -> [DeviceStatus]
    /// Returns the signed app transaction; nil on systems without one.
    func appTransaction() async -> String?
    /// Returns the app's receipt without refreshing it.
    func receipt() async -> Data?
    /// Loads products from the store.
    func products(_ ids: [String]) async throws -> [DeviceProduct]
    /// Buys a product. StoreKit asks the customer to confirm. Throws ``PurchaseClientError`` if the purchase fails
    /// before that or StoreKit refuses it: no transaction can follow then. After any other error one may follow.
    func purchase(_ productID: String, _ options: PurchaseOptions) async throws -> PurchaseResult
    /// Finishes a transaction. Finishing it again has no effect.
    func finish(_ transactionID: UInt64) async
    /// Synchronises all transactions with the App Store, which may ask the customer for a password.
    func sync() async throws
}

/// A change that a store reports.
public enum StoreUpdate: Equatable, Sendable {
    /// A new or changed transaction.
    indirect case transaction(DeviceTransaction)
    /// A change of a subscription's state.
    case statuses
}

/// The storage of the client's records. The app chooses it: files with ``FileStorage``, the Keychain, or iCloud.
/// Devices that share a storage share the signed-in customer.
public protocol ClientStorage: Sendable {
    /// Returns the data saved under a name; nil if there is none. Throw while the data cannot be read: the client
    /// retries every second, and saves nothing until it has read the data.
    func load(_ name: String) async throws -> Data?
    /// Replaces the data under a name; nil removes it. If it throws, the client saves again at the next event.
    func save(_ data: Data?, as name: String) async throws
}

/// The clock of a ``PurchaseClient``. Tests can use their own.
public protocol ClientScheduler: Sendable {
    /// Returns the current time.
    func now() async -> Date
    /// Waits. Throws when the task is cancelled.
    func sleep(for seconds: TimeInterval) async throws
}

/// The device's clock.
public struct SystemScheduler: ClientScheduler {
    /// Makes a scheduler.
    public init() {}

    /// Returns the time of the device's clock.
    public func now() async -> Date { Date() }

    /// Waits, for at most a day.
    public func sleep(for seconds: TimeInterval) async throws {
        // Sleep at most a day: converting a longer time or NaN to UInt64 nanoseconds would trap.
        try await Task.sleep(nanoseconds: UInt64((seconds > 0 ? min(seconds, 86_400) : 0) * 1_000_000_000))
    }
}

/// Stores each name's data in a file in a folder of the app. Only one client may use a folder: that of an app extension
/// would overwrite the app's records.
public actor FileStorage: ClientStorage {
    private let folder: URL

    /// - Parameter folder: The folder, created when needed. On Apple's platforms, use `Application Support`. On tvOS, apps
    ///   can write only to `Caches`, which the system may empty while the app is not running.
    public init(folder: URL) { self.folder = folder }

    /// Reads a file.
    public func load(_ name: String) throws -> Data? {
        let file = folder.appendingPathComponent(name)
        // Do not use `fileExists`: it also returns false for a file that cannot be accessed.
        do { return try Data(contentsOf: file) } catch CocoaError.Code.fileReadNoSuchFile { return nil }
    }

    /// Writes a file atomically; nil removes it.
    public func save(_ data: Data?, as name: String) throws {
        let file = folder.appendingPathComponent(name)
        guard let data else {
            do { return try FileManager.default.removeItem(at: file) } catch CocoaError.Code.fileNoSuchFile { return }
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #if os(Linux)
            try data.write(to: file, options: .atomic)
        #else
            try data.write(to: file, options: [.atomic, .completeFileProtectionUntilFirstUserAuthentication])
        #endif
    }
}
