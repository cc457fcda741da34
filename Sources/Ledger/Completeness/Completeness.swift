internal import Basics
internal import Foundation

/// What can be said about the gaps of a scope.
package struct Completeness: Sendable, Hashable {
    package enum State: String, Sendable, Hashable {
        /// Nothing is missing up to a short while ago.
        case complete
        /// What is missing is being fetched.
        case catchingUp = "catching_up"
        /// Something is missing that does not come by itself.
        case behind
        /// Nobody can know.
        case unknown
    }

    package var scope: Scope
    package var state: State
    /// Why it is not complete, and what to do.
    package var reason: String?
    package var mark: CompletenessMark?
    /// How long ago the end of the stretch without gaps is.
    package var age: Milliseconds?
    package var missing: MissingCounts
    /// The same by name.
    package var names: MissingNames

    package init(
        scope: Scope, state: State, reason: String? = nil, mark: CompletenessMark? = nil, age: Milliseconds? = nil,
        missing: MissingCounts, names: MissingNames
    ) {
        self.scope = scope
        self.state = state
        self.reason = reason
        self.mark = mark
        self.age = age
        self.missing = missing
        self.names = names
    }
}

extension Completeness {
    /// What recovery says about itself.
    package struct Situation: Sendable, Hashable {
        /// Whether the App Store can be asked: whether there is a key.
        package var canAsk: Bool
        /// Whether recovery goes by its schedule.
        package var isEnabled: Bool
        /// How long between two passes.
        package var interval: Duration
        /// What keeps the last pass from succeeding.
        package var trouble: String?
        /// Whether the history of a long outage is being read.
        package var isCatchingUp: Bool

        package init(
            canAsk: Bool, isEnabled: Bool, interval: Duration, trouble: String? = nil, isCatchingUp: Bool = false
        ) {
            self.canAsk = canAsk
            self.isEnabled = isEnabled
            self.interval = interval
            self.trouble = trouble
            self.isCatchingUp = isCatchingUp
        }
    }

    /// Decides the state and its reason from all that is known.
    package mutating func judge(_ situation: Situation) { (state, reason) = judgement(situation) }

    private func judgement(_ situation: Situation) -> (State, String?) {
        guard situation.canAsk else {
            return (
                .unknown,
                "The app has no key for the App Store Server API: add `key` in the configuration so that the server can "
                    + "find and close gaps."
            )
        }
        if let trouble = situation.trouble { return (.behind, trouble) }
        guard let age else {
            return situation.isCatchingUp || situation.isEnabled
                ? (.catchingUp, "The history is being read for the first time.")
                : (.unknown, "Recovery is disabled and has never run: enable it, or POST /v1/recoveries.")
        }
        if situation.isCatchingUp { return (.catchingUp, "The history since the last outage is being read.") }
        if missing.unverified + missing.unverifiedSpans > 0 {
            return (
                .behind,
                "\(missing.unverified) items in the App Store's answers failed verification; unverified_items lists the "
                    + "latest with the reasons. The server asks for them again automatically, after every start and then "
                    + "less and less often. If the code is untrusted_root, check `trust.anchors`, then restart."
            )
        }
        if missing.failedNotifications > 0 {
            return (
                .behind,
                "\(missing.failedNotifications) stored notifications contain data that failed verification; see "
                    + "GET /v1/notifications?state=failed. POST /v1/recoveries for their time retries them."
            )
        }
        guard age <= Milliseconds(situation.interval.seconds * 1000) * 3 + 600_000 else {
            return (.behind, "Notifications of the last \(age / 60_000) minutes may be missing.")
        }
        return (.complete, nil)
    }
}
