internal import ConfigurationReading
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger

/// Which deliveries of an endpoint are asked for.
struct DeliveryQuery {
    private let paging: Paging
    private var filter: DeliveryFilter
    /// One event, whose deliveries are found without looking through others.
    private let eventID: String?

    /// As many deliveries of each state as one request looks through for a type or a customer.
    static let looking = 5000
    /// The most deliveries of one event: as many as there can be endpoints, and some of them sent again.
    private static let maximumOfEvent = 1000

    init(_ call: APICall, _ scopes: ScopeRegistry) throws(APIFailure) {
        let request = call.request
        paging = try Paging(request)
        filter = DeliveryFilter(state: try Self.state(request), eventType: try Self.eventType(request))
        if let customer = try request.word("customer") {
            let visible = scopes.all.filter { call.principal.maySee($0) }.map(\.id)
            filter.customer = .init(name: CustomerName.normal(customer), scopes: visible)
        }
        eventID = try request.word("event_id")
        guard eventID == nil || !filter.isNarrow else {
            throw APIFailure(
                "too_many_filters", "event_id names one event: leave out event_type and customer.",
                parameter: "event_id")
        }
    }

    private static func state(_ request: Request) throws(APIFailure) -> WebhookDelivery.State? {
        guard let text = request.parameter("state") else { return nil }
        guard let state = WebhookDelivery.State.allCases.first(where: { $0.name == text }) else {
            throw APIFailure("invalid_state", "Try pending, delivered, failed or discarded.", parameter: "state")
        }
        return state
    }

    private static func eventType(_ request: Request) throws(APIFailure) -> EventType? {
        guard let text = try request.word("event_type") else { return nil }
        guard (EventType.isKnown(text) && !text.contains("*")) || text == EventType.webhookTest.rawValue else {
            throw APIFailure(
                "invalid_event_type", .unknown("There is no event type \(quoted(text))", text, among: EventType.all),
                parameter: "event_type")
        }
        return EventType(rawValue: text)
    }

    /// A page of them.
    func page(
        of endpoint: Int64, _ storage: any WebhookStorage & DeliveryInspectionStorage & AttemptStorage
    ) async throws -> DeliveryList {
        let before = try paging.number()
        if let eventID {
            let all = try await storage.deliveries(ofEvent: eventID, limit: Self.maximumOfEvent, attempts: 0) ?? []
            let found = all.map(\.delivery).filter { delivery in
                delivery.endpoint == endpoint && delivery.id < before && filter.states.contains(delivery.state)
            }
            return DeliveryList(found: found, ends: [], limit: paging.limit)
        }
        guard filter.isNarrow else {
            let found = try await storage.deliveries(
                of: endpoint, in: filter.state, before: before, limit: paging.limit + 1)
            return DeliveryList(found: found, ends: [], limit: paging.limit)
        }
        return try await storage.deliveries(
            of: endpoint, matching: filter, before: before, limit: paging.limit, looking: Self.looking)
    }
}
