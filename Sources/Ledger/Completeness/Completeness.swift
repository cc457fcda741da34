internal import Basics
internal import AppStoreModels
internal import AppStoreServer
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
                "There is no key for the App Store Server API: add `key` to the app in the configuration, then gaps are "
                    + "found and closed."
            )
        }
        if let trouble = situation.trouble { return (.behind, trouble) }
        guard let age else {
            return situation.isCatchingUp || situation.isEnabled
                ? (.catchingUp, "The history is read for the first time.")
                : (.unknown, "Recovery is switched off and was never run: POST /v1/recoveries, or switch it on.")
        }
        if situation.isCatchingUp { return (.catchingUp, "The history since the last outage is being read.") }
        if missing.unverified + missing.unverifiedSpans > 0 {
            return (
                .behind,
                "The App Store's answers held \(missing.unverified) items that cannot be believed: unverified_items has "
                    + "the first of them and why. They are asked for again by themselves, after every start and then ever "
                    + "less often. If it says untrusted_root, see `trust.anchors`; then restart."
            )
        }
        if missing.failedNotifications > 0 {
            return (
                .behind,
                "\(missing.failedNotifications) notifications are kept whose inside cannot be believed: see "
                    + "GET /v1/notifications?state=failed. POST /v1/recoveries for their time tries them again."
            )
        }
        guard age <= Milliseconds(situation.interval.seconds * 1000) * 3 + 600_000 else {
            return (.behind, "What was signed in the last \(age / 60_000) minutes is not known to be all here.")
        }
        return (.complete, nil)
    }
}
