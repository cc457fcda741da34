internal import AppStoreModels
internal import Foundation

/// What one attempt to send a notification needs to know.
struct DeliveryAttempt: Sendable {
    var environment: AppStoreEnvironment
    var number: Int
    var record: NotificationRecord
    var url: String
    var timeout: TimeInterval
    /// When it happens, on the simulator's clock.
    var date: Date
    var effects: [Fault.Effect]
}

extension SimulatorState {
    /// The attempt that was planned for `planned`; nil if something else has been planned since, or nobody is to be told.
    mutating func attempt(_ number: Int, in environment: AppStoreEnvironment, planned: Date) -> DeliveryAttempt? {
        guard self[environment].notifications.indices.contains(number),
            case let record = self[environment].notifications[number], record.due == planned
        else { return nil }
        guard let url = self[environment].settings.notificationURL else {
            self[environment].notifications[number].due = nil
            return nil
        }
        let date = max(planned, clock.now())
        let name = record.type.rawValue
        let targets =
            ["notification:*", "notification:\(name)"]
            + (record.subtype.map { ["notification:\(name).\($0.rawValue)"] } ?? [])
        let effects = faults.strike(targets, in: environment, at: date).filter { effect in
            effect != .reorder || !record.wasPostponed
        }
        return DeliveryAttempt(
            environment: environment, number: number, record: record, url: url,
            timeout: self[environment].settings.deliveryTimeout, date: date, effects: effects)
    }
}
