package import AppStoreModels
package import Foundation

/// The schedule of retries for failed notifications. Apple's page: *Responding to App Store Server Notifications*.
package enum RetrySchedule {
    /// Returns the hours between consecutive attempts.
    private static func hours(of version: NotificationVersion) -> [Double] {
        version == .one ? [6, 24, 48] : [1, 12, 24, 48, 72]
    }

    /// The maximum number of stored attempts of a notification, scheduled and manual ones together.
    package static let maximumAttempts = 100

    /// The shortest time between an attempt and its retry, in seconds.
    package static let minimumDelay: TimeInterval = 3600

    /// Returns the time of the next attempt after `attempts` attempts, the latest of them at `date`; nil if there are
    /// no more.
    package static func next(after attempts: Int, at date: Date, version: NotificationVersion) -> Date? {
        let hours = hours(of: version)
        guard attempts > 0, attempts <= hours.count else { return nil }
        return date + hours[attempts - 1] * 3600
    }
}

extension Store {
    /// Schedules a notification for `date`. Replaces an earlier schedule.
    package mutating func scheduleDelivery(_ number: Int, at date: Date) {
        guard notifications.indices.contains(number) else { return }
        notifications[number].due = date
        deliveries.add(.delivery(number), at: date, order: number)
    }

    /// Schedules an additional, manual delivery of a notification at `date`. The regular schedule stays unchanged.
    package mutating func resend(_ number: Int, at date: Date) {
        guard notifications.indices.contains(number) else { return }
        resends[number] = date
        deliveries.add(.delivery(number), at: date, order: number)
    }

    /// Records the result of an attempt to send a notification, and schedules the next attempt if there is one.
    ///
    /// If `isFinal`, there is no further attempt. If `isManual`, the attempt does not count as one of the schedule, and
    /// the schedule continues unless the notification has arrived.
    package mutating func recordAttempt(
        _ number: Int, _ result: SendAttemptResult, status: Int?, answer: Data = Data(), isFinal: Bool = false,
        isManual: Bool = false, at date: Date
    ) {
        guard notifications.indices.contains(number) else { return }
        if !isManual || result == .success { notifications[number].due = nil }
        let wasDelivered = notifications[number].isDelivered
        if result == .success, !wasDelivered {
            notifications[number].isDelivered = true
            delivered &+= 1
        }
        // Manual attempts are stored, too, so that their result can be read. At the limit, a new attempt replaces the
        // latest manual one; scheduled attempts alone never reach the limit.
        if notifications[number].attempts.count >= RetrySchedule.maximumAttempts {
            let last = notifications[number].attempts.lastIndex(where: \.isManual)
            notifications[number].attempts.remove(at: last ?? notifications[number].attempts.count - 1)
        }
        notifications[number].attempts.append(
            NotificationAttempt(date: date, result: result, status: status, answer: answer, isManual: isManual))
        if result != .success { failedAttempts &+= 1 }
        // A notification that has arrived before is not retried.
        guard !isManual else { return }
        guard result != .success, !wasDelivered, settings.retriesNotifications, !isFinal,
            status != 400 || settings.retriesAfterBadRequest,
            let next = RetrySchedule.next(
                after: notifications[number].attempts.count(where: { !$0.isManual }), at: date,
                version: notifications[number].version)
        else { return }
        scheduleDelivery(number, at: next)
    }
}
