/// What a key of our own API may do.
public struct APIScope: RawRepresentable, Hashable, Sendable, Codable {
    /// The text in configuration files, such as `customers:read`.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// See what customers own, and why.
    public static let customersRead = Self(rawValue: "customers:read")
    /// Report purchases and usage of customers.
    public static let customersWrite = Self(rawValue: "customers:write")
    /// Give a customer what belongs to another, whatever the restore policy says.
    public static let customersTransfer = Self(rawValue: "customers:transfer")
    /// Erase what is kept of a person.
    public static let customersErase = Self(rawValue: "customers:erase")
    /// Give entitlements without a purchase, and take them back.
    public static let grantsWrite = Self(rawValue: "grants:write")
    /// Have offers signed.
    public static let offersSign = Self(rawValue: "offers:sign")
    /// Look up orders and people, for customer support.
    public static let supportRead = Self(rawValue: "support:read")
    /// Have the App Store asked about customers, and give subscribers more time.
    public static let supportWrite = Self(rawValue: "support:write")
    /// See notifications, completeness and recoveries.
    public static let operationsRead = Self(rawValue: "operations:read")
    /// Start recoveries, process notifications again.
    public static let operationsWrite = Self(rawValue: "operations:write")
    /// Manage webhook endpoints and send events again.
    public static let webhooksWrite = Self(rawValue: "webhooks:write")
    /// See who did what.
    public static let auditRead = Self(rawValue: "audit:read")
    /// Sign in to the console; what may be seen and done there is what the other scopes of the key say.
    public static let consoleOpen = Self(rawValue: "console:open")

    /// All of them; `all` in a configuration file.
    public static let all: [APIScope] = [
        .customersRead, .customersWrite, .customersTransfer, .customersErase, .grantsWrite, .offersSign, .supportRead,
        .supportWrite, .operationsRead, .operationsWrite, .webhooksWrite, .auditRead, .consoleOpen,
    ]

    /// Those that a key which is shipped in an app may have. It is limited to the customer of its customer token.
    public static let forApps: Set<APIScope> = [.customersRead, .customersWrite, .offersSign]
    /// Those of a session that an app began with nothing but its app transaction.
    static let forSessions: Set<APIScope> = [.customersRead, .customersWrite]
}
