import AppStoreModels
import Entitlements
import Foundation
import MemoryLedger
import TestSupport

@testable import Ledger

/// One operation on a ledger; it returns the results as text.
struct Step: Sendable {
    var name: String
    var run: @Sendable (inout Walk) async throws -> String
}

/// A ledger that runs steps, with the identifiers that this engine assigned.
struct Walk {
    var ledger: any LedgerEngine
    let scopes: [AppEnvironment]
    var waiting: [ProcessedNotification] = []
    var recoveries: [Int64] = []
    /// The notifications in their order.
    private var notifications: [Int64] = []
    /// The UUIDs and texts of all notifications and other texts.
    private var texts: [Int64: String] = [:]

    init(_ ledger: any LedgerEngine) async throws {
        self.ledger = ledger
        scopes = try await ledger.scopes(of: ["Production", "Sandbox"].map { ("com.example.shop", $0) }).all
    }

    /// Receives notifications and, in the same commit, processes some of the waiting ones.
    mutating func commit(
        _ arrivals: [(received: ReceivedNotification, processed: ProcessedNotification)], processed count: Int,
        at now: Milliseconds = 0
    ) async throws -> String {
        var processed = Array(waiting.prefix(count))
        waiting.removeFirst(processed.count)
        for index in processed.indices { processed[index].processedAt = now }
        let insertions = try await ledger.commit(received: arrivals.map(\.received), processed: processed)
        for (insertion, arrival) in zip(insertions, arrivals) {
            guard case .stored(let id) = insertion else { continue }
            if id > 0, texts[id] == nil { notifications.append(id) }
            texts[id] = "\(arrival.received.uuid) \(arrival.received.text)"
            var notification = arrival.processed
            notification.id = id
            // A notification that failed and was received again waits once.
            waiting.removeAll { $0.id == id }
            waiting.append(notification)
        }
        return insertions.map { if case .stored(let id) = $0 { id < 0 ? "other" : "kept" } else { "duplicate" } }
            .joined(separator: " ")
    }

    /// Returns the row identifier of a notification by its position, which begins at one; the maximum if there is none.
    func notification(at position: Int?) -> Int64 {
        guard let position, notifications.indices.contains(position - 1) else { return .max }
        return notifications[position - 1]
    }

    /// Returns the UUIDs and texts of notifications.
    func texts(of notifications: [Int64]) -> [String] { notifications.map { texts[$0] ?? "unknown" } }
}

extension Step {
    /// Random steps, the same for every engine.
    static func walk(seed: UInt64, count: Int) throws -> [Step] {
        var facts = RandomFacts(seed: seed)
        var now = RandomFacts.start.milliseconds + 4 * 86_400_000
        return try (0..<count).map { _ in
            // The clock is sometimes set back.
            now += Int64.random(in: -1000...40_000_000, using: &facts.random)
            return try random(&facts, at: now)
        }
    }

    /// The scopes as every engine numbers them in these tests.
    private static let scopes = [
        AppEnvironment(id: 1, bundleID: "com.example.shop", environment: .production),
        AppEnvironment(id: 2, bundleID: "com.example.shop", environment: .sandbox),
    ]

    private static func random(_ facts: inout RandomFacts, at now: Milliseconds) throws -> Step {
        let appEnvironment = facts.isOneIn(6) ? scopes[1] : scopes[0]
        let customer = facts.pick(RandomFacts.customers, or: "anna")
        switch Int.random(in: 0..<36, using: &facts.random) {
        case 0..<7: return receive(&facts, appEnvironment, now)
        case 7..<10:
            let signedFact = try facts.signedFact(in: appEnvironment, at: now)
            return Step(name: "signed fact") { "\(try await $0.ledger.commit([signedFact]))" }
        case 10: return fail(facts.isOneIn(2), now)
        case 11..<14: return claim(&facts, customer, appEnvironment, now)
        case 14:
            let other = facts.pick(RandomFacts.customers, or: "bob")
            return Step(name: "merge \(customer) into \(other)") {
                guard other != customer else { return "" }
                return "\(try await $0.ledger.merge(customer, into: other, in: appEnvironment.id, at: now).sorted())"
            }
        case 15..<17: return grant(&facts, customer, appEnvironment, now)
        case 17:
            guard facts.isOneIn(4) else { return firstPurchase(&facts, customer, appEnvironment, now) }
            return Step(name: "erase \(customer)") {
                "\(try await $0.ledger.erase(customer, in: appEnvironment, at: now))"
            }
        case 18..<20: return recovery(&facts, appEnvironment, now)
        case 20..<22: return request(&facts, appEnvironment, now)
        case 22..<24: return endpoint(&facts, now)
        case 24..<28: return fanOut(&facts, now)
        case 28..<31: return deliver(&facts, now)
        case 31: return replay(&facts, now)
        case 32: return report(&facts, customer, appEnvironment, now)
        case 33..<35: return answer(&facts, now)
        default: return audit(&facts, now)
        }
    }

    private static func receive(_ facts: inout RandomFacts, _ appEnvironment: AppEnvironment, _ now: Milliseconds)
        -> Step
    {
        var arrivals = (0..<Int.random(in: 1...4, using: &facts.random)).map { _ in
            facts.notification(in: appEnvironment, at: now)
        }
        if facts.isOneIn(3) { arrivals += arrivals.prefix(1) }
        let (sent, processed) = (arrivals, Int.random(in: 0...5, using: &facts.random))
        return Step(name: "receive \(sent.map(\.received.uuid)) process \(processed)") {
            try await $0.commit(sent, processed: processed, at: now)
        }
    }

    private static func fail(_ isReprocessed: Bool, _ now: Milliseconds) -> Step {
        Step(name: "fail") { walk in
            guard let first = walk.waiting.first else { return "" }
            try await walk.ledger.fail(first.id, code: "no", message: "it cannot be believed", at: now)
            let failed = try await walk.ledger.failedNotifications(code: "no", in: [1, 2], limit: 3)
            if isReprocessed {
                try await walk.ledger.reprocess([first.id], at: now)
            } else {
                walk.waiting.removeFirst()
            }
            let others = try await walk.ledger.failedNotifications(code: "other", in: [1, 2], limit: 3)
            return "\(first.uuid) \(walk.texts(of: failed)) \(others)"
        }
    }

    private static func claim(
        _ facts: inout RandomFacts, _ customer: String, _ appEnvironment: AppEnvironment, _ now: Milliseconds
    ) -> Step {
        let policies: [RestorePolicy] = [.transfer, .share, .keepOriginal, .transferIfInactive]
        let claim = Claim(
            customer: customer, scope: appEnvironment.id,
            originalTransactionIDs: facts.isOneIn(4) ? [] : [facts.original(), facts.original()],
            appTransactionID: facts.isOneIn(2) ? facts.pick(RandomFacts.accounts, or: "x") : nil,
            policy: facts.pick(policies, or: .share), overridesNamedAccount: facts.isOneIn(2),
            skipsRefused: facts.isOneIn(2),
            needsPurchase: facts.isOneIn(3), erasuresKnownUntil: facts.isOneIn(3) ? now - 100_000_000 : .max,
            claimedAt: now)
        return Step(name: "\(claim)") {
            let outcome = try await $0.ledger.claim(
                claim, givesAccess: { $0.successors.isEmpty && $0.lineage.renewal?.willRenew ?? false },
                originalGivesAccess: { $0.signedDate > RandomFacts.start })
            switch outcome {
            case .granted(let originals): return "\(originals.sorted())"
            case .inUse(let refusal): return "in use: \(refusal)"
            case .overtaken: return "overtaken by an erasure"
            }
        }
    }

    private static func grant(
        _ facts: inout RandomFacts, _ customer: String, _ appEnvironment: AppEnvironment, _ now: Milliseconds
    ) -> Step {
        // Grant identifiers are unique per app, like those that the server creates.
        let id = "grant\(appEnvironment.id)_\(Int.random(in: 0..<6, using: &facts.random))"
        let until = facts.isOneIn(2) ? now + Int64.random(in: 0...100_000_000, using: &facts.random) : nil
        switch Int.random(in: 0..<4, using: &facts.random) {
        case 0:
            return Step(name: "emit expired grants") { "\(try await $0.ledger.emitExpiredGrants(at: now, limit: 1))" }
        case 1:
            return Step(name: "revoke \(id)") {
                "\(try await $0.ledger.revokeGrant(id, of: customer, because: .init(reason: "over", actor: "team"), in: appEnvironment.id, at: now))"
            }
        default:
            let content = GrantEvent.Content(
                customer: customer, entitlement: "pro", until: until, reason: "sorry", actor: "team")
            return Step(name: "grant \(id) to \(customer)") {
                "\(try await $0.ledger.createGrant(id, content, in: appEnvironment.id, at: now))"
            }
        }
    }

    private static func firstPurchase(
        _ facts: inout RandomFacts, _ customer: String, _ appEnvironment: AppEnvironment, _ now: Milliseconds
    ) -> Step {
        let account = facts.pick(RandomFacts.accounts, or: "x")
        let purchase = OriginalPurchase(
            scope: appEnvironment.id, subject: account,
            kind: .appTransaction,
            fact: OriginalPurchaseFact(
                applicationVersion: "1", purchaseDate: facts.days(0...3), appTransactionID: account,
                signedDate: facts.days(0...2), isTestData: appEnvironment.environment != .production),
            origin: .app, receivedAt: now, text: facts.text())
        return Step(name: "first purchase") {
            try await $0.ledger.store([purchase])
            return ""
        }
    }

    private static func recovery(_ facts: inout RandomFacts, _ appEnvironment: AppEnvironment, _ now: Milliseconds)
        -> Step
    {
        let from = facts.days(0...3).milliseconds
        let windows = (0..<Int.random(in: 1...2, using: &facts.random)).map { index in
            RecoveryWindow(stage: index, from: from + Int64(index) * 1000, until: from + Int64(index + 1) * 1000)
        }
        let plan = RecoveryPlan(
            scope: appEnvironment.id, cause: .schedule, from: from, until: from + 2000, filters: [],
            movesMark: !facts.isOneIn(4), windows: windows)
        let unverified = (0..<Int.random(in: 0...1, using: &facts.random)).map { _ in
            UnverifiedItem(
                digest: Data([UInt8.random(in: 0..<6, using: &facts.random)]),
                claimedUUID: facts.isOneIn(2) ? "00000000-0000-4000-8000-000000000012" : nil, code: "no", message: "no")
        }
        let page = PageOutcome(
            isLast: true, counts: RecoveryCounts(pages: 1, found: 2, new: 1, duplicates: 1),
            unverified: unverified, signedUntil: from + 500)
        let isGivenUp = facts.isOneIn(8)
        return Step(name: "recovery") { walk in
            guard let open = walk.recoveries.first else {
                walk.recoveries.append(try await walk.ledger.begin(plan, at: now))
                return ""
            }
            if isGivenUp {
                walk.recoveries.removeFirst()
                try await walk.ledger.record(failure: "no", of: open, isGivenUp: true, at: now)
                return "given up"
            }
            guard let window = try await walk.ledger.openWindows(of: open).first else {
                walk.recoveries.removeFirst()
                return "\(try await walk.ledger.finish(recovery: open, until: now, limit: from, at: now) as Any)"
            }
            try await walk.ledger.record(page, of: window, at: now)
            let windows = try await walk.ledger.windows(of: open, limit: 5)
            return "\(windows.map { "\($0.window.stage) \($0.window.from) \($0.window.until) \($0.isDone)" })"
        }
    }

    private static func request(_ facts: inout RandomFacts, _ appEnvironment: AppEnvironment, _ now: Milliseconds)
        -> Step
    {
        let (id, kind) = (facts.original(), Int.random(in: 0..<8, using: &facts.random))
        return Step(name: "request \(kind) \(id)") { walk in
            let ledger = walk.ledger
            let due = try await ledger.dueHistoryRequests(in: appEnvironment.id, at: now, limit: 10).first {
                $0.transactionID == id
            }
            switch kind {
            case 0, 1: try await ledger.add(requests: [id], in: appEnvironment.id, because: .restore, at: now)
            case 2:
                try await ledger.scheduleRetry(of: id, in: appEnvironment.id, code: "no", until: now + 1000, at: now)
            case 3: if let due { try await ledger.finish(request: due.id) }
            case 4: if let due { try await ledger.fail(request: due.id, code: "never", at: now) }
            case 5: if let due { try await ledger.postpone(due, until: now + 9_000_000, code: "later") }
            case 6:
                // Two workers read the same request, and the other one has finished it already.
                if let due {
                    try await ledger.finish(request: due.id)
                    try await ledger.postpone(due, until: now + 3_000_000, code: "doubted")
                }
            default: try await ledger.record(revision: "r\(id)", of: id, in: appEnvironment.id, at: now)
            }
            let missing = try await ledger.missingCounts(in: appEnvironment.id)
            let (waiting, failed) = (missing.historyRequests, missing.failedHistoryRequests)
            let mark = try await ledger.historyMark(of: [id], in: appEnvironment.id)?.revision ?? "-"
            let allDue = try await ledger.dueHistoryRequests(in: appEnvironment.id, at: now, limit: 10).map {
                "\($0.scope) \($0.transactionID) \($0.reason) \($0.attempts) \($0.nextAttemptAt) \($0.failure ?? "-")"
            }
            return "\(waiting) \(failed) \(mark) \(allDue.sorted())"
        }
    }
}
