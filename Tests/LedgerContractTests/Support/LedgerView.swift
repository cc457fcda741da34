import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import Testing

/// Everything that queries of a ledger return, as lines for comparison, without the engine's row identifiers.
enum LedgerView {
    static func lines(of ledger: any LedgerEngine, in scopes: [AppEnvironment], at now: Milliseconds) async throws
        -> [String]
    {
        var lines: [String] = []
        for appEnvironment in scopes {
            for customer in RandomFacts.customers {
                lines += try await Self.lines(of: customer, in: appEnvironment, ledger).map {
                    "\(appEnvironment.id) \(customer): \($0)"
                }
            }
            for original in RandomFacts.originals {
                lines += try await Self.lines(about: original, in: appEnvironment, ledger)
                    .map { "\(appEnvironment.id) \(original): \($0)" }
            }
            lines += try await Self.lines(ofLists: appEnvironment, at: now, ledger).map {
                "\(appEnvironment.id): \($0)"
            }
        }
        let backlog = try await ledger.backlog()
        lines.append("backlog \(backlog.count) since \(backlog.oldest ?? -1)")
        for ids in [scopes.map(\.id), scopes.suffix(1).map(\.id), []] {
            for answers in [[], ["answer"], ["", "no_consent"]] as [[String]] {
                let waiting = try await ledger.inquiryBacklogs(in: ids, dueBefore: .max, without: answers)
                    .sorted { $0.key < $1.key }
                lines.append("inquiries in \(ids) without \(answers): \(waiting)")
            }
        }
        lines += try await ledger.completenessMarks().map { "\($0)" }
        lines += try await webhooks(ledger)
        for scope in scopes { lines += try await inquiries(in: scope, ledger) }
        lines += try await ledger.audit(AuditFilter(), before: .max, limit: 50).items.map {
            "audit \($0.entry) \($0.digest.base64EncodedString()) \($0.isChained)"
        }
        let newest = try await ledger.firstEvents(9).compactMap { $0.event.notification }.max() ?? .max
        for gate in [
            FanOutLimit.none, FanOutLimit(after: newest, holdsRecovered: false),
            .init(after: .max, holdsRecovered: true),
        ] {
            lines += try await feed(ledger, in: scopes, gate).map { "feed: \($0)" }
        }
        return lines
    }

    /// What queries return about a customer.
    static func lines(
        of customer: String, in appEnvironment: AppEnvironment, _ ledger: any LedgerEngine
    ) async throws -> [String] {
        let (lineages, context) = try await ledger.snapshot(of: customer, in: appEnvironment)
        #expect(try await ledger.lineages(of: customer, in: appEnvironment.id) == lineages)
        #expect(try await ledger.entitlementContext(of: customer, in: appEnvironment).groups == context.groups)
        var lines = lineages.map { "has \($0)" }
        lines += try await ledger.purchases(ownedBy: customer, in: appEnvironment.id).map { "held \($0)" }
        lines += try await ledger.accounts(of: customer, in: appEnvironment.id).map { "account \($0)" }
        lines += try await ledger.grants(of: customer, in: appEnvironment.id).map { "grant \($0)" }
        lines += try await ledger.originalPurchases(ownedBy: customer, in: appEnvironment.id).map { "first \($0)" }
        lines +=
            context.grants.map { "\($0)" }.sorted() + context.originalPurchases.map { "\($0)" }.sorted()
        lines += context.groups.sorted()
        var position = TimelinePosition(date: .max)
        while true {
            let items = try await ledger.timeline(of: customer, in: appEnvironment.id, after: position, limit: 3)
            lines += items.map {
                "timeline \($0.position.date) \($0.position.name) \($0.originalTransactionID) \(text($0.kind))"
            }
            for case .notification(let stored) in items.map(\.kind) {
                #expect(try await ledger.isNotification(stored.id, inTimelineOf: customer, in: appEnvironment.id))
                let isInOtherTimeline = try await ledger.isNotification(
                    stored.id, inTimelineOf: "nobody", in: appEnvironment.id)
                #expect(!isInOtherTimeline)
            }
            guard let last = items.last else { return lines }
            position = last.position
        }
    }

    private static func lines(
        about original: String, in appEnvironment: AppEnvironment, _ ledger: any LedgerEngine
    ) async throws -> [String] {
        var lines = try await ledger.owners(of: original, in: appEnvironment.id).map { "owner \($0)" }
        lines.append("\(try await ledger.lineage(original, in: appEnvironment.id).map { "\($0)" } ?? "unknown")")
        lines += try await ledger.successors(of: original, in: appEnvironment.id).map { "goes on as \($0)" }.sorted()
        lines += try await ledger.notifications(about: original, in: appEnvironment.id, limit: 50).map { text($0) }
        for transactions: Set<String>? in [nil, [original], []] {
            for notifications in [true, false] {
                let wanted = [original, "unknown", original].map { FactSelection($0, transactions: transactions) }
                lines += try await ledger.sources(of: wanted, notifications: notifications, in: appEnvironment.id)
                    .map { "\($0.originalTransactionID) from \(text($0.source))" }
            }
        }
        lines += try await ledger.identifiersOfSameAccountPurchases(of: [original], in: appEnvironment.id)
        for number in 0..<3 {
            lines.append(
                try await ledger.originalTransactionID(of: "\(original)\(number)", in: appEnvironment.id) ?? "nothing")
        }
        return lines
    }

    private static func text(_ source: StoredSource) -> String {
        switch source {
        case .notification(let stored, let kind): "\(kind) of \(text(stored))"
        case .signedFact(let stored): "\(stored)"
        }
    }

    private static func lines(
        ofLists appEnvironment: AppEnvironment, at now: Milliseconds, _ ledger: any LedgerEngine
    ) async throws -> [String] {
        var lines = try await ledger.lineages(ofAccounts: RandomFacts.accounts, in: appEnvironment.id).map {
            "account's \($0)"
        }
        for account in RandomFacts.accounts {
            let customer = try await ledger.customer(ofAccount: account, in: appEnvironment.id)
            lines.append("\(account) of \(customer ?? "nobody")")
        }
        lines += try await ledger.productGroups(in: appEnvironment.id).map { "\($0)" }.sorted()
        lines += try await ledger.summaries(after: "1", in: appEnvironment.id, limit: 2).map { "\($0)" }
        for segment in Segment.allCases {
            let count = try await ledger.count(of: segment, in: appEnvironment.id, at: now, limit: 3)
            lines.append("\(segment) \(count)")
            var query = SegmentQuery(segment, in: appEnvironment.id, at: now, limit: 1)
            while true {
                let (items, next) = try await ledger.members(query)
                lines += items.map { "\(segment) \($0)" }
                guard let next else { break }
                query.after = next
            }
        }
        var after = ""
        while true {
            let (items, next) = try await ledger.unclaimedPurchases(in: appEnvironment.id, after: after, limit: 1)
            lines += items.map { "unclaimed \($0.originalTransactionID)" }
            guard let next else { break }
            after = next
        }
        for state in [nil, StoredNotification.State.pending, .processed, .failed] {
            lines += try await inbox(state, in: appEnvironment, ledger)
        }
        let counts = try await ledger.missingCounts(in: appEnvironment.id)
        let missing = try await ledger.missingItems(in: appEnvironment.id)
        lines += ["\(counts)", "\(missing.unverifiedItems)", "\(missing.unverifiedSpans)"]
        lines += try await ledger.openRecoveries(in: appEnvironment.id).map { text($0) }
        lines += try await ledger.recoveries(in: [appEnvironment.id], before: nil, limit: 5).map { text($0) }
        return lines
    }

    /// All pages of two, newest first.
    private static func inbox(
        _ state: StoredNotification.State?, in appEnvironment: AppEnvironment, _ ledger: any LedgerEngine
    ) async throws -> [String] {
        var filter = InboxFilter(scopes: [appEnvironment.id])
        filter.state = state
        var lines: [String] = []
        var before: Int64? = .max
        while let id = before {
            let page = try await ledger.notifications(filter, before: id, limit: 2)
            let events = try await ledger.events(ofNotifications: page.items.map(\.id))
            lines += page.items.map { stored in
                let event = events[stored.id].map { "\($0.id) \($0.productID ?? "-") \($0.customer ?? "-")" } ?? "-"
                return "inbox \(state?.rawValue ?? "all") \(text(stored)) \(event)"
            }
            for stored in page.items where state == nil {
                lines += try await ledger.otherTexts(of: stored.id, limit: 3).map { "also \(text($0))" }
            }
            before = page.next
        }
        filter.originalTransactionID = "1"
        let page = try await ledger.notifications(filter, before: .max, limit: 4)
        return lines + page.items.map { "inbox of 1 \(text($0))" }
    }

    private static func feed(
        _ ledger: any LedgerEngine, in scopes: [AppEnvironment], _ gate: FanOutLimit
    ) async throws -> [String] {
        var query = FeedQuery(after: 0, scopes: Set(scopes.map(\.id)), limit: 3)
        var lines: [String] = []
        while true {
            let page = try await ledger.events(query, within: gate)
            for item in page.items {
                let event = item.event
                lines.append(
                    """
                    \(event.notification == nil ? "" : event.id) \(event.scope) \(event.type.rawValue) \
                    \(event.originalTransactionID ?? "-") \(event.customer ?? "-") \(event.occurredAt) \(event.createdAt) \
                    \(event.productID ?? "-") \(event.data ?? "-") \(item.late == nil ? "" : "again") \(item.notification.map { text($0) } ?? "")
                    """)
            }
            guard page.hasMore, page.cursor > query.after else { return lines }
            query.after = page.cursor
        }
    }

    static func text(_ run: RecoveryRun) -> String {
        """
        \(run.cause) \(run.from) \(run.until) \(run.movesMark) \(run.state) \(run.finishedAt ?? -1) \
        \(run.failure ?? "-") \(run.counts) \(run.windows) \(run.openWindows) \(run.signedUntil ?? -1)
        """
    }

    static func text(_ stored: StoredNotification) -> String {
        """
        \(stored.uuid) \(stored.type) \(stored.signedDate) \(stored.receivedAt) \(stored.origin) \(stored.state) \
        \(stored.failure ?? "-") \(stored.text)
        """
    }

    private static func text(_ kind: TimelineItem.Kind) -> String {
        switch kind {
        case .notification(let stored): text(stored)
        case .change(let change): "\(change)"
        case .originalPurchase(let fact): "\(fact)"
        case .grant(let change): "\(change)"
        }
    }
}
