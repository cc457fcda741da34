public import Foundation

/// The store on the device: StoreKit, or a stand-in for it.
///
/// Only our own values cross this line. What a store may do, and what ``PurchaseClient`` does not expect of it:
/// transactions may come twice, late, out of order, unverified or of another environment; any list may be incomplete.
public protocol PurchaseStore: Sendable {
    /// What happens outside a purchase of this app. Listening begins when it is read, which happens once.
    var updates: AsyncStream<StoreUpdate> { get }
    /// The transactions that nobody finished.
    func unfinished() async -> [DeviceTransaction]
    /// What the customer has a right to, by StoreKit. Non-renewing subscriptions are in it for ever.
    func current() async -> [DeviceTransaction]
    /// Everything that the device knows of.
    func all() async -> [DeviceTransaction]
    /// The subscriptions' states.
    func statuses() async -> [DeviceStatus]
    /// The signed app transaction; nil where the system has none.
    func appTransaction() async -> String?
    /// The app's receipt, as it is. It is never refreshed.
    func receipt() async -> Data?
    /// The products that are for sale.
    func products(_ ids: [String]) async throws -> [DeviceProduct]
    /// Buys. The customer is asked. What fails before that, or is refused, throws an ``UnstartedPurchaseError``.
    func purchase(_ productID: String, _ options: PurchaseOptions) async throws -> PurchaseResult
    /// Takes a transaction out of the unfinished ones. Doing it twice does nothing.
    func finish(_ transactionID: UInt64) async
    /// Asks the App Store for everything. The customer may be asked for a password.
    func sync() async throws
}

/// Why a store did not even ask the customer, or refused to sell: nothing can come of the purchase later.
public protocol UnstartedPurchaseError: Error {}

/// What a store tells by itself.
public enum StoreUpdate: Equatable, Sendable {
    /// A transaction is new or was changed.
    indirect case transaction(DeviceTransaction)
    /// A subscription's state changed.
    case statuses
}

/// Where the client remembers what it has to. A file by ``FileStorage``, the Keychain, or iCloud: the app chooses.
public protocol ClientStorage: Sendable {
    /// What was saved under a name; nil if nothing was. It throws while that cannot be read: the client waits, asks again each
    /// second, and saves nothing before it was answered.
    func load(_ name: String) async throws -> Data?
    /// Replaces what is there under a name; nil removes it. If it throws, it is called again when something happens.
    func save(_ data: Data?, as name: String) async throws
}

/// Time. Tests put their own in.
public protocol ClientScheduler: Sendable {
    /// The device's clock.
    func now() async -> Date
    /// Waits. It throws when the task is cancelled.
    func sleep(for seconds: TimeInterval) async throws
}

/// The device's own clock.
public struct SystemScheduler: ClientScheduler {
    /// Makes a scheduler.
    public init() {}

    /// The device's clock.
    public func now() async -> Date { Date() }

    /// Waits.
    public func sleep(for seconds: TimeInterval) async throws {
        // A day at a time: nanoseconds of centuries do not fit, and those of what is no number trap.
        try await Task.sleep(nanoseconds: UInt64((seconds > 0 ? min(seconds, 86_400) : 0) * 1_000_000_000))
    }
}

/// A file for each name, in a folder of the app.
public actor FileStorage: ClientStorage {
    private let folder: URL

    /// - Parameter folder: Made when it is needed. On Apple's systems, `Application Support` is a good place.
    public init(folder: URL) { self.folder = folder }

    /// Reads a file.
    public func load(_ name: String) throws -> Data? {
        let file = folder.appendingPathComponent(name)
        // `FileManager` also says of a file that it could not look at that it does not exist.
        do { return try Data(contentsOf: file) } catch CocoaError.Code.fileReadNoSuchFile { return nil }
    }

    /// Writes a file as a whole or not at all.
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
