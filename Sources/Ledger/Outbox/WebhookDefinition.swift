public import AppStoreModels

/// Where events are sent, and which.
public struct WebhookDefinition: Sendable {
    /// What logs and the API call it.
    public var name: String

    /// The URL, `https` or `http`.
    public var url: String

    /// The secrets of Standard Webhooks, `whsec_` and base64; each signs, so that the receiver can change from one to
    /// the next.
    public var secrets: [Secret]

    /// The types of events that are sent, such as `subscription.renewed` or `subscription.*`; nil: all.
    public var events: [String]?

    /// What the body looks like.
    public var payload = WebhookPayload.counterfoil

    /// The bundle identifiers of the apps whose events are sent; nil: all.
    public var apps: Set<String>?

    /// The environments whose events are sent; nil: all.
    public var environments: Set<AppStoreEnvironment>?

    /// Whether the URL may lead to this machine or a private network.
    public var allowsPrivateNetworks = false

    /// An endpoint with the default of everything else.
    public init(name: String, url: String, secrets: [Secret]) {
        self.name = name
        self.url = url
        self.secrets = secrets
    }
}

/// The vocabulary of a webhook.
@nonexhaustive
public enum WebhookPayload: String, Sendable, Hashable, CaseIterable {
    /// Our own.
    case counterfoil
    /// The event names that the field knows, such as `INITIAL_PURCHASE`.
    case compatible
}
