/// How a client behaves.
public struct PurchaseClientConfiguration: Sendable {
    /// False beside another library that finishes transactions: this client reports and never finishes.
    public var finishes = true
    /// Whether customers may buy before they have an account.
    public var allowsAnonymousCustomers = false
    /// The version of the app. A transaction that the server refused is reported again after an update.
    public var appVersion = ""
    /// What products give, for the time before the server's first answer.
    public var productEntitlements: [ProductEntitlements] = []
    /// Asks your backend for a customer's token. Nil says that there is none; an error, that it may be asked again.
    public var token: (@Sendable (_ customer: String) async throws -> String?)?
    /// Gives the customer a consumable. It returns when that is stored for good, and may be called twice with the same
    /// transaction if the app is killed in between.
    public var deliver: (@Sendable (DeviceTransaction) async throws -> Void)?
    /// Takes what nobody asked for. Debug builds print it, unless this is set.
    public var onNotice: (@Sendable (ClientNotice) -> Void)?

    /// Makes a configuration.
    public init() {}
}
