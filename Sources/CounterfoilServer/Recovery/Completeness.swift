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
}

extension Recovery {
    /// What can be said about the gaps of a scope now.
    package func completeness(of scope: Scope) async throws -> Completeness {
        let mark = mark(of: scope.id)
        let missing = try await storage.missing(in: scope.id)
        let age = mark.map { max(now - $0.until, 0) }
        var completeness = Completeness(
            scope: scope, state: .complete, reason: nil, mark: mark, age: age, missing: missing,
            names: try await storage.missingNames(in: scope.id))
        let isCatchingUp = try await storage.openRecoveries(in: scope.id).contains {
            $0.movesMark && $0.until - $0.from > RecoveryPlan.longOutage
        }
        (completeness.state, completeness.reason) = judge(scope, mark, age, missing, isCatchingUp)
        return completeness
    }

    private func judge(
        _ scope: Scope, _ mark: CompletenessMark?, _ age: Milliseconds?, _ missing: MissingCounts, _ isCatchingUp: Bool
    ) -> (Completeness.State, String?) {
        guard clients[scope.id] != nil else {
            return (
                .unknown,
                "There is no key for the App Store Server API: add `key` to the app in the configuration, then gaps are "
                    + "found and closed."
            )
        }
        if let trouble = trouble(in: scope.id) { return (.behind, trouble.message) }
        guard let age else {
            if isCatchingUp || settings.isEnabled { return (.catchingUp, "The history is read for the first time.") }
            return (.unknown, "Recovery is switched off and was never run: POST /v1/recoveries, or switch it on.")
        }
        if isCatchingUp { return (.catchingUp, "The history since the last outage is being read.") }
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
        guard age <= Milliseconds(settings.interval.seconds * 1000) * 3 + 600_000 else {
            return (.behind, "What was signed in the last \(age / 60_000) minutes is not known to be all here.")
        }
        return (.complete, nil)
    }
}
