public import AppStoreModels
public import Foundation
public import Ledger

extension ServerConfiguration {
    /// An API key of this server.
    public struct Key: Sendable {
        /// The name in the audit log and in errors.
        public var name: String

        /// The SHA-256 of the key's text. The text itself is not stored.
        public var hash: Data

        /// The key's permissions.
        public var scopes: Set<APIScope>

        /// The bundle identifiers of the apps that the key can access; nil for all.
        public var apps: Set<String>?

        /// The environments that the key can access; nil for all.
        public var environments: Set<AppStoreEnvironment>?

        /// Whether the key is shipped in an app, where anyone can read it. A public key reaches only the customer of
        /// the customer token.
        public var isPublic: Bool

        /// Creates a key.
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

    /// A webhook endpoint and the events that it receives.
    public typealias Webhook = WebhookDefinition

    /// The payload format of a webhook.
    public typealias WebhookPayload = Ledger.WebhookPayload
}
