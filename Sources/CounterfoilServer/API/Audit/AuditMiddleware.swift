internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import Synchronization

/// Records changes, audited reads and forbidden requests in the audit log. Runs after ``Authorization``, and after
/// ``IdempotencyMiddleware``: a replayed response is not a new action.
///
/// Requests with a public key are recorded only if they are forbidden: a public key exists to report the purchases of
/// its own customer, and everybody has it. An open console page repeats its reads: those are recorded once a session.
struct AuditMiddleware: RouterMiddleware {
    /// Routes that use GET but store the App Store's answers.
    private static let storingReads: Set = ["/v1/orders/{id}", "/v1/customers/{id}/refunds"]

    let audit: RequestAudit
    private let recordedReads = RecordedReads()

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        let isWrite =
            request.method != .get && request.method != .head && context.route != "/v1/decode"
            || Self.storingReads.contains(context.route)
        let isRead = audit.settings.current.console.auditsReads && context.route.hasPrefix("/v1/customers/{id}")
        let isExport = context.route == "/v1/audit" && ListFormat.isCSV(request)
        let isRecorded = (isWrite || isRead || isExport) && context.principal?.isPublic != true
        var context = context
        if isRecorded { context.auditDetail = AuditDetail() }
        func record(_ result: String) {
            add(audit.entry(request, context, result: result), context, isRead: !isWrite && !isExport)
            for change in context.auditDetail?.others ?? [] {
                audit.add(audit.entry(request, context, result: result, about: change), context)
            }
        }
        do {
            let response = try await next(request, context)
            if isRecorded { record("\(response.status.code)") }
            return response
        } catch let failure as APIFailure {
            if isRecorded || failure.status == .forbidden { record("\(failure.status.code) \(failure.code)") }
            throw failure
        } catch {
            if isRecorded { record("failed") }
            throw error
        }
    }

    private func add(_ entry: AuditEntry, _ context: ServerContext, isRead: Bool) {
        if isRead, context.session != nil, !recordedReads.isFirst(entry), context.isRefetch { return }
        audit.add(entry, context)
    }
}

/// The recently recorded reads and refusals of console sessions.
private final class RecordedReads: Sendable {
    private static let capacity = 10_000
    /// The session, the action, the target and the result of each.
    private let reads = Mutex<Set<[String?]>>([])

    /// Whether this read was not recorded before. A full set is cleared, so old reads may be recorded again.
    func isFirst(_ entry: AuditEntry) -> Bool {
        reads.withLock { reads in
            if reads.count >= Self.capacity { reads = [] }
            return reads.insert([entry.session, entry.action, entry.target, entry.result]).inserted
        }
    }
}

/// What a route says about its change, for the audit log: short sentences without secrets.
final class AuditDetail: Sendable {
    /// A sentence about the change of an object.
    struct Change: Sendable {
        /// The object; nil if the path names it.
        var target: String?
        var text: String
    }

    private let own = Mutex<Change?>(nil)
    private let added = Mutex<[Change]>([])

    /// The change of the object in the path.
    var change: Change? { own.withLock { $0 } }
    /// The changes of other objects. Each gets an entry, so that the log can be searched for the object.
    var others: [Change] { added.withLock { $0 } }

    func set(_ change: Change) { own.withLock { $0 = change } }

    func add(_ change: Change) { added.withLock { $0.append(change) } }
}

/// Records requests that ``Authorization``, ``LocalOrAuthorized`` or ``SessionRoutes`` reject with 401. Runs before
/// them.
struct AuditUnauthorizedMiddleware: RouterMiddleware {
    let audit: RequestAudit

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        do { return try await next(request, context) } catch let failure as APIFailure
            where failure.status == .unauthorized
        {
            audit.recordAnonymous(request, context, result: "\(failure.status.code) \(failure.code)")
            throw failure
        }
    }
}

/// Makes audit log entries from requests.
struct RequestAudit: Sendable {
    let log: AuditLog
    let clock: ServerClock
    let settings: SharedValue<ServerConfiguration>

    /// - Parameter other: The change of an object that the path does not name.
    func entry(
        _ request: Request, _ context: ServerContext, result: String, about other: AuditDetail.Change? = nil
    ) -> AuditEntry {
        let change = other ?? context.auditDetail?.change
        let target = change?.target ?? Self.target(context)
        // Queries of console pages may contain a sign-in link or a search text.
        let query = request.uri.path.hasPrefix("/v1/") ? request.uri.query.map { String($0) } : nil
        let detail = [change?.text, query].compactMap(\.self)
        return AuditEntry(
            at: clock.now().milliseconds, actor: context.principal?.name ?? "nobody", session: context.session,
            address: ClientAddress(of: request, from: context.peer, settings.current.listen).address,
            action: "\(request.method.rawValue.prefix(16)) \(context.route)",
            target: target.map { Self.shortened($0, to: 255) },
            detail: detail.isEmpty ? nil : Self.shortened(detail.joined(separator: " · "), to: 600), result: result)
    }

    /// Returns the object in the path. A customer's UUID has one spelling, so that the log can be searched for it.
    private static func target(_ context: ServerContext) -> String? {
        guard let text = context.parameters.get("id") ?? context.parameters.get("name") else { return nil }
        let target = String(percentEncoded: text.utf8) ?? text
        return context.route.hasPrefix("/v1/customers/{id}") ? CustomerName.canonical(target) : target
    }

    /// Counts code points. A character may have any number of them, such as a letter with thousands of accents.
    private static func shortened(_ text: String, to count: Int) -> String {
        String(text.unicodeScalars.prefix(count))
    }

    /// Queues an entry. Everybody has a public key, so its entries are limited like those of anonymous requests.
    func add(_ entry: AuditEntry, _ context: ServerContext) {
        if context.principal?.isPublic == true { log.addAnonymous(entry) } else { log.add(entry) }
    }

    /// Records a request without a valid key.
    func recordAnonymous(_ request: Request, _ context: ServerContext, result: String) {
        log.addAnonymous(entry(request, context, result: result))
    }

    /// Records a refused sign-in to the console.
    func recordRefusedSignIn(_ request: Request, _ context: ServerContext, result: String) {
        log.addRefusedSignIn(entry(request, context, result: result))
    }
}
