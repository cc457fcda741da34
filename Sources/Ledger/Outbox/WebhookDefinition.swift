public import AppStoreModels

/// A webhook endpoint: its URL and the events that it receives.
public struct WebhookDefinition: Sendable {
    /// The name in logs and the API.
    public var name: String

    /// The URL, `https` or `http`.
    public var url: String

    /// The secrets of Standard Webhooks, `whsec_` and base64. Every secret signs, so that the receiver can rotate them.
    public var secrets: [Secret]

    /// The types of events to send, such as `subscription.renewed` or `subscription.*`; nil: all.
    public var events: [String]?

    /// The format of the body.
    public var payload = WebhookPayload.counterfoil

    /// The bundle identifiers of the apps whose events are sent; nil: all.
    public var apps: Set<String>?

    /// The environments whose events are sent; nil: all.
    public var environments: Set<AppStoreEnvironment>?

    /// Whether the URL may resolve to this machine or a private network.
    public var allowsPrivateNetworks = false

    /// Creates an endpoint with default values for everything else.
    public init(name: String, url: String, secrets: [Secret]) {
        self.name = name
        self.url = url
        self.secrets = secrets
    }
}

/// The format of webhook bodies.
@nonexhaustive
public enum WebhookPayload: String, Sendable, Hashable, CaseIterable {
    /// Counterfoil's own format.
    case counterfoil
    /// The widely used format with event names such as `INITIAL_PURCHASE`.
    case compatible
}
