internal import Basics
package import Foundation

/// What a recovery will ask for. Pure: the time comes in.
package struct RecoveryPlan: Sendable, Hashable {
    package var scope: Int64
    package var cause: RecoveryRun.Cause
    package var from: Milliseconds
    package var until: Milliseconds
    package var filters: [NotificationFilter]
    package var movesMark: Bool
    package var windows: [RecoveryWindow]

    /// The history is not asked for longer at once: a token of its pages expires some day, and then the part begins anew.
    private static let longestWindow: Milliseconds = 3 * 86_400_000
    /// From here on what changes access is asked for first.
    package static let longOutage: Milliseconds = 6 * 3_600_000
    /// Stays clear of the end of what the App Store keeps: a request takes its time, and clocks differ.
    private static let margin: Milliseconds = 600_000
    /// What was signed in the last moments may not be in the history yet. Apple does not say how long that takes: what
    /// takes longer comes with the overlap.
    package static let settling: Milliseconds = 60_000

    /// The oldest instant that the history can be asked for.
    package static func limit(at now: Date, _ settings: RecoverySettings) -> Milliseconds {
        now.milliseconds - Milliseconds(clamping: settings.retentionDays) * 86_400_000 + margin
    }

    /// All that was signed since the mark, with an overlap; without a mark, all that the App Store keeps.
    ///
    /// - Parameters:
    ///   - spans: Where not everything could be believed.
    ///   - readsSpans: Whether it is time to read those again.
    package static func catchUp(
        _ scope: Int64, from mark: CompletenessMark?, spans: UnverifiedSpans = UnverifiedSpans(),
        readsSpans: Bool = true, at now: Date, because cause: RecoveryRun.Cause,
        _ settings: RecoverySettings
    ) -> RecoveryPlan {
        let end = now.milliseconds
        let limit = limit(at: now, settings)
        let overlap = max(Milliseconds(settings.overlap.seconds * 1000), settling)
        // A mark that lies ahead was set by a clock that was wrong.
        let known = mark.map { min($0.readUntil, end - settling) }
        let from = max(known.map { $0 - overlap } ?? limit, limit)
        var windows: [RecoveryWindow] = []
        if let known, end - known > longOutage {
            windows = NotificationFilter.urgent.map {
                RecoveryWindow(stage: 0, from: from, until: end, filter: $0, onlyFailures: true)
            }
        }
        windows += split(from, end, stage: 1, settings.windows)
        windows += earlier(from, limit, mark?.signedUntil.map { $0 - overlap }, hasMark: mark != nil, spans)
        if readsSpans {
            var again = spans
            again.remove(.init(from: from, until: end))
            for span in again.spans where span.until > limit {
                windows += split(max(span.from, limit), span.until, stage: 2, settings.windows)
            }
        }
        return RecoveryPlan(
            scope: scope, cause: cause, from: from, until: end, filters: [], movesMark: true, windows: windows)
    }

    /// If the clock ran ahead when the history was read, less was read than the mark says. What is newer than the newest
    /// notification that was ever seen there costs a page, and that page is empty unless something was missed.
    private static func earlier(
        _ from: Milliseconds, _ limit: Milliseconds, _ seen: Milliseconds?, hasMark: Bool, _ spans: UnverifiedSpans
    ) -> [RecoveryWindow] {
        let seen = max(seen ?? limit, limit)
        guard hasMark, seen < from else { return [] }
        var parts = UnverifiedSpans([.init(from: seen, until: from)])
        for span in spans.spans { parts.remove(span) }
        return parts.spans.map { RecoveryWindow(stage: 2, from: $0.from, until: $0.until) }
    }

    /// What somebody asks for by hand. The mark moves only as far as something is believed now that was not.
    package static func asked(
        _ scope: Int64, from: Milliseconds, until: Milliseconds, filters: [NotificationFilter],
        _ settings: RecoverySettings
    ) -> RecoveryPlan {
        // A type and one of its subtypes may both be named.
        let filters: [NotificationFilter] = filters.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        var windows = split(from, until, stage: 0, settings.windows)
        if !filters.isEmpty {
            windows = filters.map { RecoveryWindow(stage: 0, from: from, until: until, filter: $0) }
        }
        return RecoveryPlan(
            scope: scope, cause: .request, from: from, until: until, filters: filters, movesMark: false,
            windows: windows)
    }

    /// Parts that share their ends, so that nothing falls between them.
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
