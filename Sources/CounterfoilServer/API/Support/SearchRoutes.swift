internal import AppStoreModels
internal import Basics
internal import Hummingbird
internal import Ledger

/// Finds records by any identifier that a support ticket may contain.
struct SearchRoutes {
    typealias Storage = CustomerStorage & InspectionStorage & WebhookStorage

    let storage: any Storage
    let scopes: AppEnvironmentRegistry

    func add(to v1: APIRouter) { v1.get("/search", needs: .supportRead, search) }

    /// Returns the kinds of records that were searched, and the records that were found.
    private func search(_ call: APICall) async throws -> Response {
        let request = call.request
        guard let text = try request.shortText("q") else {
            throw APIFailure("missing_parameter", "`q` is missing: give the identifier to search for.", parameter: "q")
        }
        guard let query = SearchQuery(text) else {
            throw APIFailure("invalid_parameter", "`q` is blank or contains control characters.", parameter: "q")
        }
        let numbers = Set(try call.visibleScopes())
        var search = Search(query: query, scopes: scopes.all.filter { numbers.contains($0.id) })
        try await search.run(storage)
        return .object("search") { json in
            json.member("query", query.text)
            json.member("tried", search.tried) { json, tried in
                json.object { json in
                    json.member("kind", tried.kind)
                    json.member("found", tried.found)
                    json.member("note", tried.note)
                }
            }
            json.member("items", search.found) { json, item in
                json.object("search_result") { json in
                    json.member("kind", item.kind)
                    json.member("id", item.id)
                    json.members(of: item.appEnvironment)
                    json.member("customers", item.customers) { $0.string($1) }
                }
            }
        }
    }
}

/// A search by an exact identifier.
private struct Search {
    struct Item {
        var kind, id: String
        var appEnvironment: AppEnvironment?
        var customers: [String] = []
    }

    let query: SearchQuery
    let scopes: [AppEnvironment]
    var tried: [(kind: String, found: Bool, note: String?)] = []
    var found: [Item] = []

    mutating func run(_ storage: any SearchRoutes.Storage) async throws {
        if let transaction = query.transaction { try await transactions(transaction, storage) }
        if let event = query.event { try await self.event(event, storage) }
        if let notification = query.notification { try await self.notification(notification, storage) }
        if !query.customers.isEmpty { try await customers(query.customers, storage) }
        if let order = query.order {
            let note = "The ledger has no orders; look this one up in the App Store with GET /v1/orders/\(order)."
            tried.append(("order", false, note))
        }
    }

    private mutating func transactions(_ id: String, _ storage: any SearchRoutes.Storage) async throws {
        let before = found.count
        for appEnvironment in scopes {
            guard let original = try await storage.originalTransactionID(of: id, in: appEnvironment.id) else {
                continue
            }
            let kind = original.isExactly(id) ? "original_transaction" : "transaction"
            found.append(
                Item(
                    kind: kind, id: id, appEnvironment: appEnvironment,
                    customers: try await storage.owners(of: original, in: appEnvironment.id)))
        }
        tried.append(("transaction", found.count > before, nil))
        tried.append(("original_transaction", found.contains { $0.kind == "original_transaction" }, nil))
    }

    private mutating func event(_ id: String, _ storage: any SearchRoutes.Storage) async throws {
        var event: LedgerEvent?
        if let number = try await storage.eventNumber(id) { event = try await storage.event(number)?.event }
        let appEnvironment = event.flatMap { event in scopes.first { $0.id == event.scope } }
        if let event, let appEnvironment {
            found.append(
                Item(
                    kind: "event", id: event.id, appEnvironment: appEnvironment,
                    customers: event.namedCustomer.map { [$0] } ?? []))
        }
        tried.append(("event", appEnvironment != nil, nil))
    }

    private mutating func notification(_ uuid: String, _ storage: any SearchRoutes.Storage) async throws {
        let stored = try await storage.notification(named: uuid)
        let appEnvironment = stored.flatMap { stored in scopes.first { $0.id == stored.scope } }
        if let stored, let appEnvironment {
            found.append(Item(kind: "notification", id: stored.uuid, appEnvironment: appEnvironment))
        }
        tried.append(("notification", appEnvironment != nil, nil))
    }

    private mutating func customers(_ names: [String], _ storage: any SearchRoutes.Storage) async throws {
        let before = found.count
        for appEnvironment in scopes {
            for customer in names {
                let place = TimelinePosition(date: .max)
                let known = try await storage.timeline(of: customer, in: appEnvironment.id, after: place, limit: 1)
                if !known.isEmpty {
                    found.append(
                        Item(kind: "customer", id: customer, appEnvironment: appEnvironment, customers: [customer]))
                }
            }
        }
        let note = query.notification == nil ? nil : "also as the app account token of purchases"
        tried.append(("customer", found.count > before, note))
    }
}
