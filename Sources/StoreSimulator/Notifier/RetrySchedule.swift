package import AppStoreModels
package import Foundation

/// When a notification that was not taken is sent again. Apple's page: *Responding to App Store Server Notifications*.
package enum RetrySchedule {
    /// The hours after the previous attempt.
    package static let hours: [Double] = [1, 12, 24, 48, 72]

    /// The same for version 1.
    package static let hoursOfVersion1: [Double] = [6, 24, 48]

    package static func hours(of version: NotificationVersion) -> [Double] {
        version == .one ? hoursOfVersion1 : hours
    }

    /// How many attempts of one notification are kept: Apple's, and what somebody asked for on top of them.
    package static let mostAttempts = 100

    /// No retry comes sooner than this after an attempt, in seconds.
    package static let soonest: TimeInterval = 3600

    /// When the next attempt is due after `attempts` of them, the last one at `date`; nil if that was the last.
    package static func next(
        after attempts: Int, at date: Date, version: NotificationVersion = .two
    ) -> Date? {
        let hours = hours(of: version)
        guard attempts > 0, attempts <= hours.count else { return nil }
        return date + hours[attempts - 1] * 3600
    }
}

extension Store {
    /// Has a notification sent at `date`, and at no other time that was planned.
    package mutating func plan(_ number: Int, at date: Date) {
        guard notifications.indices.contains(number) else { return }
        notifications[number].due = date
        deliveries.add(.delivery(number), at: date, order: number)
    }

    /// Has a notification sent once more at `date`. What is planned for another time stays planned.
    package mutating func resend(_ number: Int, at date: Date) {
        guard notifications.indices.contains(number) else { return }
        resends[number] = date
        deliveries.add(.delivery(number), at: date, order: number)
    }

    /// Notes how an attempt to send a notification ended, and plans the next one if there is to be one.
    ///
    /// `isFinal` makes it the last one. With `isManual` it is one that somebody asked for: it counts as none of Apple's, and what
    /// Apple has planned stays unless the notification has arrived.
    package mutating func noteAttempt(
        _ number: Int, _ result: SendAttemptResult, status: Int?, answer: Data = Data(), isFinal: Bool = false,
        isManual: Bool = false, at date: Date
    ) {
        guard notifications.indices.contains(number) else { return }
        if !isManual || result == .success { notifications[number].due = nil }
        let wasDelivered = notifications[number].isDelivered
        if result == .success, !wasDelivered {
            notifications[number].isDelivered = true
            delivered += 1
        }
        // Those that somebody asked for on top of Apple's as well: whoever asked wants to know how it ended. Of too many the
        // newest takes the place of the one before; Apple's are never too many.
        if notifications[number].attempts.count >= RetrySchedule.mostAttempts {
            let last = notifications[number].attempts.lastIndex(where: \.isManual)
            notifications[number].attempts.remove(at: last ?? notifications[number].attempts.count - 1)
        }
        notifications[number].attempts.append(
            NotificationAttempt(date: date, result: result, status: status, answer: answer, isManual: isManual))
        if result != .success { failedAttempts += 1 }
        // What has arrived before is not sent again by itself.
        guard !isManual else { return }
        guard result != .success, !wasDelivered, settings.retriesNotifications, !isFinal,
            status != 400 || settings.retriesAfterBadRequest,
            let next = RetrySchedule.next(
                after: notifications[number].attempts.count(where: { !$0.isManual }), at: date,
                version: notifications[number].version)
        else { return }
        plan(number, at: next)
    }
}
