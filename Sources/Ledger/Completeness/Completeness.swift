internal import Basics

/// How complete the data of one app in one environment are.
package struct Completeness: Sendable, Hashable {
    package enum State: String, Sendable, Hashable {
        /// Nothing is missing between `since` and a short while ago.
        case complete
        /// Missing data are being fetched.
        case catchingUp = "catching_up"
        /// Data are missing, and the server cannot fetch them without help.
        case behind
        /// The server cannot determine it.
        case unknown
    }

    package var appEnvironment: AppEnvironment
    package var state: State
    /// Why the state is not `complete`, and what to do.
    package var reason: String?
    package var mark: CompletenessMark?
    /// The time since the end of the interval without gaps.
    package var age: Milliseconds?
    package var missing: MissingCounts
    /// The missing items, as far as there is room.
    package var missingItems: MissingItems

    /// Determines the state and its reason.
    package init(
        appEnvironment: AppEnvironment, mark: CompletenessMark? = nil, age: Milliseconds? = nil,
        missing: MissingCounts, missingItems: MissingItems, status: RecoveryStatus
    ) {
        self.appEnvironment = appEnvironment
        self.mark = mark
        self.age = age
        self.missing = missing
        self.missingItems = missingItems
        state = .complete
        (state, reason) = stateAndReason(for: status)
    }
}

extension Completeness {
    /// The status of the recovery service.
    package struct RecoveryStatus: Sendable, Hashable {
        /// Whether the App Store Server API can be called: whether there is a key.
        package var hasKey: Bool
        /// Whether recovery runs on its schedule.
        package var isEnabled: Bool
        /// The time between two passes.
        package var interval: Duration
        /// Why the last pass failed.
        package var trouble: String?
        /// Whether the history of a long outage is being read.
        package var isCatchingUp: Bool

        package init(
            hasKey: Bool, isEnabled: Bool, interval: Duration, trouble: String? = nil, isCatchingUp: Bool = false
        ) {
            self.hasKey = hasKey
            self.isEnabled = isEnabled
            self.interval = interval
            self.trouble = trouble
            self.isCatchingUp = isCatchingUp
        }
    }

    /// Returns the age above which data may be missing: the time of three passes, and ten minutes.
    package static func longestAge(interval: Duration) -> Milliseconds {
        Milliseconds(interval.seconds * 1000) * 3 + 600_000
    }

    private func stateAndReason(for status: RecoveryStatus) -> (State, String?) {
        guard status.hasKey else {
            return (
                .unknown,
                "The app has no key for the App Store Server API: add `key` in the configuration so that the server can "
                    + "find and close gaps."
            )
        }
        if let trouble = status.trouble { return (.behind, trouble) }
        guard let age else {
            return status.isCatchingUp || status.isEnabled
                ? (.catchingUp, "The history is being read for the first time.")
                : (.unknown, "Recovery is disabled and has never run: enable it, or POST /v1/recoveries.")
        }
        if status.isCatchingUp { return (.catchingUp, "The history since the last outage is being read.") }
        if missing.unverified + missing.unverifiedSpans > 0 { return (.behind, unverifiedReason) }
        if missing.failedNotifications > 0 { return (.behind, failedReason) }
        guard age <= Self.longestAge(interval: status.interval) else {
            // Never name a shorter time than may be missing.
            let length = Double(age / 1000).lengthInWords(rounded: .up)
            return (.behind, "Notifications of the last \(length) may be missing.")
        }
        if missing.isFillingGap {
            let gap = "Older changes are no longer in the App Store's notification history"
            return status.isEnabled
                ? (.catchingUp, gap + ", so the history of every known purchase is being requested.")
                : (.behind, gap + ". Enable recovery, which then requests the history of every known purchase.")
        }
        return (.complete, nil)
    }

    /// The reason if the App Store's answers contained data that failed verification.
    private var unverifiedReason: String {
        // A notification that was verified before, from another delivery, is not listed as an item.
        let found =
            missing.unverified > 0
            ? "\(missing.unverified) \(missing.unverified.noun("item")) in the App Store's answers failed verification; "
                + "unverified_items lists the latest with the reasons."
            : "Notifications in the App Store's answers failed verification; unverified_spans lists their times, and "
                + "the log has the reasons."
        return found
            + " The server asks for them again automatically, after every start and then less and less often. "
            + "If the code is untrusted_root, check `trust.anchors`, then restart."
    }

    /// The reason if stored notifications could not be processed.
    private var failedReason: String {
        let contain = missing.failedNotifications.noun("notification contains", "notifications contain")
        return "\(missing.failedNotifications) stored \(contain) data that failed verification; see "
            + "GET /v1/notifications?state=failed. When the cause is removed, POST /v1/notifications/reprocess."
    }
}
