internal import Entitlements
internal import Ledger
package import AppStoreServer
internal import AppStoreTrust
internal import Foundation
internal import GRDB

/// Folds everything that was signed anew, every signature verified again, and compares what comes out with what is there;
/// and whose each purchase is with what follows from its claims.
///
/// Of receipts what was validated is kept and not the proof: that is folded as it is.
///
/// The new fold is made in a scratch file beside the ledger. Nobody else may write to the ledger meanwhile.
package struct LedgerRebuild: Sendable {
    /// What came out.
    package struct Report: Sendable {
        /// How many notifications, and texts that came without one, were folded.
        package var notifications = 0
        package var statements = 0
        /// How many rows came out.
        package var facts = 0
        /// How many rows differ: other contents, missing, or too many.
        package var differences = 0
        /// The keys of the first of them.
        package var differing: [String] = []
        /// How many texts cannot be believed any more.
        package var refusals = 0
        /// The first of them, with the reason's code.
        package var refused: [String] = []
        /// Whether the ledger was given the new rows.
        package var isReplaced = false

        /// Whether what is there is what was signed, byte for byte.
        package var isIdentical: Bool { differences == 0 && refusals == 0 }

        fileprivate static let listed = 100
    }

    private static let batch = 256

    private let storage: SQLiteStorage
    private let verifier: SignedDataVerifier

    /// - Parameter verifier: Judges at signing dates, for every app and environment of the ledger.
    package init(_ storage: SQLiteStorage, verifier: SignedDataVerifier) {
        self.storage = storage
        self.verifier = verifier
    }

    /// - Parameters:
    ///   - replacing: Whether the ledger gets the new rows where they differ. Not if anything cannot be believed.
    ///   - progress: Is told how much is done, from 0 to 1.
    package func run(replacing: Bool, progress: @Sendable (Double) -> Void = { _ in }) async throws -> Report {
        let scratch = try Scratch(of: storage)
        defer { scratch.remove() }
        let scopes = try await storage.scopes(of: [])
        var report = Report()
        try await foldNotifications(scopes, scratch, &report, progress)
        try await foldStatements(scopes, scratch, &report)
        try await scratch.compare(scopes, &report)
        let claims = try await storage.read { try ClaimTables.differences($0) }
        report.facts += claims.count
        for subject in claims.differing { report.add(difference: subject.name(scopes)) }
        report.refuse(claims.damaged.map { "claims of \($0.identifier): \(StorageError.Code.damaged.rawValue)" })
        let grants = try await storage.read { try GrantTables.differences($0) }
        report.facts += grants.count
        for grant in grants.differing { report.add(difference: "\(grant.id): it does not follow from its events") }
        report.refuse(grants.damaged.map { "grant \($0): \(StorageError.Code.damaged.rawValue)" })
        let originals = try await differingOriginalPurchases(scopes, &report)
        if replacing, report.differences > 0, report.refusals == 0 {
            try await scratch.replace()
            try await storage.derive(claims.differing)
            try await storage.correct(originals)
            try await storage.derive(grants: grants.differing)
            report.isReplaced = true
        }
        progress(1)
        return report
    }

    private func foldNotifications(
        _ scopes: ScopeRegistry, _ scratch: Scratch, _ report: inout Report, _ progress: @Sendable (Double) -> Void
    ) async throws {
        let end = try await storage.lastNotification()
        var last: Int64 = 0
        while true {
            let (texts, next) = try await storage.foldedTexts(after: last, limit: Self.batch)
            guard let next else { break }
            let folded = await verified(texts) { text in
                guard let scope = scopes[id: text.scope] else { throw Unknown.scope }
                let parts = try await NotificationParts(
                    inside: verifier.notification(text.readable).payload, in: scope, verifiedBy: verifier)
                return FoldedNotification(parts, id: text.id, scope: scope, at: .distantPast)
            }
            report.refuse(folded.refused)
            report.notifications += folded.values.count
            try await scratch.put(folded.values)
            last = next
            progress(Double(last) / Double(max(end, 1)))
        }
    }

    private func foldStatements(_ scopes: ScopeRegistry, _ scratch: Scratch, _ report: inout Report) async throws {
        var last: Int64 = 0
        while true {
            let texts = try await storage.statementTexts(after: last, limit: Self.batch)
            guard let next = texts.last?.id else { break }
            let statements = await verified(texts) { text in
                guard let scope = scopes[id: text.scope], let kind = text.kind else { throw Unknown.scope }
                return Scratch.Put(
                    fact: try await .read(text.readable, kind: kind, scope: scope, by: verifier), scope: scope.id,
                    source: Fold.Source(statement: text.id, text: text.packed, kind: kind))
            }
            report.refuse(statements.refused)
            report.statements += statements.values.count
            try await scratch.put(statements.values)
            last = next
        }
    }

    private func differingOriginalPurchases(
        _ scopes: ScopeRegistry, _ report: inout Report
    ) async throws -> [SQLiteStorage.OriginalPurchaseFindings.Difference] {
        var differing: [SQLiteStorage.OriginalPurchaseFindings.Difference] = []
        var next: [SQLValue]? = OriginalPurchaseTable.Page.start
        while let key = next {
            let page = try await storage.originalPurchaseFindings(
                after: key, limit: Self.batch, scopes, by: verifier)
            report.facts += page.count
            report.refuse(page.refused)
            for purchase in page.differing { report.add(difference: "app transaction \(purchase.subject)") }
            differing += page.differing
            next = page.next
        }
        return differing
    }

    private enum Unknown: Error { case scope }

    /// Verifies on all cores; the order stays.
    private func verified<Value: Sendable>(
        _ texts: [RawText], _ read: @escaping @Sendable (RawText) async throws -> Value
    ) async -> (values: [Value], refused: [String]) {
        await withTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
            for (index, text) in texts.enumerated() {
                group.addTask {
                    do { return (index, .success(try await read(text))) } catch { return (index, .failure(error)) }
                }
            }
            var results: [Int: Result<Value, any Error>] = [:]
            for await (index, result) in group { results[index] = result }
            var values: [Value] = []
            var refused: [String] = []
            for (index, text) in texts.enumerated() {
                switch results[index] {
                case .success(let value): values.append(value)
                case .failure(let error as VerificationError): refused.append("\(text.name): \(error.code)")
                case .failure(let error): refused.append("\(text.name): \(error.logReason)")
                case nil: break
                }
            }
            return (values, refused)
        }
    }
}

extension RawText {
    /// The text. One that is damaged is listed with those that cannot be believed: all others are to be compared too.
    fileprivate var readable: String {
        get throws(StorageError) {
            guard let text else { throw StorageError(.damaged, "its text is damaged") }
            return text
        }
    }
}

extension LedgerRebuild.Report {
    fileprivate mutating func refuse(_ names: [String]) {
        refusals += names.count
        refused += names.prefix(max(0, Self.listed - refused.count))
    }

    mutating func add(difference key: @autoclosure () -> String) {
        differences += 1
        if differing.count < Self.listed { differing.append(key()) }
    }
}

extension ClaimTables.Subject {
    fileprivate func name(_ scopes: ScopeRegistry) -> String {
        let app = scopes[id: scope].map { "\($0.bundleID) \($0.environment.rawValue)" } ?? "scope \(scope)"
        return "\(app) \(identifier): whose it is does not follow from its claims"
    }
}

extension SQLiteStorage {
    fileprivate func derive(grants: [(scope: Int64, id: String)]) async throws {
        try await write { db in
            for (scope, id) in grants { try GrantTables.derive(id, in: scope, emittedUntil: .min, db) }
        }
    }

    fileprivate func derive(_ subjects: [ClaimTables.Subject]) async throws {
        try await write { db in for subject in subjects { try ClaimTables.derive(subject, db) } }
    }
}
