internal import AppStoreModels
package import Ledger

extension WebhookDefinition {
    /// How many deliveries an event makes: the compatible vocabulary says some things in several words, others in none.
    package func deliveries(of type: EventType, _ scope: Scope?) -> Int {
        guard accepts(type, scope) else { return 0 }
        return payload == .compatible ? CompatibleEvent.events(of: type).count : 1
    }
}
