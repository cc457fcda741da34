internal import AppStoreServer
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Received and refused notifications.
struct InboxRoutes {
    let storage: any InspectionStorage & RefusalStorage & CustomerStorage
    let scopes: AppEnvironmentRegistry
    let historical: SignedDataVerifier
    let processor: NotificationProcessor
    let clock: ServerClock

    func add(to v1: APIRouter) {
        v1.get("/notifications", needs: .operationsRead, list)
        v1.get("/notifications/{id}", needs: .operationsRead, notification)
        v1.post("/notifications/{id}/reprocess", needs: .operationsWrite, reprocess)
        v1.post("/notifications/reprocess", needs: .operationsWrite, reprocessFailed)
        v1.get("/refused", needs: .operationsRead, refused)
    }

    /// Lists notifications, last received first.
    private func list(_ call: APICall) async throws -> Response {
        let paging = try Paging(call.request)
        var filter = InboxFilter(scopes: try call.visibleScopes())
        filter.type = try call.request.shortText("type")
        filter.subtype = try call.request.shortText("subtype")
        filter.from = try call.request.instant("from")
        filter.to = try call.request.instant("to")
        filter.originalTransactionID = try call.request.shortText("original_transaction_id")
        if let text = try call.request.shortText("state") {
            guard let state = StoredNotification.State(rawValue: text) else {
                throw APIFailure("invalid_state", "`state` is pending, processed or failed.", parameter: "state")
            }
            filter.state = state
        }
        let page = try await storage.notifications(filter, before: try paging.number(), limit: paging.limit)
        // The events have what processing found out, so that no text is decoded here.
        let events = try await storage.events(ofNotifications: page.items.map(\.id))
        return .list(page.items, next: page.next.map { String($0) }) { json, stored in
            NotificationJSON.write(stored, scopes, to: &json) { json in
                guard let event = events[stored.id] else { return }
                json.member("product_id", event.productID)
                json.member("original_transaction_id", event.originalTransactionID)
                json.member("customer", event.namedCustomer)
            }
        }
    }

    /// Returns the notification in the path. Throws 404 if there is none that the key may see.
    static func notification(
        _ call: APICall, _ storage: any InspectionStorage, _ scopes: AppEnvironmentRegistry
    ) async throws -> (stored: StoredNotification, appEnvironment: AppEnvironment) {
        if let id = call.pathParameter("id"), id.utf8.count <= 255,
            let stored = try await storage.notification(named: id),
            let appEnvironment = scopes[id: stored.scope], call.principal.maySee(appEnvironment)
        {
            return (stored, appEnvironment)
        }
        throw APIFailure.notFound("No notification with this UUID was received.", parameter: "id")
    }

    /// Returns a notification with its contents; with `include=signed_data` also the signed text.
    private func notification(_ call: APICall) async throws -> Response {
        let (stored, appEnvironment) = try await Self.notification(call, storage, scopes)
        let decoded = await DecodedNotification(stored, in: appEnvironment, historical)
        var customer: String?
        // A notification about a purchase names no account: its transaction leads to its owners.
        if let account = decoded.account {
            customer = try await storage.customer(ofAccount: account, in: appEnvironment.id)
        }
        let others = try await storage.otherTexts(of: stored.id, limit: Self.maximumOtherTexts)
        let withText = call.request.includes("signed_data")
        return .json { json in
            NotificationJSON.write(stored, scopes, to: &json) { json in
                json.member("customer", customer)
                decoded.write(to: &json)
                if withText, !stored.isDamaged { json.member("signed_data", stored.text) }
                guard !others.isEmpty else { return }
                json.member("other_texts", others) { json, other in
                    NotificationJSON.write(other, scopes, to: &json) { json in
                        if withText, !other.isDamaged { json.member("signed_data", other.text) }
                    }
                }
            }
        }
    }

    /// The maximum number of other texts in a response. The App Store signs one text per identifier.
    private static let maximumOtherTexts = 10

    /// Reprocesses a notification, and those of its other texts that failed. Events that exist are not emitted again.
    private func reprocess(_ call: APICall) async throws -> Response {
        let stored = try await Self.notification(call, storage, scopes).stored
        let others = try await storage.otherTexts(of: stored.id, limit: Self.maximumReprocessed)
        let failed = others.filter { $0.state == .failed }.map(\.id)
        try await reprocess([stored.id] + failed)
        var answer = stored
        (answer.state, answer.failure) = (.pending, nil)
        return .json(status: .accepted) { NotificationJSON.write(answer, scopes, to: &$0) }
    }

    /// The body of a request to reprocess failed notifications.
    private struct ReprocessingBody: JSONRequestBody {
        var code: String
        var dryRun: Bool?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case code
            case dryRun = "dry_run"
        }
    }

    /// The maximum number of notifications that one request reprocesses.
    private static let maximumReprocessed = 10_000

    /// Reprocesses all notifications that failed with a code, or only counts them.
    private func reprocessFailed(_ call: APICall) async throws -> Response {
        let body = try await call.body(
            ReprocessingBody.self, upTo: 4096, form: #"{"code": "storage_damaged", "dry_run": true?}"#)
        let failed = try await storage.failedNotifications(
            code: body.code, in: try call.visibleScopes(), limit: Self.maximumReprocessed + 1)
        let chosen = Array(failed.prefix(Self.maximumReprocessed))
        let isDone = !(body.dryRun ?? false)
        call.setAuditDetail("\(isDone ? "" : "counted ")\(chosen.count) that failed with \(body.code.prefix(100))")
        if isDone, !chosen.isEmpty { try await reprocess(chosen) }
        return .object("reprocessing") { json in
            json.member("code", body.code)
            json.member("notifications", Int64(chosen.count))
            json.member("has_more", failed.count > chosen.count)
            json.member("dry_run", !isDone)
        }
    }

    private func reprocess(_ notifications: [Int64]) async throws {
        // Also after a failure: the first ones may be pending, and nothing else would make the processor read them.
        defer { processor.rescan() }
        try await storage.reprocess(notifications, at: clock.now().milliseconds)
    }

    /// Lists refused notifications, newest first. The apps that they name are not verified, so only a key for all apps
    /// may read them.
    private func refused(_ call: APICall) async throws -> Response {
        try call.principal.requireAllApps()
        let paging = try Paging(call.request)
        let found = try await storage.refusals(before: try paging.number(), limit: paging.limit + 1)
        let (page, last) = paging.items(of: found)
        return .list(page, next: last.map { String($0.id) }) { json, stored in
            json.object("refusal") { json in
                json.member("received_at", stored.refusal.receivedAt)
                json.member("code", stored.refusal.code)
                json.member("message", stored.refusal.message)
                json.member("sender", stored.refusal.sender)
                json.member("body", String(decoding: stored.refusal.body, as: UTF8.self))
            }
        }
    }
}
