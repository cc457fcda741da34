internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import Basics
internal import Foundation
internal import Hummingbird
internal import NIOCore

/// Where the app reports what its customer bought.
enum PurchaseRoutes {
    static func add(to router: RouterGroup<ServerContext>, _ core: ServerCore) {
        router.post("/customers/{id}/purchases") { request, context in try await report(request, context, core) }
    }

    /// The customer, as `GET` gives it, with all that was bought, and what became of each transaction that was sent. Where not all of it could be asked for, the member
    /// `history` says so.
    private static func report(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.customersWrite)
        let customer = try context.customer(for: principal)
        let body = try await request.bytes(upTo: core.configuration.limits.requestBytes)
        let sent = try PurchaseReportBody(body: Array(body.readableBytesView))
        let report = sent.report
        try report.check(for: principal)
        var proven = try await core.prover.prove(report)
        if let account = principal.appTransactionId { try proven.limit(to: account) }
        let scope = try scope(of: proven, request, context, core, principal)
        let restoration = try await core.restores.restore(
            proven, for: customer, named: principal.appAccountToken, in: scope, Takeover(restore: sent.restore),
            askingUnlessYoungerThan: principal.isPublic ? AccountHistories.pause : 0)
        var json = JSONWriter()
        CustomerJSON.write(restoration.reading, to: &json) { json in
            core.writeMembersForApps(of: scope, for: principal, to: &json)
            write(restoration.kept, restoration.refused, to: &json)
            guard let history = restoration.history, history != .complete else { return }
            json.member("history") { json in
                json.member("state", history.name)
                if case .refused(let code) = history { json.member("code", code) }
            }
        }
        return try core.answer(json, about: customer, in: scope, to: request)
    }

    private static func write(_ kept: [String], _ refused: [RefusedText], to json: inout JSONWriter) {
        json.member("kept", kept) { $0.string($1) }
        json.member("refused", refused) { json, refused in
            json.object { json in
                json.member("id", refused.id)
                json.member("code", refused.code)
                json.member("param", refused.parameter)
            }
        }
    }

    /// What was sent says which app and environment it is of. The parameters are for those who send nothing.
    static func scope(
        of proven: ProvenPurchases, _ request: Request, _ context: ServerContext, _ core: ServerCore,
        _ principal: Principal
    ) throws(APIFailure) -> Scope {
        guard let audience = proven.audience else { return try context.scope(of: request, core, for: principal) }
        let parameters = request.uri.queryParameters
        guard let scope = core.scopes[audience.bundleId, audience.environment],
            principal.apps?.containsExactly(audience.bundleId) ?? true,
            parameters["app"].map({ String($0).isExactly(audience.bundleId) }) ?? true
        else {
            throw APIFailure(.badRequest, "wrong_app", "This was bought in another app.", parameter: "app")
        }
        guard principal.environments?.contains(audience.environment) ?? true,
            parameters["environment"].map({ $0 == audience.environment.rawValue }) ?? true
        else {
            throw APIFailure(
                .badRequest, "wrong_environment", "This was bought in another environment.", parameter: "environment")
        }
        return scope
    }
}
