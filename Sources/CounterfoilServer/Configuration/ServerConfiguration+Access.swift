public import AppStoreModels
public import Foundation

extension ServerConfiguration {
    /// Who may use our own API.
    public struct Key: Sendable {
        /// What logs call it.
        public var name: String

        /// The SHA-256 of its text. The text itself is nowhere.
        public var hash: Data

        /// What it may do.
        public var scopes: Set<APIScope>

        /// The bundle identifiers of the apps it is for; nil: all.
        public var apps: Set<String>?

        /// The environments it is for; nil: all.
        public var environments: Set<AppStoreEnvironment>?

        /// Whether it is shipped in an app, where everybody can read it. It is limited to the customer of its token.
        public var isPublic: Bool

        /// A key.
        public init(
            name: String, hash: Data, scopes: Set<APIScope>, apps: Set<String>? = nil,
            environments: Set<AppStoreEnvironment>? = nil, isPublic: Bool = false
        ) {
            self.name = name
            self.hash = hash
            self.scopes = scopes
            self.apps = apps
            self.environments = environments
            self.isPublic = isPublic
        }
    }

    /// Where events are sent.
    public struct Webhook: Sendable {
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
    public enum WebhookPayload: String, Sendable, Hashable, CaseIterable {
        /// Our own.
        case counterfoil
        /// The event names that the field knows, such as `INITIAL_PURCHASE`.
        case compatible
    }
}
