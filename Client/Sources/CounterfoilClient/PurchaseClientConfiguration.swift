/// The configuration of a ``PurchaseClient``.
public struct PurchaseClientConfiguration: Sendable {
    /// Whether the client finishes transactions. Set it to false if another library finishes them; the client then only
    /// reports.
    public var finishes = true
    /// Whether customers may buy before they have an account.
    public var allowsAnonymousCustomers = false
    /// The version of the app. After an update, transactions that the server refused are reported again.
    public var appVersion = ""
    /// The entitlements of each product, used until the server's first response.
    public var productEntitlements: [ProductEntitlements] = []
    /// Requests a customer's token from your backend. Return nil if the customer has none; throw to be called again
    /// later. After ten seconds without a result it is called again, too, and the first result is used.
    public var token: (@Sendable (_ customer: String) async throws -> String?)?
    /// Delivers a consumable to the customer to whom it belongs: another one may have signed in meanwhile. Return after
    /// the delivery is stored durably. It may be called twice with the same transaction: if the app is killed in
    /// between, and on another device of the customer. If it throws, it is called again when the client next reads the
    /// device's transactions, or when the customer buys the product again.
    public var deliver: (@Sendable (DeviceTransaction, _ customer: String) async throws -> Void)?
    /// Receives notices about problems. If it is nil, debug builds print them.
    public var onNotice: (@Sendable (ClientNotice) -> Void)?

    /// Makes a configuration.
    public init() {}
}
