internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Foundation
internal import Ledger

// Reads and verifies the lines of an export, which may contain anything.
extension LedgerImport {
    /// The content of a line.
    enum Item: Sendable {
        case head(version: Int)
        case fact(ImportedFact)
        /// A claim in a version 1 file, which has no history.
        case formerClaim(ImportedFact.Claim)
        case end(digest: String?, count: LedgerExport.Count)
    }

    /// A line that is not imported.
    struct Refusal: Error {
        var reason: String

        static let invalidLine = Refusal(reason: "not a valid line of an export")
        static let tooLong = Refusal(reason: "too long for an export")
    }

    /// Reads and verifies a line.
    func read(_ line: LineReader.Line) async -> Result<Item, Refusal> {
        guard case .bytes(let bytes) = line else { return .failure(.tooLong) }
        do { return .success(try await item(try JSONDecoder().decode(Line.self, from: Data(bytes)))) } catch let error
            as Refusal
        {
            return .failure(error)
        } catch let error as VerificationError {
            return .failure(Refusal(reason: "\(error.code): \(error.message)"))
        } catch {
            return .failure(.invalidLine)
        }
    }

    private func item(_ line: Line) async throws -> Item {
        switch line.object {
        case "ledger_export":
            guard let version = line.version, version > 0 else { throw Refusal.invalidLine }
            return .head(version: version)
        case "end":
            let count = LedgerExport.Count(
                notifications: line.notifications ?? 0, pending: line.pending ?? 0, signedFacts: line.statements ?? 0,
                claims: line.claims ?? 0, erasures: line.erasures ?? 0,
                originalPurchases: line.original_purchases ?? 0, grantEvents: line.grant_events ?? 0)
            return .end(digest: line.digest, count: count)
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
            guard let digest = line.digest.flatMap({ [UInt8](hexadecimal: $0) }), digest.count == 32,
                let instant = line.at, Self.isInstant(instant)
            else { break }
            return .fact(.erasure(Erasure(digest: digest.hexadecimal, at: instant), scope: appEnvironment.id))
        case "grant_event": return .fact(.grant(try grant(line, appEnvironment)))
        case "original_purchase": return .fact(.originalPurchase(try await originalPurchase(line, appEnvironment)))
        case "account_claim":
            guard let account = line.app_transaction_id else { break }
            return try claim(line, .account(account, in: appEnvironment.id))
        default: break
        }
        throw Refusal.invalidLine
    }

    private func claim(_ line: Line, _ subject: ClaimTables.Subject) throws(Refusal) -> Item {
        guard let customer = line.customer, [subject.identifier, customer].allSatisfy(Self.isName) else {
            throw Refusal.invalidLine
        }
        let instant = line.claimed_at ?? 0
        // Later claims need a later instant that can still be represented.
        guard Self.isInstant(instant) else {
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
        let notification = try await verifier.genuineNotification(line.signed_payload ?? "")
        let envelope = notification.envelope
        guard envelope.bundleID.isExactly(appEnvironment.bundleID), envelope.environment == appEnvironment.environment
        else {
            throw Refusal(reason: "the notification is signed for another app or environment")
        }
        let date = line.received
        var imported = ImportedNotification(
            received: ReceivedNotification(
                notification, in: appEnvironment, at: date, origin: Origin(named: line.origin)))
        do throws(VerificationError) {
            let payload = try notification.content.get().payload
            let parts = try await NotificationParts(inside: payload, in: appEnvironment, verifiedBy: verifier)
            imported.processed = ProcessedNotification(parts, id: 0, in: appEnvironment, at: date)
        } catch {
            imported.failure = error
        }
        return imported
    }

    private func signedFact(_ line: Line, _ appEnvironment: AppEnvironment) async throws -> SignedFact {
        let (date, origin) = (line.received, Origin(named: line.origin))
        if line.kind == "receipt" {
            guard let purchase = line.purchase else { throw Refusal.invalidLine }
            return try SignedFact(receipt: purchase.fact, in: appEnvironment, at: date, origin: origin)
        }
        let (text, kind) = (line.signed_text ?? "", line.kind == "transaction" ? SignedFact.Kind.transaction : .renewal)
        return SignedFact(
            scope: appEnvironment.id, fact: try await .read(text, kind: kind, in: appEnvironment, by: verifier),
            origin: origin, receivedAt: date.milliseconds, text: text)
    }

    private func grant(_ line: Line, _ appEnvironment: AppEnvironment) throws(Refusal) -> ImportedFact.GrantedEvent {
        guard let id = line.grant, let reason = line.reason, let actor = line.actor, let instant = line.at,
            let kind = GrantEvent.Kind.allCases.first(where: { $0.name == line.kind }),
            kind == .revoke || line.customer != nil, kind != .create || line.entitlement != nil,
            [id, line.customer, line.entitlement].allSatisfy({ $0.map(Self.isName) ?? true }),
            [reason, actor].allSatisfy({ $0.utf8.count <= 500 }),
            [instant, line.until].allSatisfy({ $0.map(Self.isInstant) ?? true })
        else { throw Refusal.invalidLine }
        let content = GrantEvent.Content(
            customer: line.customer, entitlement: line.entitlement, until: line.until, reason: reason, actor: actor)
        return .init(scope: appEnvironment.id, id: id, event: GrantEvent(kind, at: instant, content))
    }

    private func originalPurchase(_ line: Line, _ appEnvironment: AppEnvironment) async throws -> OriginalPurchase {
        guard let subject = line.subject, Self.isName(subject),
            let kind = OriginalPurchase.Kind.allCases.first(where: { $0.name == line.kind })
        else { throw Refusal.invalidLine }
        var text = line.signed_text ?? ""
        if kind == .receipt {
            guard let original = line.first_purchase else { throw Refusal.invalidLine }
            text = try original.text
        }
        let fact = try await OriginalPurchase.verifiedFact(text, kind, of: subject, in: appEnvironment, by: verifier)
        return OriginalPurchase(
            scope: appEnvironment.id, subject: subject, kind: kind, fact: fact, origin: Origin(named: line.origin),
            receivedAt: line.received.milliseconds, text: text)
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
        let notifications: Int?
        let pending: Int?
        let statements: Int?
        let claims: Int?
        let erasures: Int?
        let original_purchases: Int?
        let grant_events: Int?

        /// When the data were received, limited to the range of dates.
        var received: Date { Date(milliseconds: received_at ?? 0) }
    }

    /// Whether a text has the size of an identifier.
    private static func isName(_ text: String) -> Bool { (1...255).contains(text.utf8.count) }

    /// Whether an instant can be represented as a date.
    private static func isInstant(_ instant: Milliseconds) -> Bool {
        Date(milliseconds: instant).milliseconds == instant
    }
}

extension Origin {
    /// Returns the origin with this name; `imported` for other names.
    fileprivate init(named name: String?) {
        self = Origin.allCases.first { $0.name == name } ?? .imported
    }
}
