internal import AppStoreModels
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
    static let longOutage: Milliseconds = 6 * 3_600_000
    /// Stays clear of the end of what the App Store keeps: a request takes its time, and clocks differ.
    private static let margin: Milliseconds = 600_000
    /// What was signed in the last moments may not be in the history yet.
    static let settling: Milliseconds = 60_000

    /// The oldest instant that the history can be asked for.
    package static func limit(at now: Date, _ settings: ServerConfiguration.Recovery) -> Milliseconds {
        now.milliseconds - Milliseconds(clamping: settings.retentionDays) * 86_400_000 + margin
    }

    /// All that was signed since the mark, with an overlap; without a mark, all that the App Store keeps.
    package static func catchUp(
        _ scope: Int64, from mark: CompletenessMark?, at now: Date, because cause: RecoveryRun.Cause,
        _ settings: ServerConfiguration.Recovery
    ) -> RecoveryPlan {
        let end = now.milliseconds
        let limit = limit(at: now, settings)
        // A mark that lies ahead was set by a clock that was wrong.
        let known = mark.map { min($0.until, end - settling) }
        let from = max(known.map { $0 - Milliseconds(settings.overlap.seconds * 1000) } ?? limit, limit)
        var windows: [RecoveryWindow] = []
        if let known, end - known > longOutage {
            windows = NotificationFilter.urgent.map {
                RecoveryWindow(stage: 0, from: from, until: end, filter: $0, onlyFailures: true)
            }
        }
        windows += split(from, end, stage: 1, settings.windows)
        return RecoveryPlan(
            scope: scope, cause: cause, from: from, until: end, filters: [], movesMark: true, windows: windows)
    }

    /// What somebody asks for by hand. The mark stays.
    package static func asked(
        _ scope: Int64, from: Milliseconds, until: Milliseconds, filters: [NotificationFilter],
        _ settings: ServerConfiguration.Recovery
    ) -> RecoveryPlan {
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
