package import AppStoreServer
internal import Basics
package import Foundation
package import Ledger

/// Imports the lines of a ``LedgerExport`` into a ledger, and verifies every signature again. Existing data stay, so an
/// import can be repeated. It creates no events, because the exporting server has already published them.
package struct LedgerImport: Sendable {
    /// The result of an import.
    package struct Report: Sendable {
        /// The numbers of items in the file, without the refused ones.
        package var notifications = 0
        package var signedFacts = 0
        package var claims = 0
        var erasures = 0
        var originalPurchases = 0
        var grantEvents = 0
        /// The number of refused lines.
        package var refusals = 0
        /// The first refused lines: the line number and the reason.
        package var refused: [String] = []
        /// The digest in the file's last line; nil if the line is missing and the file therefore incomplete.
        package var expectedDigest: String?
        /// The version of the file, which determines its digest: see ``SQLiteStorage/digest(ofExportVersion:)``.
        package var version = LedgerExport.version
        /// The numbers of lines according to the file's last line; 0 for those that an older version did not count.
        var expected = LedgerExport.Count()

        /// Whether the file has notifications that were not processed when it was written, so that digests may differ.
        package var hasPending: Bool { expected.pending > 0 }

        /// Whether lines that the file's last line counts are missing or were refused. The digest shows that only if the
        /// ledger was empty.
        package var lacksLines: Bool {
            expected.notifications > notifications || expected.signedFacts > signedFacts || expected.claims > claims
                || expected.erasures > erasures || expected.originalPurchases > originalPurchases
                || expected.grantEvents > grantEvents
        }

        fileprivate static let listed = 100
    }

    private static let batch = 256
    private static let longestLine = 4 << 20

    private let storage: SQLiteStorage
    let verifier: SignedDataVerifier
    let scopes: AppEnvironmentRegistry
    private let now: Milliseconds

    /// Creates an import.
    ///
    /// - Parameters:
    ///   - verifier: A verifier that checks certificates at the signing date.
    ///   - scopes: The apps and environments to import.
    ///   - now: The present time of the ledger's server. No event is created for grants that expired before.
    package init(
        _ storage: SQLiteStorage, verifier: SignedDataVerifier, scopes: AppEnvironmentRegistry, at now: Date
    ) {
        self.storage = storage
        self.verifier = verifier
        self.scopes = scopes
        self.now = now.milliseconds
    }

    /// Imports a file from the handle's position.
    ///
    /// - Throws: A `StorageError`, with the code `newer` if a newer version wrote the file; then nothing is imported.
    package func run(
        _ file: FileHandle, progress: @Sendable (_ bytes: Int) -> Void = { _ in }
    ) async throws -> Report {
        do {
            try await storage.beginImport()
            let report = try await read(file, progress)
            try await storage.finishImport()
            return report
        } catch {
            // The lines before stay imported, so they must not keep the names of erased customers. The first error
            // counts.
            do { try await storage.finishImport() } catch {}
            guard let error = error as? StorageError, error.code == .damaged else { throw error }
            throw StorageError(
                .damaged, "\(error.message). Import the file again after that; the lines before stay imported.")
        }
    }

    private func read(_ file: FileHandle, _ progress: @Sendable (_ bytes: Int) -> Void) async throws -> Report {
        var reader = LineReader(file, longest: Self.longestLine)
        var report = Report()
        var former = FormerClaims()
        var number = 0
        while true {
            let lines = try reader.next(Self.batch)
            guard !lines.isEmpty else {
                try await storage.add(former.finish(), at: now)
                return report
            }
            var batch: [(number: Int, line: LineReader.Line)] = []
            for line in lines {
                number += 1
                if line != .bytes([]) { batch.append((number, line)) }
            }
            try await importBatch(batch, &former, &report)
            progress(Int(clamping: reader.position))
        }
    }

    private func importBatch(
        _ lines: [(number: Int, line: LineReader.Line)], _ former: inout FormerClaims, _ report: inout Report
    ) async throws {
        let items = await lines.mapConcurrently { await read($0.line) }
        var imported: [ImportedFact] = []
        for (line, item) in zip(lines, items) {
            switch item {
            case .success(.fact(let fact)):
                report.count(fact)
                imported.append(fact)
            case .success(.formerClaim(let claim)):
                report.claims += 1
                imported += former.add(claim)
            case .success(.end(let digest, let count)):
                report.expectedDigest = digest
                report.expected = count
            case .success(.head(let version)):
                // Its lines may mean something else than this version reads in them.
                guard version <= LedgerExport.version else {
                    throw StorageError(
                        .newer, "the export was written by a newer version of Counterfoil; import it with that version")
                }
                report.version = version
            case .failure(let refusal): report.refuse("line \(line.number): \(refusal.reason)")
            }
        }
        try await storage.add(imported, at: now)
    }
}

/// Collects the claims of a version 1 file: only those that were in effect, those of one purchase consecutively. All of
/// them are needed to create the history of the purchase.
private struct FormerClaims {
    private var subject: ClaimTables.Subject?
    private var owners: [ClaimHistory.Owner] = []

    /// Adds a claim. Returns the history of the previous purchase when the next one begins.
    mutating func add(_ claim: ImportedFact.Claim) -> [ImportedFact] {
        let done = claim.subject == subject ? [] : finish()
        subject = claim.subject
        owners.append(.init(customer: claim.event.customer, since: claim.event.instant))
        return done
    }

    mutating func finish() -> [ImportedFact] {
        defer { (subject, owners) = (nil, []) }
        guard let subject else { return [] }
        return ClaimHistory(former: owners).events.map { .claim(.init(subject: subject, event: $0)) }
    }
}

extension LedgerImport.Report {
    fileprivate mutating func count(_ fact: ImportedFact) {
        switch fact {
        case .notification: notifications += 1
        case .signedFact: signedFacts += 1
        case .claim: claims += 1
        case .originalPurchase: originalPurchases += 1
        case .grant: grantEvents += 1
        case .erasure: erasures += 1
        }
    }

    fileprivate mutating func refuse(_ reason: String) {
        refusals += 1
        if refused.count < Self.listed { refused.append(reason) }
    }
}
