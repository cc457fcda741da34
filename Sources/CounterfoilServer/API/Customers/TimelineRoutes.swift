internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// A customer's timeline.
struct TimelineRoutes {
    let storage: any InspectionStorage
    let customers: CustomerReader
    let scopes: AppEnvironmentRegistry
    let historical: SignedDataVerifier

    func add(to v1: APIRouter) {
        v1.get("/customers/{id}/timeline", needs: .customersRead, timeline)
        v1.get("/customers/{id}/timeline/{uuid}", needs: .supportRead, entry)
    }

    /// Returns a notification of the timeline, with its contents and its verification.
    private func entry(_ call: APICall) async throws -> Response {
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        let id = call.pathParameter("uuid") ?? ""
        guard id.utf8.count <= 255, let stored = try await storage.notification(named: id),
            stored.scope == appEnvironment.id,
            try await storage.isNotification(stored.id, inTimelineOf: customer, in: appEnvironment.id)
        else {
            throw APIFailure.notFound("No notification with this UUID is in this timeline.", parameter: "uuid")
        }
        let decoded = await DecodedNotification(stored, in: appEnvironment, historical)
        return .json { json in
            NotificationJSON.write(stored, scopes, to: &json) { decoded.write(to: &$0) }
        }
    }

    /// Lists entries, newest first, up to the signing date `at`. Adds the contents of the notification that `expand`
    /// names.
    private func timeline(_ call: APICall) async throws -> Response {
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        let expanded = try call.request.shortText("expand")
        if expanded != nil { try call.context.require(.supportRead) }
        let paging = try Paging(call.request)
        let until = try call.request.instant("at") ?? .max
        var position = try paging.timelinePosition() ?? TimelinePosition(date: until)
        if position.date > until { position = TimelinePosition(date: until) }
        let items = try await storage.timeline(
            of: customer, in: appEnvironment.id, after: position, limit: paging.limit + 1)
        let (page, last) = paging.items(of: items)
        var entries: [(item: TimelineItem, reading: Reading)] = []
        var decoded: DecodedNotification?
        for item in page {
            entries.append((item, await customers.reading(of: item)))
            guard let expanded, case .notification(let stored) = item.kind, stored.isNamed(expanded) else { continue }
            decoded = await DecodedNotification(stored, in: appEnvironment, historical)
        }
        return .list(entries, next: last?.position.token) { json, entry in
            Self.write(
                entry.item, of: customer, in: appEnvironment, entry.reading, naming: call.maySeeOtherCustomers, scopes,
                to: &json
            ) { json, stored in
                guard let decoded, let expanded, stored.isNamed(expanded) else { return }
                json.key("notification")
                NotificationJSON.write(stored, scopes, to: &json) { decoded.write(to: &$0) }
            }
        }
    }

    /// The contents of an entry's notification; none for other entries and for unprocessed notifications.
    fileprivate typealias Reading = Result<NotificationParts?, VerificationError>

    private static func write(
        _ item: TimelineItem, of customer: String, in appEnvironment: AppEnvironment, _ reading: Reading,
        naming: Bool, _ scopes: AppEnvironmentRegistry, to json: inout JSONWriter,
        expanding: (inout JSONWriter, StoredNotification) -> Void
    ) {
        json.object("timeline_entry") { json in
            json.member("occurred_at", item.position.date)
            switch item.kind {
            case .change(let change):
                json.member("kind", "event")
                json.members(
                    of: CustomerChange(
                        change, of: item.originalTransactionID, for: customer, in: appEnvironment.bundleID),
                    naming: naming)
            case .grant(let event):
                json.member("kind", "event")
                json.member("type", "grant.\(event.kind.rawValue)")
                json.member("sentence", TimelineSentence.text(event, naming: naming))
                json.member("grant", event.grant.id)
                json.member("entitlement", event.grant.entitlement)
                if naming {
                    let revocation = event.kind == .revoked ? event.grant.revocation : nil
                    json.member("reason", revocation?.reason ?? event.grant.reason)
                    json.member("actor", revocation?.actor ?? event.grant.actor)
                }
            case .originalPurchase(let fact):
                json.member("kind", "event")
                json.member("type", "app.purchased")
                json.member("sentence", TimelineSentence.text(fact))
                json.value("original_purchase") { OriginalPurchaseJSON.write(fact, to: &$0) }
            case .notification(let stored):
                json.member("kind", "notification")
                write(stored, reading, scopes, to: &json)
                if !item.originalTransactionID.isEmpty {
                    json.member("original_transaction_id", item.originalTransactionID)
                }
                if case .success(let parts?) = reading { write(parts, to: &json) }
                expanding(&json, stored)
            }
        }
    }

    private static func write(
        _ stored: StoredNotification, _ reading: Reading, _ scopes: AppEnvironmentRegistry, to json: inout JSONWriter
    ) {
        switch reading {
        case .success(let parts): json.member("sentence", TimelineSentence.text(stored, parts))
        case .failure(let error):
            json.member("sentence", TimelineSentence.text(stored, nil))
            json.member("verification_failure", UnverifiedText.code(of: error, isDamaged: stored.isDamaged))
        }
        NotificationJSON.members(of: stored, scopes, to: &json)
    }

    private static func write(_ parts: NotificationParts, to json: inout JSONWriter) {
        json.member("transaction_id", parts.transaction?.transactionId)
        json.member("product_id", parts.transaction?.productId ?? parts.renewal?.productId)
        if let status = parts.payload.data?.status { json.member(status) }
        json.member("price_milliunits", parts.transaction?.price)
        json.member("currency", parts.transaction?.currency)
    }
}

extension CustomerReader {
    fileprivate func reading(of item: TimelineItem) async -> TimelineRoutes.Reading {
        guard case .notification(let stored) = item.kind else { return .success(nil) }
        do throws(VerificationError) { return .success(try await parts(of: stored)) } catch { return .failure(error) }
    }
}
