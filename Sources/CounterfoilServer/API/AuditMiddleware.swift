internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Notes what was done with a key, and what somebody was not allowed to do. It stands behind ``Authorization``.
///
/// What an app reports for its own customer is not noted: that is what its key is for, and everybody has that key.
struct AuditMiddleware: RouterMiddleware {
    private let core: ServerCore

    init(_ core: ServerCore) { self.core = core }

    @concurrent func handle(
        _ request: Request, context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let isWrite = request.method != .get && request.method != .head && context.route != "/v1/decode"
        let isRead = core.configuration.console.auditsReads && context.route.hasPrefix("/v1/customers/{id}")
        let isExport = context.route == "/v1/audit" && request.parameter("format") == "csv"
        let isNoted = (isWrite || isRead || isExport) && context.principal?.isPublic != true
        do {
            let response = try await next(request, context)
            if isNoted { core.audit.add(entry(request, context, "\(response.status.code)")) }
            return response
        } catch let failure as APIFailure {
            if isNoted || failure.status == .forbidden {
                let entry = entry(request, context, "\(failure.status.code) \(failure.code)")
                if context.principal?.isPublic == true { core.audit.addAnonymous(entry) } else { core.audit.add(entry) }
            }
            throw failure
        } catch {
            if isNoted { core.audit.add(entry(request, context, "failed")) }
            throw error
        }
    }

    private func entry(_ request: Request, _ context: ServerContext, _ result: String) -> AuditEntry {
        AuditEntry(request, context, core, actor: context.principal?.name ?? "nobody", result: result)
    }
}

/// Notes who was turned away at the door. It stands before ``Authorization``.
struct AuditRefusals: RouterMiddleware {
    private let core: ServerCore

    init(_ core: ServerCore) { self.core = core }

    @concurrent func handle(
        _ request: Request, context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch let failure as APIFailure
            where failure.status == .unauthorized
        {
            core.audit.addAnonymous(
                AuditEntry(
                    request, context, core, actor: "nobody", result: "\(failure.status.code) \(failure.code)"))
            throw failure
        }
    }
}

extension AuditEntry {
    /// What a request is in the audit log.
    init(_ request: Request, _ context: ServerContext, _ core: ServerCore, actor: String, result: String) {
        let target = context.parameters.get("id") ?? context.parameters.get("name")
        self.init(
            at: core.now.milliseconds, actor: actor, session: context.session,
            address: ClientAddress(of: request, from: context.peer, core.configuration.listen).address,
            action: "\(request.method.rawValue.prefix(16)) \(context.route)",
            target: target.map { String(($0.removingPercentEncoding ?? $0).prefix(255)) },
            detail: request.uri.query.map { String($0.prefix(300)) }, result: result)
    }
}
