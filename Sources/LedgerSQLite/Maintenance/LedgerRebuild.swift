package import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Foundation
internal import GRDB
internal import Ledger

/// Processes all signed texts again, verifies every signature again, and compares the result with the stored records.
/// Also compares the owners of purchases with their claims.
///
/// Receipts are not stored and cannot be verified again, so their facts are used as they are.
///
/// The records are built in a scratch file beside the ledger. No other process may write to the ledger meanwhile.
package struct LedgerRebuild: Sendable {
    /// The result of a rebuild.
    package struct Report: Sendable {
        /// The numbers of processed notifications and signed facts.
        package var notifications = 0
        package var signedFacts = 0
        /// The number of resulting rows.
        package var facts = 0
        /// The number of differing rows: other contents, missing, or too many.
        package var differences = 0
        /// The keys of the first differing rows.
        package var differing: [String] = []
        /// The number of texts that could not be verified.
        package var refusals = 0
        /// The first of them, with the error code.
        package var refused: [String] = []
        /// Whether the ledger's rows were replaced.
        package var isReplaced = false

        /// Whether the stored records match the signed texts, byte for byte.
        package var isIdentical: Bool { differences == 0 && refusals == 0 }

        fileprivate static let listed = 100
    }

    private static let batch = 256

    private let storage: SQLiteStorage
    private let verifier: SignedDataVerifier

    /// Creates a rebuild.
    ///
    /// - Parameter verifier: A verifier that checks certificates at the signing date and accepts every app and
    ///   environment of the ledger.
    package init(_ storage: SQLiteStorage, verifier: SignedDataVerifier) {
        self.storage = storage
        self.verifier = verifier
    }

    /// The files to remove if the process ends during ``run(replacing:progress:)``.
    package var temporaryFiles: [String] {
        let scratch = ScratchDatabase.path(for: storage.path)
        return [scratch] + LedgerBackup.companions(of: scratch)
    }

    /// Runs the rebuild.
    ///
    /// - Parameters:
    ///   - replacing: Whether to replace differing rows. They stay if any text could not be verified.
    ///   - progress: Called with the progress, from 0 to 1.
    package func run(replacing: Bool, progress: @Sendable (Double) -> Void = { _ in }) async throws -> Report {
        let scratch = try ScratchDatabase(of: storage)
        defer { scratch.delete() }
        let scopes = try await storage.scopes(of: [])
        var report = Report()
        try await processNotifications(scopes, scratch, &report, progress)
        try await processSignedFacts(scopes, scratch, &report)
        try await scratch.compare(scopes, &report)
        let claims = try await storage.read { try ClaimTables.differences($0) }
        report.facts += claims.count
        for subject in claims.differing { report.add(difference: subject.name(scopes)) }
        report.refuse(claims.damaged.map { "claims of \($0.identifier): \(StorageError.Code.damaged.rawValue)" })
        let grants = try await storage.read { try GrantTables.differences($0) }
        report.facts += grants.count
        for grant in grants.differing {
            report.add(difference: "\(grant.id): the stored state does not match the events")
        }
        report.refuse(grants.damaged.map { "grant \($0): \(StorageError.Code.damaged.rawValue)" })
        let originals = try await differingOriginalPurchases(scopes, &report)
        if replacing, report.differences > 0, report.refusals == 0 {
            try await scratch.replace()
            try await storage.write { db in
                for subject in claims.differing { try ClaimTables.derive(subject, db) }
                for difference in originals { try OriginalPurchaseTable.correct(difference, db) }
                for (scope, id) in grants.differing { try GrantTables.derive(id, in: scope, emittedUntil: .min, db) }
            }
            report.isReplaced = true
        }
        progress(1)
        return report
    }

    private func processNotifications(
        _ scopes: AppEnvironmentRegistry, _ scratch: ScratchDatabase, _ report: inout Report,
        _ progress: @Sendable (Double) -> Void
    ) async throws {
        let end = try await storage.lastNotification()
        var last: Int64 = 0
        while true {
            let (texts, next) = try await storage.processedTexts(after: last, limit: Self.batch)
            guard let next else { break }
            let processed = await verified(texts) { text in
                guard let appEnvironment = scopes[id: text.scope] else { throw Unknown.scope }
                let parts = try await NotificationParts(
                    inside: verifier.notification(text.readable).payload, in: appEnvironment, verifiedBy: verifier)
                return ProcessedNotification(parts, id: text.id, in: appEnvironment, at: .distantPast)
            }
            report.refuse(processed.refused)
            report.notifications += processed.values.count
            try await scratch.add(processed.values)
            last = next
            progress(Double(last) / Double(max(end, 1)))
        }
    }

    private func processSignedFacts(
        _ scopes: AppEnvironmentRegistry, _ scratch: ScratchDatabase, _ report: inout Report
    )
        async throws
    {
        var last: Int64 = 0
        while true {
            let texts = try await storage.signedFactTexts(after: last, limit: Self.batch)
            guard let next = texts.last?.id else { break }
            let signedFacts = await verified(texts) { text in
                guard let appEnvironment = scopes[id: text.scope], let kind = text.kind else { throw Unknown.scope }
                let readable = try text.readable
                return ScratchDatabase.SourcedFact(
                    fact: try await .read(readable, kind: kind, in: appEnvironment, by: verifier),
                    scope: appEnvironment.id, number: text.id, text: readable, kind: kind)
            }
            report.refuse(signedFacts.refused)
            report.signedFacts += signedFacts.values.count
            try await scratch.add(signedFacts.values)
            last = next
        }
    }

    private func differingOriginalPurchases(
        _ scopes: AppEnvironmentRegistry, _ report: inout Report
    ) async throws -> [OriginalPurchaseTable.Difference] {
        var differing: [OriginalPurchaseTable.Difference] = []
        var next: [SQLValue]? = OriginalPurchaseTable.Page.start
        while let key = next {
            let page = try await storage.read {
                try OriginalPurchaseTable.page(after: key, limit: Self.batch, scopes, storage.headers, $0)
            }
            report.facts += page.purchases.count
            report.refuse(page.damages.map(\.logReason))
            for stored in page.purchases {
                guard let appEnvironment = scopes[id: stored.scope] else { continue }
                do throws(VerificationError) {
                    let fact = try await OriginalPurchase.verifiedFact(
                        stored.text, stored.kind, of: stored.subject, in: appEnvironment, by: verifier)
                    guard !stored.agrees(with: fact) else { continue }
                    report.add(difference: "app transaction \(stored.subject)")
                    differing.append(.init(scope: stored.scope, subject: stored.subject, fact: fact))
                } catch {
                    report.refuse(["app transaction \(stored.subject): \(error.code)"])
                }
            }
            next = page.last
        }
        return differing
    }

    private enum Unknown: Error { case scope }

    /// Verifies texts in parallel; the results keep their order.
    private func verified<Value: Sendable>(
        _ texts: [RawText], _ read: @escaping @Sendable (RawText) async throws -> Value
    ) async -> (values: [Value], refused: [String]) {
        let results = await texts.mapConcurrently { text -> Result<Value, any Error> in
            do { return .success(try await read(text)) } catch { return .failure(error) }
        }
        var values: [Value] = []
        var refused: [String] = []
        for (text, result) in zip(texts, results) {
            switch result {
            case .success(let value): values.append(value)
            case .failure(let error as VerificationError): refused.append("\(text.name): \(error.code)")
            case .failure(let error): refused.append("\(text.name): \(error.logReason)")
            }
        }
        return (values, refused)
    }
}

extension RawText {
    /// The text. A corrupt text is reported with the unverified ones, so that the comparison of the others continues.
    fileprivate var readable: String {
        get throws(StorageError) {
            guard let text else { throw StorageError(.damaged, "its text is damaged") }
            return text
        }
    }
}

extension LedgerRebuild.Report {
    mutating func refuse(_ names: [String]) {
        refusals += names.count
        refused += names.prefix(max(0, Self.listed - refused.count))
    }

    mutating func add(difference key: @autoclosure () -> String) {
        differences += 1
        if differing.count < Self.listed { differing.append(key()) }
    }
}

extension ClaimTables.Subject {
    fileprivate func name(_ scopes: AppEnvironmentRegistry) -> String {
        "\(scopes.name(of: scope)) \(identifier): the stored owners do not match the claims"
    }
}
