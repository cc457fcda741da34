internal import ConfigurationReading
internal import Foundation
internal import Hummingbird
internal import Ledger

/// A query for the deliveries of an endpoint.
struct DeliveryQuery {
    private let paging: Paging
    private var filter: DeliveryFilter
    /// The only event to return deliveries of. They are found without a scan.
    private let eventID: String?
    private let principal: Principal
    private let scopes: AppEnvironmentRegistry

    /// How many deliveries of each state one request scans for an event type or a customer.
    static let scanLimit = 5000
    /// The maximum number of deliveries of one event: those to all endpoints, and some replays.
    static let maximumDeliveriesOfEvent = 1000

    init(_ call: APICall, _ scopes: AppEnvironmentRegistry) throws(APIFailure) {
        let request = call.request
        (principal, self.scopes) = (call.principal, scopes)
        paging = try Paging(request)
        filter = DeliveryFilter(state: try Self.state(request), eventType: try Self.eventType(request))
        let visible = scopes.all.filter { call.principal.maySee($0) }.map(\.id)
        if let customer = try request.shortText("customer") {
            filter.customer = .init(name: CustomerName.canonical(customer), scopes: visible)
        }
        eventID = try request.shortText("event_id")
        guard eventID == nil || !filter.hasEventConditions else {
            throw APIFailure(
                "too_many_filters", "event_id names one event: leave out event_type and customer.",
                parameter: "event_id")
        }
        // The endpoint may have received events of other apps and environments before.
        if !principal.isUnlimited { filter.scopes = [0] + visible }
    }

    private static func state(_ request: Request) throws(APIFailure) -> WebhookDelivery.State? {
        guard let text = request.parameter("state") else { return nil }
        guard let state = WebhookDelivery.State.allCases.first(where: { $0.name == text }) else {
            throw APIFailure("invalid_state", "`state` is pending, delivered, failed or discarded.", parameter: "state")
        }
        return state
    }

    private static func eventType(_ request: Request) throws(APIFailure) -> EventType? {
        guard let text = try request.shortText("event_type") else { return nil }
        guard (EventType.isKnown(text) && !text.contains("*")) || text == EventType.webhookTest.rawValue else {
            throw APIFailure(
                "invalid_event_type", .unknown("There is no event type \(quoted(text))", text, among: EventType.all),
                parameter: "event_type")
        }
        return EventType(rawValue: text)
    }

    /// Returns a page of the deliveries.
    func page(
        of endpoint: Int64, _ storage: any WebhookStorage & DeliveryInspectionStorage & AttemptStorage
    ) async throws -> DeliveryList {
        let before = try paging.number()
        if let eventID {
            guard try await storage.isEvent(eventID, visibleTo: principal, scopes) else {
                return DeliveryList(found: [], ends: [], limit: paging.limit)
            }
            let all =
                try await storage.deliveries(ofEvent: eventID, limit: Self.maximumDeliveriesOfEvent, attempts: 0) ?? []
            let found = all.map(\.delivery).filter { delivery in
                delivery.endpoint == endpoint && delivery.id < before && filter.states.contains(delivery.state)
            }
            return DeliveryList(found: found, ends: [], limit: paging.limit)
        }
        // Without conditions on the event, each delivery that is read is on the page or after it.
        let scanLimit = filter.hasEventConditions ? Self.scanLimit : paging.limit + 1
        return try await storage.deliveries(
            of: endpoint, matching: filter, before: before, limit: paging.limit, scanLimit: scanLimit)
    }
}
