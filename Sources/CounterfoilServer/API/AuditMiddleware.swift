internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import Synchronization

/// Notes what was done with a key, and what somebody was not allowed to do. It stands behind ``Authorization``, and behind
/// ``IdempotencyMiddleware``: an answer that is repeated is nothing that was done.
///
/// What an app reports for its own customer is not noted: that is what its key is for, and everybody has that key. An open
/// page of the console asks again and again: what it reads is noted once a session.
struct AuditMiddleware: RouterMiddleware {
    /// The routes that read, and keep what the App Store answers.
    private static let keeping: Set = ["/v1/orders/{id}", "/v1/customers/{id}/refunds"]

    private let audit: RequestAudit
    private let noted = NotedReads()

    init(_ audit: RequestAudit) { self.audit = audit }

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        let isWrite =
            request.method != .get && request.method != .head && context.route != "/v1/decode"
            || Self.keeping.contains(context.route)
        let isRead = audit.settings.current.console.auditsReads && context.route.hasPrefix("/v1/customers/{id}")
        let isExport = context.route == "/v1/audit" && request.parameter("format") == "csv"
        let isNoted = (isWrite || isRead || isExport) && context.principal?.isPublic != true
        var context = context
        if isNoted { context.auditDetail = AuditDetail() }
        do {
            let response = try await next(request, context)
            if isNoted {
                add(entry(request, context, "\(response.status.code)"), context, isRead: !isWrite && !isExport)
            }
            return response
        } catch let failure as APIFailure {
            if isNoted || failure.status == .forbidden {
                let entry = entry(request, context, "\(failure.status.code) \(failure.code)")
                add(entry, context, isRead: !isWrite && !isExport)
            }
            throw failure
        } catch {
            if isNoted { add(entry(request, context, "failed"), context, isRead: false) }
            throw error
        }
    }

    private func add(_ entry: AuditEntry, _ context: ServerContext, isRead: Bool) {
        if isRead, context.session != nil, !noted.isFirst(entry), context.isRefetch { return }
        if context.principal?.isPublic == true { audit.log.addAnonymous(entry) } else { audit.log.add(entry) }
    }

    private func entry(_ request: Request, _ context: ServerContext, _ result: String) -> AuditEntry {
        audit.entry(request, context, actor: context.principal?.name ?? "nobody", result: result)
    }
}

/// What sessions of the console read, and were refused, lately.
private final class NotedReads: Sendable {
    private struct Read: Hashable {
        var session: String?
        var action: String
        var target: String?
        var result: String
    }

    private static let capacity = 10_000
    private let reads = Mutex<Set<Read>>([])

    /// Whether this was not noted before. What was forgotten is noted again.
    func isFirst(_ entry: AuditEntry) -> Bool {
        let read = Read(
            session: entry.session, action: entry.action, target: entry.target, result: entry.result)
        return reads.withLock { reads in
            if reads.count >= Self.capacity { reads = [] }
            return reads.insert(read).inserted
        }
    }
}

/// A short sentence of a route about what it changed, for the audit log. It has no secrets.
final class AuditDetail: Sendable {
    private let sentence = Mutex<String?>(nil)

    var text: String? { sentence.withLock { $0 } }

    func set(_ text: String) { sentence.withLock { $0 = text } }
}

/// Notes who was turned away at the door. It stands before ``Authorization``.
struct AuditRefusals: RouterMiddleware {
    let audit: RequestAudit

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        do { return try await next(request, context) } catch let failure as APIFailure
            where failure.status == .unauthorized
        {
            audit.noteAnonymous(request, context, result: "\(failure.status.code) \(failure.code)")
            throw failure
        }
    }
}

/// Says what a request is in the audit log, and notes it there.
struct RequestAudit: Sendable {
    let log: AuditLog
    let clock: ServerClock
    let settings: Live<ServerConfiguration>

    func entry(_ request: Request, _ context: ServerContext, actor: String, result: String) -> AuditEntry {
        let target = context.parameters.get("id") ?? context.parameters.get("name")
        // Queries of pages may hold a sign-in link, and what somebody searched for.
        let query = request.uri.path.hasPrefix("/v1/") ? request.uri.query.map { String($0) } : nil
        let detail = [context.auditDetail?.text, query].compactMap(\.self)
        return AuditEntry(
            at: clock.now().milliseconds, actor: actor, session: context.session,
            address: ClientAddress(of: request, from: context.peer, settings.current.listen).address,
            action: "\(request.method.rawValue.prefix(16)) \(context.route)",
            target: target.map { String((String(percentEncoded: $0.utf8) ?? $0).prefix(255)) },
            detail: detail.isEmpty ? nil : String(detail.joined(separator: " · ").prefix(600)), result: result)
    }

    /// Notes what somebody did who has no key.
    func noteAnonymous(_ request: Request, _ context: ServerContext, result: String) {
        log.addAnonymous(entry(request, context, actor: "nobody", result: result))
    }
}
