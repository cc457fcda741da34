internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import AppStoreServer
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Entitlements

/// What is told to the App Store before it decides on a refund.
enum ConsumptionRoutes {
    static func add(to router: RouterGroup<ServerContext>, _ core: ServerCore) {
        router.post("/customers/{id}/usage") { request, context in try await report(request, context, core) }
        router.get("/customers/{id}/consumption") { request, context in try await list(request, context, core) }
        router.get("/customers/{id}/consumption/preview") { request, context in
            try await preview(request, context, core)
        }
    }

    /// Takes down how much was used, and what the customer agreed to.
    private static func report(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let principal = try context.require(.customersWrite)
        try principal.refuseSession()
        let scope = try context.scope(of: request, core, for: principal)
        let customer = try context.customer(for: principal)
        let body = try await request.bytes(upTo: 16 << 10)
        let usage = try UsageBody(body: Array(body.readableBytesView))
        if principal.isPublic { try usage.requireConsentAlone() }
        let report = try usage.report(at: core.now)
        try await core.storage.note(report, of: customer, in: scope.id)
        return Response(status: .noContent)
    }

    /// The latest questions and their outcomes.
    private static func list(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let (scope, customer) = try reader(request, context, core)
        let lineages = try await core.storage.lineages(of: customer, in: scope.id)
        let inquiries = try await core.storage.inquiries(
            about: lineages.map(\.originalTransactionId), in: scope.id, limit: 100)
        var json = JSONWriter()
        json.object { json in
            json.member("object", "list")
            json.member("items", inquiries) { ConsumptionJSON.write($1, to: &$0) }
            json.key("next_page")
            json.null()
        }
        return json.response()
    }

    /// Exactly what would be sent about a transaction, and why.
    private static func preview(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let (scope, customer) = try reader(request, context, core)
        guard let id = request.uri.queryParameters["transaction_id"].map({ String($0) }), !id.isEmpty else {
            throw APIFailure(
                .badRequest, "missing_parameter", "Name the transaction.", parameter: "transaction_id")
        }
        let lineages = try await core.storage.lineages(of: customer, in: scope.id)
        guard lineages.contains(where: { $0.transactions.contains { $0.transactionId == id } }),
            let answer = try await core.consumption.preview(id, of: customer, in: scope)
        else {
            throw APIFailure(
                .notFound, "unknown_transaction", "The customer has no such transaction.", parameter: "transaction_id")
        }
        var json = JSONWriter()
        ConsumptionJSON.write(answer, about: id, to: &json)
        return json.response()
    }

    private static func reader(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) throws(APIFailure) -> (Scope, String) {
        let principal = try context.require(.customersRead)
        return (try context.scope(of: request, core, for: principal), try context.customer(for: principal))
    }
}

/// The body of a report of use.
private struct UsageBody: JSONRequestBody {
    var transactionId: String?
    var productId: String?
    var customerConsented: Bool?
    var consumptionPercentage: Int32?
    var deliveryStatus: String?
    var sampleContentProvided: Bool?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case transactionId = "transaction_id"
        case productId = "product_id"
        case customerConsented = "customer_consented"
        case consumptionPercentage = "consumption_percentage"
        case deliveryStatus = "delivery_status"
        case sampleContentProvided = "sample_content_provided"
    }

    static let members = CodingKeys.allCases.map(\.rawValue)

    private static let deliveryStatuses: Set<DeliveryStatus> = [
        .delivered, .undeliveredQualityIssue, .undeliveredWrongItem, .undeliveredServerOutage, .undeliveredOther,
    ]

    init(body: [UInt8]) throws(APIFailure) {
        try self.init(body: body, form: "a JSON object that reports use")
    }

    /// Whether it says of what, at most, and not how much.
    private var isEmpty: Bool {
        customerConsented == nil && consumptionPercentage == nil && deliveryStatus == nil
            && sampleContentProvided == nil
    }

    /// What a customer got and used decides about their own refund, so only the app's backend may say it.
    func requireConsentAlone() throws(APIFailure) {
        let members: [(name: String, isThere: Bool)] = [
            ("delivery_status", deliveryStatus != nil), ("consumption_percentage", consumptionPercentage != nil),
            ("sample_content_provided", sampleContentProvided != nil), ("transaction_id", transactionId != nil),
            ("product_id", productId != nil),
        ]
        guard let member = members.first(where: \.isThere) else { return }
        throw APIFailure(
            .forbidden, "forbidden", "With a key that is shipped in an app only customer_consented may be reported.",
            parameter: member.name)
    }

    func report(at now: Date) throws(APIFailure) -> UsageReport {
        for (text, name) in [(transactionId, "transaction_id"), (productId, "product_id")] {
            guard let text else { continue }
            guard !text.isEmpty, text.utf8.count <= 255 else {
                throw APIFailure(
                    .badRequest, "invalid_identifier", "An identifier has 1 to 255 bytes.", parameter: name)
            }
        }
        guard (0...100_000).contains(consumptionPercentage ?? 0) else {
            throw APIFailure(
                .badRequest, "invalid_percentage", "It is in thousandths of a percent, 0 to 100000.",
                parameter: "consumption_percentage")
        }
        let delivery = deliveryStatus.map { DeliveryStatus(rawValue: $0) }
        guard delivery.map({ Self.deliveryStatuses.contains($0) }) ?? true else {
            throw APIFailure(
                .badRequest, "invalid_delivery_status", "It is DELIVERED, or one of Apple's UNDELIVERED_….",
                parameter: "delivery_status")
        }
        guard consumptionPercentage == nil || transactionId != nil || productId != nil else {
            throw APIFailure(
                .badRequest, "missing_parameter", "Say of which transaction or product so much was used.",
                parameter: "transaction_id")
        }
        guard !isEmpty else {
            throw APIFailure(
                .badRequest, "empty_report",
                "Say at least one of customer_consented, consumption_percentage, delivery_status and "
                    + "sample_content_provided.")
        }
        return UsageReport(
            transactionId: transactionId, productId: transactionId == nil ? productId : nil,
            customerConsented: customerConsented, consumptionPercentage: consumptionPercentage,
            deliveryStatus: delivery, sampleContentProvided: sampleContentProvided, reportedAt: now.milliseconds)
    }
}
