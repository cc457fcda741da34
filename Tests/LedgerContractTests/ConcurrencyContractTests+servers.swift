import AppStoreModels
import Entitlements
import Foundation
import TestSupport
import Testing

@testable import Ledger

// What several servers with one ledger do at the same time. Detects engines that read a row, or find none, and then
// write a value that another server has changed meanwhile.
extension `The contract of concurrent calls` {
    /// A purchase of the Apple account x.
    static func purchase(_ original: String, in appEnvironment: AppEnvironment) -> SignedFact {
        let fact = TransactionFact(
            transactionID: original, originalTransactionID: original, productID: "gold", type: .nonConsumable,
            purchaseDate: RandomFacts.start, signedDate: RandomFacts.start, appTransactionID: "x")
        return SignedFact(
            scope: appEnvironment.id, fact: .transaction(fact), origin: .app, receivedAt: 0, text: "text \(original)")
    }

    @Test(arguments: Engine.allCases)
    func `Servers that start at the same time get the same scopes, and create each configured endpoint once`(
        _ engine: Engine
    ) async throws {
        try await Tool.inTemporaryFolder { folder in
            let ledger = try engine.open(in: folder)
            let apps: [(bundleID: String, environment: String)] = [
                ("com.example.shop", "Production"), ("com.example.shop", "Sandbox"), ("com.example.Shop", "Sandbox"),
            ]
            let found = try await Self.concurrently { number in
                let first = number % apps.count
                let scopes = try await ledger.scopes(of: Array(apps[first...] + apps[..<first])).all
                try await ledger.registerWebhooks(first == 0 ? ["crm", "data"] : ["data", "crm"], at: Self.now)
                return scopes
            }
            #expect(Set(found).count == 1 && found.first?.count == 3)
            #expect(try await ledger.webhookEndpoints().map(\.name) == ["crm", "data"])
        }
    }

    /// Two entries after the same predecessor would look as if someone had removed an entry.
    @Test(arguments: Engine.allCases)
    func `Concurrently added audit entries form one chain`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, _ in
            _ = try await Self.concurrently { number in
                let entry = AuditEntry(at: Self.now, actor: "key \(number)", action: "GET /v1/audit", result: "200")
                return try await ledger.appendAudit([entry, entry])
            }
            let entries = try await ledger.audit(AuditFilter(), before: .max, limit: 99).items
            #expect(entries.count == 2 * Self.writers)
            let isChained = entries.allSatisfy(\.isChained)
            #expect(isChained)
            // The entries of one call follow one another.
            for index in stride(from: 0, to: entries.count - 1, by: 2) {
                #expect(entries[index].entry == entries[index + 1].entry)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `Concurrent usage reports keep each other's properties`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            _ = try await Self.concurrently { number in
                var report = UsageReport(transactionID: "1", reportedAt: Self.now)
                switch number % 4 {
                case 0: report.customerConsented = true
                case 1: report.consumptionPercentage = 5
                case 2: report.deliveryStatus = .delivered
                default: report.sampleContentProvided = false
                }
                return try await ledger.record(report, of: "anna", in: scope)
            }
            let usage = try await ledger.usage(of: "anna", transactionID: "1", productID: "gold", in: scope)
            #expect(usage.compactMap(\.customerConsented) == [true])
            #expect(usage.compactMap(\.consumptionPercentage) == [5])
            #expect(usage.compactMap(\.deliveryStatus) == [.delivered])
            #expect(usage.compactMap(\.sampleContentProvided) == [false])
        }
    }

    @Test(arguments: Engine.allCases)
    func `Of original purchases stored concurrently, the one signed last stays`(_ engine: Engine) async throws {
        try await engine.withLedger { ledger, appEnvironment in
            let claim = Claim(
                customer: "anna", scope: appEnvironment.id, originalTransactionIDs: [], appTransactionID: "x",
                policy: .transfer, claimedAt: Self.now)
            _ = try await ledger.claim(claim) { _ in false }
            _ = try await Self.concurrently { number in
                let fact = OriginalPurchaseFact(
                    applicationVersion: "1", purchaseDate: RandomFacts.start, appTransactionID: "x",
                    signedDate: RandomFacts.start + TimeInterval(number))
                let purchase = OriginalPurchase(
                    scope: appEnvironment.id, subject: "x", kind: .appTransaction, fact: fact, origin: .app,
                    receivedAt: 0, text: "text \(number)")
                return try await ledger.store([purchase])
            }
            let owned = try await ledger.originalPurchases(ownedBy: "anna", in: appEnvironment.id)
            #expect(owned.map(\.purchase.text) == ["text \(Self.writers - 1)"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `Only one of the servers that continue a history pass from the same step stores its step`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            var previous: HistoryPass?
            for round in 0..<3 {
                let known = previous
                let stored = try await Self.concurrently { number -> HistoryPass? in
                    let pass = HistoryPass(scope: scope, cursor: "\(round) \(number)", startedAt: Self.now)
                    return try await ledger.record(pass, replacing: known) ? pass : nil
                }.compactMap(\.self)
                #expect(stored.count == 1)
                previous = try await ledger.historyPass(in: scope)
                #expect(previous == stored.first)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `Concurrently added history requests are in the queue once, and all failed attempts count`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            _ = try await Self.concurrently { number in
                let transactions = number.isMultiple(of: 2) ? ["1", "2"] : ["2", "1"]
                return try await ledger.add(requests: transactions, in: scope, because: .restore, at: Self.now)
            }
            let due = try await ledger.dueHistoryRequests(in: scope, at: Self.now, limit: 99)
            #expect(Set(due.map(\.transactionID)) == ["1", "2"] && due.count == 2)
            let first = try #require(due.first { $0.transactionID == "1" })
            _ = try await Self.concurrently { _ in
                try await ledger.postpone(first, until: Self.now, code: "no")
            }
            let again = try await ledger.dueHistoryRequests(in: scope, at: Self.now, limit: 99)
            #expect(again.first { $0.transactionID == "1" }?.attempts == Self.writers)
        }
    }

    @Test(arguments: Engine.allCases)
    func `Concurrently stored pages of a recovery are all counted, and it finishes once`(_ engine: Engine) async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            let plan = RecoveryPlan(
                scope: appEnvironment.id, cause: .schedule, from: 0, until: 1000, filters: [], movesMark: true,
                windows: (0..<Self.writers).map { RecoveryWindow(stage: $0, from: 0, until: 1000) })
            let id = try await ledger.begin(plan, at: 0)
            let windows = try await ledger.openWindows(of: id)
            try #require(windows.count == Self.writers)
            _ = try await Self.concurrently { number in
                let page = PageOutcome(isLast: true, counts: RecoveryCounts(pages: 1, found: 2), unverified: [])
                return try await ledger.record(page, of: windows[number], at: 1)
            }
            let run = try #require(try await ledger.recovery(id))
            #expect(run.counts.pages == Self.writers && run.counts.found == 2 * Self.writers && run.openWindows == 0)
            let marks = try await Self.concurrently { number in
                try await ledger.finish(recovery: id, until: 900 - Int64(number), limit: 0, at: 2000)
            }
            let stored = try await ledger.completenessMarks()
            #expect(stored.count == 1 && marks == Array(repeating: stored.first, count: Self.writers))
        }
    }

    /// A claim may read the purchases of the account before one of them is stored.
    @Test(arguments: Engine.allCases)
    func `Purchases that are stored while their Apple account is claimed belong to its customer`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            let claim = Claim(
                customer: "anna", scope: appEnvironment.id, originalTransactionIDs: [], appTransactionID: "x",
                policy: .transfer, claimedAt: Self.now)
            _ = try await Self.concurrently { number in
                if number == 5 {
                    _ = try await ledger.claim(claim) { _ in false }
                } else {
                    _ = try await ledger.commit([Self.purchase("\(number)", in: appEnvironment)])
                }
            }
            #expect(try await ledger.lineages(of: "anna", in: appEnvironment.id).count == Self.writers - 1)
            for number in 0..<Self.writers where number != 5 {
                #expect(try await ledger.owners(of: "\(number)", in: appEnvironment.id) == ["anna"])
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `A customer who is erased while the app claims a purchase owns nothing afterwards`(_ engine: Engine)
        async throws
    {
        try await engine.withLedger { ledger, appEnvironment in
            let scope = appEnvironment.id
            _ = try await ledger.commit([Self.purchase("1", in: appEnvironment)])
            let claim = Claim(
                customer: "anna", scope: scope, originalTransactionIDs: ["1"], appTransactionID: "x",
                policy: .transfer, erasuresKnownUntil: .min, claimedAt: Self.now)
            _ = try await Self.concurrently { number in
                if number == 5 {
                    _ = try await ledger.erase("anna", in: appEnvironment, at: Self.now)
                } else {
                    let outcome = try await ledger.claim(claim) { _ in false }
                    #expect(outcome == .granted(["1"]) || outcome == .overtaken)
                }
            }
            #expect(try await ledger.owners(of: "1", in: scope).isEmpty)
            #expect(try await ledger.accounts(of: "anna", in: scope).isEmpty)
            #expect(try await ledger.lineages(of: "anna", in: scope).isEmpty)
            #expect(try await ledger.claim(claim) { _ in false } == .overtaken)
            let page = try await ledger.events(FeedQuery(after: 0, scopes: [scope], limit: 99), within: .none)
            let isNamed = page.items.contains { $0.event.customer == "anna" }
            #expect(!isNamed)
        }
    }
}
