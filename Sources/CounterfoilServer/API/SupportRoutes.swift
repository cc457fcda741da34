internal import AppStoreTrust
internal import NIOCore
internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import AppStoreServer
internal import Basics
internal import Entitlements
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// What customer support asks the App Store for. Whatever it answers goes into the ledger as facts.
struct SupportRoutes {
    let asking: AppStoreQuestions
    let customers: CustomerReader
    let logger: Logger

    func add(to v1: APIRouter) {
        v1.get("/customers/{id}/refunds", needs: .supportRead, refunds)
        v1.post("/customers/{id}/refresh", needs: .supportWrite, refresh)
        v1.post("/transactions/{id}/recover", needs: .supportWrite, recover)
        v1.post("/subscriptions/{id}/extend", needs: .supportWrite, extend)
        v1.post("/extensions", needs: .supportWrite, extendAll)
        v1.get("/extensions/{id}", needs: .supportRead, status)
    }

    // MARK: - One customer

    /// What the App Store refunded of the purchases of a customer's Apple accounts.
    private func refunds(_ call: APICall) async throws -> Response {
        let (scope, customer) = try call.subject()
        let client = try asking.client(for: scope)
        var texts: [String] = []
        for id in try await asking.oneOfEachAccount(of: customer, in: scope) {
            do {
                for try await page in client.refundHistory(of: id) { texts += page.signedTransactions }
            } catch { throw APIFailure(askingFor: error) }
        }
        let items = try await asking.keep(texts, in: scope).sorted { one, other in
            (one.fact.revocationDate ?? one.fact.signedDate, one.fact.transactionID)
                > (other.fact.revocationDate ?? other.fact.signedDate, other.fact.transactionID)
        }
        return .list(items, next: nil) { LookupRoutes.write($1, scope, to: &$0) }
    }

    /// Asks the App Store for all that a customer's Apple accounts bought; answers the customer.
    private func refresh(_ call: APICall) async throws -> Response {
        let (scope, customer) = try call.subject()
        _ = try asking.client(for: scope)
        let ids = try await asking.oneOfEachAccount(of: customer, in: scope)
        for id in ids { try await asking.fetch(id, in: scope) }
        let reading = try await customers.customer(customer, in: scope, at: nil)
        return .json { CustomerJSON.write(reading, to: &$0) { $0.member("refreshed", ids.count) } }
    }

    // MARK: - One transaction

    /// Asks the App Store about a transaction that may be unknown here, with all that its Apple account bought.
    private func recover(_ call: APICall) async throws -> Response {
        let scope = try call.scope()
        let id = try call.identifier("transaction")
        try await asking.fetch(id, in: scope)
        guard let known = try await asking.transaction(id, in: scope) else {
            throw APIFailure.notFound("The App Store's history does not contain this transaction.", parameter: "id")
        }
        return .json { LookupRoutes.write(known, scope, to: &$0) }
    }

    // MARK: - More time

    /// Gives a subscriber more days; what the App Store says afterwards is asked for.
    private func extend(_ call: APICall) async throws -> Response {
        let scope = try call.scope()
        let client = try asking.client(for: scope)
        let original = try call.identifier("transaction")
        let body = try await call.body(
            ExtensionBody.self, form: "a JSON object with days, reason and request_identifier")
        let request = ExtendRenewalDateRequest(
            extendByDays: try body.checkedDays, extendReasonCode: try body.code,
            requestIdentifier: try body.identifier(isUUID: false, of: call, about: original, in: scope))
        call.describe("\(body.days) days more, \(body.reason)")
        let answer: ExtendRenewalDateResponse
        do throws(AppStoreServerError) { answer = try await client.extendRenewalDate(of: original, request) } catch {
            throw APIFailure(askingFor: error)
        }
        if answer.success { await fetchAfterwards(original, scope) }
        return .json { json in
            json.object("renewal_extension") { json in
                json.member("original_transaction_id", answer.originalTransactionId)
                json.members(of: scope)
                json.member("success", answer.success)
                json.member("effective_date", answer.effectiveDate)
            }
        }
    }

    /// Asks for what the App Store says after it has done something. That cannot be undone, so this never fails: whoever is
    /// told of a failure tries again. What cannot be read now is asked for later.
    private func fetchAfterwards(_ id: String, _ scope: Scope) async {
        do { try await asking.fetch(id, in: scope) } catch {
            do {
                // The time for the request may be over.
                try await uncancelled { [histories = asking.histories] in
                    try await histories.putAside(id, in: scope, code: "app_store_unavailable")
                }
            } catch {
                logger.error(
                    "a history could not be put aside",
                    metadata: ["app": "\(scope.bundleID)", "reason": "\(error.logReason)"])
            }
        }
    }

    /// Gives all active subscribers of a product more days. It takes the App Store a while.
    private func extendAll(_ call: APICall) async throws -> Response {
        let scope = try call.scope()
        let client = try asking.client(for: scope)
        let body = try await call.body(
            MassExtensionBody.self,
            form: "a JSON object with product_id, days, reason, storefronts and request_identifier")
        let identifier = try body.extensionBody.identifier(isUUID: true, of: call, about: body.productID, in: scope)
        let request = MassExtendRenewalDateRequest(
            extendByDays: try body.extensionBody.checkedDays, extendReasonCode: try body.extensionBody.code,
            requestIdentifier: identifier, productId: body.productID, storefrontCountryCodes: body.storefronts)
        call.describe(body.summary)
        do throws(AppStoreServerError) { _ = try await client.extendRenewalDates(request) } catch {
            throw APIFailure(askingFor: error)
        }
        return .json(status: .accepted) { write(identifier, body.productID, scope, nil, to: &$0) }
    }

    /// How far giving all subscribers more days has come.
    private func status(_ call: APICall) async throws -> Response {
        let scope = try call.scope()
        let client = try asking.client(for: scope)
        let id = try call.identifier("request")
        guard let product = try call.request.word("product_id") else {
            throw APIFailure("missing_parameter", "`product_id` is missing.", parameter: "product_id")
        }
        let answer: MassExtendRenewalDateStatusResponse
        do throws(AppStoreServerError) {
            answer = try await client.renewalExtensionStatus(of: product, requestIdentifier: id)
        } catch { throw APIFailure(askingFor: error) }
        return .json { write(id, product, scope, answer, to: &$0) }
    }

    private func write(
        _ id: String, _ product: String, _ scope: Scope, _ status: MassExtendRenewalDateStatusResponse?,
        to json: inout JSONWriter
    ) {
        json.object("mass_extension") { json in
            json.member("request_identifier", id)
            json.member("product_id", product)
            json.members(of: scope)
            json.member("is_complete", status?.complete ?? false)
            json.member("complete_date", status?.completeDate)
            json.member("succeeded_count", status?.succeededCount)
            json.member("failed_count", status?.failedCount)
        }
    }
}
