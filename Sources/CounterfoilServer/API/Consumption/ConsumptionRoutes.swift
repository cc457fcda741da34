internal import AppStoreModels
internal import Entitlements
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Usage reports and consumption requests, for the App Store's decisions on refunds.
struct ConsumptionRoutes {
    let storage: any ConsumptionStorage & CustomerStorage
    let consumption: ConsumptionService
    let clock: ServerClock

    func add(to v1: APIRouter) {
        v1.post("/customers/{id}/usage", needs: .customersWrite, report)
        v1.get("/customers/{id}/consumption", needs: .customersRead, list)
        v1.get("/customers/{id}/consumption/preview", needs: .customersRead, preview)
        v1.get("/consumption", needs: .supportRead, listAll)
    }

    /// Lists the consumption requests of all customers: all of them newest first, or the pending ones by deadline.
    private func listAll(_ call: APICall) async throws -> Response {
        let (appEnvironment, paging) = (try call.appEnvironment(), try Paging(call.request))
        let inquiries: [ConsumptionInquiry]
        switch try call.request.shortText("state") {
        case nil:
            inquiries = try await storage.inquiries(
                in: appEnvironment.id, before: paging.number(), limit: paging.limit + 1)
        case "pending":
            let pending = try await storage.pendingInquiries(
                in: appEnvironment.id, after: paging.inquiryPosition(), limit: paging.limit + 1)
            let (page, last) = paging.items(of: pending)
            return .list(page, next: last?.pendingToken) { ConsumptionJSON.write($1, naming: true, to: &$0) }
        default:
            throw APIFailure("invalid_state", "`state` is pending; leave it out for all.", parameter: "state")
        }
        let (page, last) = paging.items(of: inquiries)
        return .list(page, next: last.map { String($0.id) }) { ConsumptionJSON.write($1, naming: true, to: &$0) }
    }

    /// Records a customer's usage and consent.
    private func report(_ call: APICall) async throws -> Response {
        try call.principal.refuseSession()
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        let usage = try await call.body(UsageBody.self, form: "a JSON object that reports use")
        if call.principal.isPublic { try usage.requireOnlyConsent() }
        let report = try usage.report(at: clock.now())
        try await storage.record(report, of: customer, in: appEnvironment.id)
        return Response(status: .noContent)
    }

    /// Lists a customer's latest consumption requests, or those about one transaction, with their outcomes.
    private func list(_ call: APICall) async throws -> Response {
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        let transactionID = try call.request.shortText("transaction_id")
        let lineages = try await storage.lineages(of: customer, in: appEnvironment.id)
        let inquiries = try await storage.inquiries(
            about: lineages.map(\.originalTransactionID), transactionID: transactionID, in: appEnvironment.id,
            limit: 100)
        return .list(inquiries, next: nil) { ConsumptionJSON.write($1, to: &$0) }
    }

    /// Returns the exact answer that the App Store would get about a transaction, with reasons.
    private func preview(_ call: APICall) async throws -> Response {
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        guard let id = call.request.parameter("transaction_id"), !id.isEmpty else {
            throw APIFailure.missing("transaction_id")
        }
        let lineages = try await storage.lineages(of: customer, in: appEnvironment.id)
        guard lineages.contains(where: { $0.transactions.contains { $0.transactionID.isExactly(id) } }),
            let answer = try await consumption.preview(id, of: customer, in: appEnvironment)
        else {
            throw APIFailure(
                .notFound, "unknown_transaction", "The customer has no transaction with this ID.",
                parameter: "transaction_id")
        }
        return .json { ConsumptionJSON.write(answer, about: id, to: &$0) }
    }
}

/// The body of a usage report.
private struct UsageBody: JSONRequestBody {
    var transactionID, productID: String?
    var customerConsented: Bool?
    var consumptionPercentage: Int32?
    var deliveryStatus: String?
    var sampleContentProvided: Bool?

    enum CodingKeys: String, CodingKey, CaseIterable {
        case transactionID = "transaction_id"
        case productID = "product_id"
        case customerConsented = "customer_consented"
        case consumptionPercentage = "consumption_percentage"
        case deliveryStatus = "delivery_status"
        case sampleContentProvided = "sample_content_provided"
    }

    private static let deliveryStatuses: [DeliveryStatus] = [
        .delivered, .undeliveredQualityIssue, .undeliveredWrongItem, .undeliveredServerOutage, .undeliveredOther,
    ]

    /// Whether the report has no usage data, but at most a transaction or product.
    private var isEmpty: Bool {
        customerConsented == nil && consumptionPercentage == nil && deliveryStatus == nil
            && sampleContentProvided == nil
    }

    /// Throws 403 if the report has more than the consent. Usage affects the decision on the customer's own refund, so
    /// only the app's backend may report it.
    func requireOnlyConsent() throws(APIFailure) {
        let members: [(name: String, isPresent: Bool)] = [
            ("delivery_status", deliveryStatus != nil), ("consumption_percentage", consumptionPercentage != nil),
            ("sample_content_provided", sampleContentProvided != nil), ("transaction_id", transactionID != nil),
            ("product_id", productID != nil),
        ]
        guard let member = members.first(where: \.isPresent) else { return }
        throw APIFailure.forbidden("A public key can report only customer_consented.", parameter: member.name)
    }

    func report(at now: Date) throws(APIFailure) -> UsageReport {
        try requireIdentifiers((transactionID, "transaction_id"), (productID, "product_id"))
        guard (0...100_000).contains(consumptionPercentage ?? 0) else {
            throw APIFailure(
                "invalid_percentage", "`consumption_percentage` is 0 to 100000 thousandths of a percent.",
                parameter: "consumption_percentage")
        }
        let delivery = deliveryStatus.map { DeliveryStatus(rawValue: $0) }
        if let delivery, !Self.deliveryStatuses.contains(delivery) {
            throw APIFailure(
                "invalid_delivery_status", delivery.rawValue, of: "delivery_status",
                isNoneOf: Self.deliveryStatuses.map(\.rawValue))
        }
        guard consumptionPercentage == nil || transactionID != nil || productID != nil else {
            throw APIFailure(
                "missing_parameter", "`consumption_percentage` needs transaction_id or product_id.",
                parameter: "transaction_id")
        }
        guard !isEmpty else {
            throw APIFailure(
                "empty_report",
                "Send at least one of customer_consented, consumption_percentage, delivery_status and "
                    + "sample_content_provided.")
        }
        return UsageReport(
            transactionID: transactionID, productID: transactionID == nil ? productID : nil,
            customerConsented: customerConsented, consumptionPercentage: consumptionPercentage,
            deliveryStatus: delivery, sampleContentProvided: sampleContentProvided, reportedAt: now.milliseconds)
    }
}
