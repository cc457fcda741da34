internal import AppStoreModels
internal import Foundation

/// An attempt to send a notification.
struct DeliveryAttempt: Sendable {
    var environment: AppStoreEnvironment
    var number: Int
    var record: NotificationRecord
    var url: String
    var timeout: TimeInterval
    /// The time of the attempt by the simulator's clock.
    var date: Date
    var effects: [Fault.Effect]
    /// Whether the attempt was requested in addition to Apple's schedule.
    var isManual: Bool
    /// The current contents of a notification of version 1.
    var version1: Version1Contents?
}

extension SimulatorState {
    /// Returns the attempt that is scheduled for `planned`. Returns nil if the attempt was rescheduled, no notification
    /// URL is set, a notification of version 1 has no contents, or a fault postpones the attempt.
    mutating func attempt(_ number: Int, in environment: AppStoreEnvironment, planned: Date) -> DeliveryAttempt? {
        let isManual = self[environment].resends[number] == planned
        guard self[environment].notifications.indices.contains(number),
            case let record = self[environment].notifications[number], isManual || record.due == planned
        else { return nil }
        if isManual { self[environment].resends[number] = nil }
        let date = max(planned, clock.now())
        let contents = self[environment].version1Contents(of: record, at: date)
        guard let url = self[environment].settings.notificationURL, record.version == .two || contents != nil else {
            if !isManual { self[environment].notifications[number].due = nil }
            return nil
        }
        let effects = faults.takeEffects(record.targets, in: environment, at: date).filter { effect in
            effect != .reorder || !record.wasPostponed
        }
        let attempt = DeliveryAttempt(
            environment: environment, number: number, record: record, url: url,
            timeout: self[environment].settings.deliveryTimeout, date: date, effects: effects,
            isManual: isManual, version1: contents)
        guard !attempt.isPostponed else {
            postpone(attempt)
            return nil
        }
        return attempt
    }

    /// Reschedules an attempt 1 to 600 seconds later by the simulator's clock. A notification is postponed only once.
    /// The clock must not pass the new time before the attempt is scheduled.
    private mutating func postpone(_ attempt: DeliveryAttempt) {
        let seconds = Double(1 + attempt.number.magnitude &* 2_654_435_761 % 600)
        self[attempt.environment].notifications[attempt.number].wasPostponed = true
        self[attempt.environment].reschedule(attempt, at: attempt.date + seconds)
    }
}

extension DeliveryAttempt {
    /// Whether a fault postpones the attempt. A notification that is lost or finds its receiver unreachable is not
    /// postponed.
    fileprivate var isPostponed: Bool {
        effects.first { [Fault.Effect.drop, .unreachable, .reorder].contains($0) } == .reorder
    }
}

extension Store {
    /// Reschedules an attempt for `date`.
    mutating func reschedule(_ attempt: DeliveryAttempt, at date: Date) {
        if attempt.isManual { resend(attempt.number, at: date) } else { scheduleDelivery(attempt.number, at: date) }
    }
}

extension NotificationRecord {
    /// The fault targets that match the notification.
    fileprivate var targets: [String] {
        let names = version == .two && subtype != nil ? [type.rawValue, name] : [name]
        return ["notification:*"] + names.map { "notification:" + $0 }
    }
}
