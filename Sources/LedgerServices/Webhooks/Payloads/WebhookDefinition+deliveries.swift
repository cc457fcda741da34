internal import AppStoreModels
package import Ledger

extension WebhookDefinition {
    /// Returns the number of deliveries for an event. The compatible format represents some events by several messages,
    /// others by none.
    package func deliveries(of type: EventType, _ appEnvironment: AppEnvironment?) -> Int {
        guard accepts(type, appEnvironment) else { return 0 }
        return payload == .compatible ? CompatibleEvent.events(of: type).count : 1
    }
}
