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
    /// Whether somebody asked for it, on top of Apple's schedule.
    var isManual: Bool
    /// What a notification of version 1 says at this moment.
    var version1: Version1Contents?
}

extension SimulatorState {
    /// The attempt that was planned for `planned`; nil if something else has been planned since, nobody is to be told, or a
    /// fault lets others go first.
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
        let effects = faults.strike(record.targets, in: environment, at: date).filter { effect in
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

    /// Sends it later: 1 to 600 seconds on the simulator's clock, once. The clock must not pass that before it is planned.
    private mutating func postpone(_ attempt: DeliveryAttempt) {
        let seconds = Double(1 + attempt.number.magnitude &* 2_654_435_761 % 600)
        self[attempt.environment].notifications[attempt.number].wasPostponed = true
        self[attempt.environment].plan(attempt, at: attempt.date + seconds)
    }
}

extension DeliveryAttempt {
    /// Whether others go first. One that is lost, or finds nobody, does not wait for that.
    fileprivate var isPostponed: Bool {
        effects.first { [Fault.Effect.drop, .unreachable, .reorder].contains($0) } == .reorder
    }
}

extension Store {
    /// Has an attempt made at `date` that could not be made now.
    mutating func plan(_ attempt: DeliveryAttempt, at date: Date) {
        if attempt.isManual { resend(attempt.number, at: date) } else { plan(attempt.number, at: date) }
    }
}

extension NotificationRecord {
    /// What faults call it.
    fileprivate var targets: [String] {
        let names = version == .two && subtype != nil ? [type.rawValue, name] : [name]
        return ["notification:*"] + names.map { "notification:" + $0 }
    }
}
