public import AppStoreModels
public import Foundation
public import Ledger

extension ServerConfiguration {
    /// Who may use our own API.
    public struct Key: Sendable {
        /// What the audit log and errors call it.
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

    /// Where events are sent, and which.
    public typealias Webhook = WebhookDefinition

    /// The vocabulary of a webhook.
    public typealias WebhookPayload = Ledger.WebhookPayload
}
