public import AppStoreModels

/// A permission of an API key of this server.
public struct APIScope: OpenEnumeration {
    /// The name in configuration files, such as `customers:read`.
    public let rawValue: String

    /// Creates a scope from any text, also one that is not listed below.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Read customers' purchases and entitlements, and their explanations.
    public static let customersRead = Self(rawValue: "customers:read")
    /// Report purchases and usage for customers.
    public static let customersWrite = Self(rawValue: "customers:write")
    /// Transfer purchases between customers, regardless of the restore policy.
    public static let customersTransfer = Self(rawValue: "customers:transfer")
    /// Erase a customer's personal data.
    public static let customersErase = Self(rawValue: "customers:erase")
    /// Grant entitlements without a purchase, and revoke such grants.
    public static let grantsWrite = Self(rawValue: "grants:write")
    /// Sign offers.
    public static let offersSign = Self(rawValue: "offers:sign")
    /// Search for orders and customers, for customer support.
    public static let supportRead = Self(rawValue: "support:read")
    /// Query the App Store about customers, and extend subscriptions.
    public static let supportWrite = Self(rawValue: "support:write")
    /// Read notifications, completeness and recoveries.
    public static let operationsRead = Self(rawValue: "operations:read")
    /// Start recoveries and reprocess notifications.
    public static let operationsWrite = Self(rawValue: "operations:write")
    /// Manage webhook endpoints and resend events.
    public static let webhooksWrite = Self(rawValue: "webhooks:write")
    /// Read the audit log.
    public static let auditRead = Self(rawValue: "audit:read")
    /// Sign in to the console. The key's other scopes decide which pages and actions are available there.
    public static let consoleOpen = Self(rawValue: "console:open")

    /// All scopes; `all` in a configuration file.
    public static let all: [APIScope] = [
        .customersRead, .customersWrite, .customersTransfer, .customersErase, .grantsWrite, .offersSign, .supportRead,
        .supportWrite, .operationsRead, .operationsWrite, .webhooksWrite, .auditRead, .consoleOpen,
    ]

    /// The scopes that a public key (shipped in an app) may have. Such a key reaches only the customer of the customer
    /// token.
    public static let publicKeyScopes: Set<APIScope> = [.customersRead, .customersWrite, .offersSign]
    /// The scopes of a session that an app starts with only its app transaction.
    static let sessionScopes: Set<APIScope> = [.customersRead, .customersWrite]
}
