internal import Basics
package import Foundation

/// The requests that a recovery sends. The plan is computed from values; the time is a parameter.
package struct RecoveryPlan: Sendable, Hashable {
    package var scope: Int64
    package var cause: RecoveryRun.Cause
    package var from: Milliseconds
    package var until: Milliseconds
    package var filters: [NotificationFilter]
    package var movesMark: Bool
    package var windows: [RecoveryWindow]

    /// The longest window that is requested at once. A pagination token expires eventually, and then its window starts
    /// over.
    private static let longestWindow: Milliseconds = 3 * 86_400_000
    /// After an outage longer than this, the notifications that change access are requested first.
    fileprivate static let longOutage: Milliseconds = 6 * 3_600_000
    /// The distance from the end of the App Store's retention: a request takes time, and clocks differ.
    private static let margin: Milliseconds = 600_000
    /// Notifications signed in the last moments may not be in the history yet. Apple does not document how long that
    /// takes; the overlap covers longer delays.
    package static let historyDelay: Milliseconds = 60_000

    /// Returns the oldest instant for which the history can be requested.
    package static func limit(at now: Date, _ settings: RecoverySettings) -> Milliseconds {
        // A century is longer than any history, and its milliseconds do not overflow.
        now.milliseconds - Milliseconds(min(max(settings.retentionDays, 0), 36_500)) * 86_400_000 + margin
    }

    /// Plans to read everything that was signed since the mark, with an overlap; without a mark, everything that the
    /// App Store keeps.
    ///
    /// - Parameters:
    ///   - spans: The unverified spans.
    ///   - readsSpans: Whether to read the unverified spans again.
    package static func catchUp(
        _ scope: Int64, from mark: CompletenessMark?, spans: UnverifiedSpans = UnverifiedSpans(),
        readsSpans: Bool = true, at now: Date, because cause: RecoveryRun.Cause,
        _ settings: RecoverySettings
    ) -> RecoveryPlan {
        let end = now.milliseconds
        let limit = limit(at: now, settings)
        let overlap = max(Milliseconds(settings.overlap.seconds * 1000), historyDelay)
        // A mark in the future was set by a wrong clock.
        let known = mark.map { min($0.readUntil, end - historyDelay) }
        let from = max(known.map { $0 - overlap } ?? limit, limit)
        var windows: [RecoveryWindow] = []
        if let known, end - known > longOutage {
            windows = NotificationFilter.urgent.map {
                RecoveryWindow(stage: 0, from: from, until: end, filter: $0, onlyFailures: true)
            }
        }
        windows += split(from, end, stage: 1, settings.parallelWindows)
        windows += unprovenWindows(from, limit, mark?.signedUntil.map { $0 - overlap }, hasMark: mark != nil, spans)
        if readsSpans {
            var again = spans
            again.remove(.init(from: from, until: end))
            for span in again.spans where span.until > limit {
                windows += split(max(span.from, limit), span.until, stage: 2, settings.parallelWindows)
            }
        }
        return RecoveryPlan(
            scope: scope, cause: cause, from: from, until: end, filters: [], movesMark: true, windows: windows)
    }

    /// If the clock was ahead when the history was read, less was read than the mark says. Reading on from the newest
    /// notification ever seen costs one page, which is empty unless something was missed.
    private static func unprovenWindows(
        _ from: Milliseconds, _ limit: Milliseconds, _ seen: Milliseconds?, hasMark: Bool, _ spans: UnverifiedSpans
    ) -> [RecoveryWindow] {
        let seen = max(seen ?? limit, limit)
        guard hasMark, seen < from else { return [] }
        var parts = UnverifiedSpans([.init(from: seen, until: from)])
        for span in spans.spans { parts.remove(span) }
        return parts.spans.map { RecoveryWindow(stage: 2, from: $0.from, until: $0.until) }
    }

    /// Plans a recovery that was requested by hand. The mark moves only where unverified notifications are now
    /// verified.
    package static func requested(
        _ scope: Int64, from: Milliseconds, until: Milliseconds, filters: [NotificationFilter],
        _ settings: RecoverySettings
    ) -> RecoveryPlan {
        // The request may name both a type and one of its subtypes.
        let filters: [NotificationFilter] = filters.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        var windows = split(from, until, stage: 0, settings.parallelWindows)
        if !filters.isEmpty {
            windows = filters.map { RecoveryWindow(stage: 0, from: from, until: until, filter: $0) }
        }
        return RecoveryPlan(
            scope: scope, cause: .request, from: from, until: until, filters: filters, movesMark: false,
            windows: windows)
    }

    /// Splits a time into windows that share their ends, so that no instant falls between them.
    private static func split(
        _ from: Milliseconds, _ until: Milliseconds, stage: Int, _ parallel: Int
    ) -> [RecoveryWindow] {
        let span = max(until - from, 1)
        var count = max((span + longestWindow - 1) / longestWindow, 1)
        if span > longOutage { count = max(count, Milliseconds(clamping: parallel)) }
        count = min(max(count, 1), 1000)
        return (0..<count).map { index in
            let end = index == count - 1 ? until : from + span / count * (index + 1)
            return RecoveryWindow(stage: stage, from: from + span / count * index, until: end)
        }
    }
}

extension RecoveryRun {
    /// Whether the recovery was planned while the clock was ahead. The App Store refuses time spans in the future.
    package func isAhead(of now: Milliseconds) -> Bool { movesMark && until > now + RecoveryPlan.historyDelay }

    /// Whether the recovery reads what was missed in a long outage.
    package var followsLongOutage: Bool { movesMark && until - from > RecoveryPlan.longOutage }
}
