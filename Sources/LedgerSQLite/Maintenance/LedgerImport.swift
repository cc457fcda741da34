package import Ledger
internal import AppStoreModels
package import AppStoreServer
internal import AppStoreTrust
internal import Basics
package import Foundation

/// Imports the lines of a ``LedgerExport`` into a ledger, and verifies every signature again. Existing data stay, so an
/// import can be repeated. It creates no events, because the exporting server has already published them.
package struct LedgerImport: Sendable {
    /// The result of an import.
    package struct Report: Sendable {
        /// The numbers of items in the file.
        package var notifications = 0
        package var signedFacts = 0
        package var claims = 0
        /// The number of refused lines.
        package var refusals = 0
        /// The first refused lines: the line number and the reason.
        package var refused: [String] = []
        /// The digest in the file's last line; nil if the line is missing and the file therefore incomplete.
        package var expectedDigest: String?
        /// The version of the file, which determines its digest: see ``SQLiteStorage/digest(ofExportVersion:)``.
        package var version = LedgerExport.version
        /// Whether the file has notifications that were not processed when it was written, so that digests may differ.
        package var hasPending = false

        fileprivate static let listed = 100
    }

    private static let batch = 256
    private static let longestLine = 4 << 20

    private let storage: SQLiteStorage
    private let verifier: SignedDataVerifier
    private let scopes: AppEnvironmentRegistry
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
    package func run(
        _ file: FileHandle, progress: @Sendable (_ bytes: Int) -> Void = { _ in }
    ) async throws -> Report {
        do {
            let report = try await read(file, progress)
            try await applyErasures()
            return report
        } catch {
            // The lines before stay imported, so they must not keep the names of erased customers. The first error
            // counts.
            do { try await applyErasures() } catch {}
            guard let error = error as? StorageError, error.code == .damaged else { throw error }
            throw StorageError(
                .damaged, "\(error.message). Import the file again after that; the lines before stay imported.")
        }
    }

    private func applyErasures() async throws { try await storage.applyErasures(in: Set(scopes.all.map(\.id))) }

    private func read(_ file: FileHandle, _ progress: @Sendable (_ bytes: Int) -> Void) async throws -> Report {
        var lines = LineReader(file, longest: Self.longestLine)
        var report = Report()
        var former = FormerClaims()
        var number = 0
        while true {
            var batch: [(number: Int, line: Data)] = []
            while batch.count < Self.batch, let line = try lines.next() {
                number += 1
                guard case .bytes(let bytes) = line else {
                    throw StorageError(.failed, "line \(number) is too long for an export")
                }
                if !bytes.isEmpty { batch.append((number, Data(bytes))) }
            }
            guard !batch.isEmpty else {
                try await storage.add(former.finish(), at: now)
                return report
            }
            try await importBatch(batch, &former, &report)
            progress(Int(clamping: lines.position))
        }
    }

    private func importBatch(
        _ lines: [(number: Int, line: Data)], _ former: inout FormerClaims, _ report: inout Report
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
            case .success(.end(let digest, let pending)):
                report.expectedDigest = digest
                report.hasPending = pending > 0
            case .success(.head(let version)): report.version = version
            case .failure(let refusal): report.refuse("line \(line.number): \(refusal.reason)")
            }
        }
        try await storage.add(imported, at: now)
    }

    private enum Item: Sendable {
        case head(version: Int)
        case fact(ImportedFact)
        /// A claim in a version 1 file, which has no history.
        case formerClaim(ImportedFact.Claim)
        case end(digest: String?, pending: Int)
    }

    private struct Refusal: Error { var reason: String }

    private func read(_ line: Data) async -> Result<Item, Refusal> {
        do { return .success(try await item(try JSONDecoder().decode(Line.self, from: line))) } catch let error
            as Refusal
        {
            return .failure(error)
        } catch let error as VerificationError {
            return .failure(Refusal(reason: "\(error.code): \(error.message)"))
        } catch {
            return .failure(Refusal(reason: "not a valid line of an export"))
        }
    }

    private func item(_ line: Line) async throws -> Item {
        switch line.object {
        case "ledger_export":
            guard let version = line.version, (1...LedgerExport.version).contains(version) else {
                throw Refusal(reason: "the export was written by a newer version")
            }
            return .head(version: version)
        case "end": return .end(digest: line.digest, pending: line.pending ?? 0)
        default: break
        }
        guard let bundleID = line.bundle_id, let environment = line.environment,
            let appEnvironment = scopes[bundleID, AppStoreEnvironment(rawValue: environment)]
        else { throw Refusal(reason: "the app or environment is not configured") }
        switch line.object {
        case "notification": return .fact(.notification(try await notification(line, appEnvironment)))
        case "statement": return .fact(.signedFact(try await signedFact(line, appEnvironment)))
        case "claim":
            guard let original = line.original_transaction_id else { break }
            return try claim(line, .purchase(original, in: appEnvironment.id))
        case "erasure":
            guard let digest = line.digest, digest.utf8.count == 64, let instant = line.at,
                Date(milliseconds: instant).milliseconds == instant
            else { break }
            return .fact(.erasure(Erasure(digest: digest, at: instant), scope: appEnvironment.id))
        case "grant_event": return .fact(.grant(try grant(line, appEnvironment)))
        case "original_purchase": return .fact(.originalPurchase(try await originalPurchase(line, appEnvironment)))
        case "account_claim":
            guard let account = line.app_transaction_id else { break }
            return try claim(line, .account(account, in: appEnvironment.id))
        default: break
        }
        throw Refusal(reason: "not a valid line of an export")
    }

    private func claim(_ line: Line, _ subject: ClaimTables.Subject) throws(Refusal) -> Item {
        guard let customer = line.customer else { throw Refusal(reason: "not a valid line of an export") }
        let instant = line.claimed_at ?? 0
        // Later claims need a later instant that can still be represented.
        guard Date(milliseconds: instant).milliseconds == instant else {
            throw Refusal(reason: "the date of the claim is invalid")
        }
        guard let name = line.kind else {
            return .formerClaim(.init(subject: subject, event: ClaimEvent(at: instant, .join, customer)))
        }
        guard let kind = ClaimEvent.Kind.allCases.first(where: { $0.name == name }), kind != .join || !subject.isAccount
        else { throw Refusal(reason: "the kind of the claim is unknown") }
        return .fact(.claim(.init(subject: subject, event: ClaimEvent(at: instant, kind, customer))))
    }

    private func notification(_ line: Line, _ appEnvironment: AppEnvironment) async throws -> ImportedNotification {
        let verified = try await verifier.notification(line.signed_payload ?? "")
        guard let app = verified.payload.namedApp, app.bundleID.isExactly(appEnvironment.bundleID),
            app.environment == appEnvironment.environment
        else {
            throw Refusal(reason: "the notification is signed for another app or environment")
        }
        let date = Date(milliseconds: line.received_at ?? 0)
        var imported = ImportedNotification(
            received: ReceivedNotification(
                verified, in: appEnvironment, at: date, origin: Origin(named: line.origin)))
        do throws(VerificationError) {
            let parts = try await NotificationParts(inside: verified.payload, in: appEnvironment, verifiedBy: verifier)
            imported.processed = ProcessedNotification(parts, id: 0, in: appEnvironment, at: date)
        } catch {
            imported.failure = error
        }
        return imported
    }

    private func signedFact(_ line: Line, _ appEnvironment: AppEnvironment) async throws -> SignedFact {
        let (date, origin) = (Date(milliseconds: line.received_at ?? 0), Origin(named: line.origin))
        if line.kind == "receipt" {
            guard let purchase = line.purchase else { throw Refusal(reason: "not a valid line of an export") }
            return try SignedFact(receipt: purchase.fact, in: appEnvironment, at: date, origin: origin)
        }
        let (text, kind) = (line.signed_text ?? "", line.kind == "transaction" ? SignedFact.Kind.transaction : .renewal)
        return SignedFact(
            scope: appEnvironment.id, fact: try await .read(text, kind: kind, in: appEnvironment, by: verifier),
            origin: origin, receivedAt: date.milliseconds, text: text)
    }

    private func grant(_ line: Line, _ appEnvironment: AppEnvironment) throws(Refusal) -> ImportedFact.GrantedEvent {
        guard let id = line.grant, !id.isEmpty, id.utf8.count <= 255, let reason = line.reason, let actor = line.actor,
            let kind = GrantEvent.Kind.allCases.first(where: { $0.name == line.kind }), let instant = line.at,
            Date(milliseconds: instant).milliseconds == instant, kind == .revoke || line.customer != nil,
            kind != .create || line.entitlement != nil
        else { throw Refusal(reason: "not a valid line of an export") }
        let content = GrantEvent.Content(
            customer: line.customer, entitlement: line.entitlement, until: line.until, reason: reason, actor: actor)
        return .init(scope: appEnvironment.id, id: id, event: GrantEvent(kind, at: instant, content))
    }

    private func originalPurchase(_ line: Line, _ appEnvironment: AppEnvironment) async throws -> OriginalPurchase {
        guard let subject = line.subject, !subject.isEmpty,
            let kind = OriginalPurchase.Kind.allCases.first(where: { $0.name == line.kind })
        else { throw Refusal(reason: "not a valid line of an export") }
        var text = line.signed_text ?? ""
        if kind == .receipt {
            guard let original = line.first_purchase else { throw Refusal(reason: "not a valid line of an export") }
            text = try original.text
        }
        let fact = try await OriginalPurchase.verifiedFact(text, kind, of: subject, in: appEnvironment, by: verifier)
        return OriginalPurchase(
            scope: appEnvironment.id, subject: subject, kind: kind, fact: fact, origin: Origin(named: line.origin),
            receivedAt: line.received_at ?? 0, text: text)
    }

    /// The members of all kinds of lines.
    private struct Line: Decodable {
        let object: String
        let version: Int?
        let bundle_id: String?
        let environment: String?
        let kind: String?
        let received_at: Int64?
        let origin: String?
        let signed_payload: String?
        let signed_text: String?
        let purchase: ReceiptFact?
        let subject: String?
        let first_purchase: OriginalPurchaseText?
        let grant: String?
        let at: Int64?
        let entitlement: String?
        let until: Int64?
        let reason: String?
        let actor: String?
        let original_transaction_id: String?
        let app_transaction_id: String?
        let customer: String?
        let claimed_at: Int64?
        let digest: String?
        let pending: Int?
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
        case .originalPurchase, .grant, .erasure: break
        }
    }

    fileprivate mutating func refuse(_ reason: String) {
        refusals += 1
        if refused.count < Self.listed { refused.append(reason) }
    }
}

extension Origin {
    /// Returns the origin with this name; `imported` for other names.
    fileprivate init(named name: String?) {
        self = Origin.allCases.first { $0.name == name } ?? .imported
    }
}
