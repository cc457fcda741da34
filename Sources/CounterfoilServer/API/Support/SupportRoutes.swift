internal import AppStoreModels
internal import AppStoreServer
internal import Basics
internal import Entitlements
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices
internal import Logging

/// Requests of customer support to the App Store. The ledger stores the answers as facts.
struct SupportRoutes {
    let appStore: AppStoreQueries
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

    /// Lists what the App Store refunded to a customer's Apple accounts.
    private func refunds(_ call: APICall) async throws -> Response {
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        let client = try appStore.client(for: appEnvironment)
        var texts: [String] = []
        for id in try await appStore.accountIdentifiers(of: customer, in: appEnvironment) {
            for try await page in client.refundHistory(of: id) { texts += page.signedTransactions }
        }
        let items = try await appStore.store(texts, in: appEnvironment).sorted { one, other in
            (one.fact.revocationDate ?? one.fact.signedDate, ExactText(one.fact.transactionID))
                > (other.fact.revocationDate ?? other.fact.signedDate, ExactText(other.fact.transactionID))
        }
        return .list(items, next: nil) { LookupRoutes.write($1, appEnvironment, to: &$0) }
    }

    /// Fetches all purchases of a customer's Apple accounts from the App Store; returns the customer.
    private func refresh(_ call: APICall) async throws -> Response {
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        _ = try appStore.client(for: appEnvironment)
        let ids = try await appStore.accountIdentifiers(of: customer, in: appEnvironment)
        for id in ids { try await appStore.fetch(id, in: appEnvironment) }
        let reading = try await customers.customer(customer, in: appEnvironment, at: nil)
        return .json { CustomerJSON.write(reading, to: &$0) { $0.member("refreshed", ids.count) } }
    }

    // MARK: - One transaction

    /// Fetches a transaction that may be unknown here, with all purchases of its Apple account, from the App Store.
    private func recover(_ call: APICall) async throws -> Response {
        let appEnvironment = try call.appEnvironment()
        let id = try call.identifier("transaction")
        try await appStore.fetch(id, in: appEnvironment)
        guard let known = try await appStore.transaction(id, in: appEnvironment) else {
            throw APIFailure.notFound("The App Store's history does not contain this transaction.", parameter: "id")
        }
        return .json { LookupRoutes.write(known, appEnvironment, to: &$0) }
    }

    // MARK: - Renewal extensions

    /// Extends a subscription, then fetches the App Store's new data about it.
    private func extend(_ call: APICall) async throws -> Response {
        let appEnvironment = try call.appEnvironment()
        let client = try appStore.client(for: appEnvironment)
        let original = try call.identifier("transaction")
        let body = try await call.body(
            ExtensionBody.self, form: "a JSON object with days, reason and optionally request_identifier")
        let request = ExtendRenewalDateRequest(
            extendByDays: try body.checkedDays, extendReasonCode: try body.code,
            requestIdentifier: try body.identifier(isUUID: false, of: call, about: original, in: appEnvironment))
        let change = body.summary
        call.setAuditDetail(change)
        for owner in try await appStore.storage.owners(of: original, in: appEnvironment.id) {
            call.addAuditEntry("\(original): \(change)", about: owner)
        }
        let response = try await client.extendRenewalDate(of: original, request)
        if response.success { await fetchIgnoringFailure(original, appEnvironment) }
        return .object("renewal_extension") { json in
            json.member("original_transaction_id", response.originalTransactionId)
            json.members(of: appEnvironment)
            json.member("success", response.success)
            json.member("effective_date", response.effectiveDate)
        }
    }

    /// Fetches the App Store's data after a change. Never throws: the change cannot be undone, and a client that gets
    /// an error would repeat it. A failed fetch is retried later.
    private func fetchIgnoringFailure(_ id: String, _ appEnvironment: AppEnvironment) async {
        do { try await appStore.fetch(id, in: appEnvironment) } catch {
            do {
                // The request may have reached its time limit.
                try await uncancelled { [histories = appStore.histories] in
                    try await histories.scheduleRetry(of: id, in: appEnvironment, code: "app_store_unavailable")
                }
            } catch {
                logger.error(
                    "could not schedule another request for a purchase history",
                    metadata: ["app": "\(appEnvironment.bundleID)", "reason": "\(error.logReason)"])
            }
        }
    }

    /// Extends the subscriptions of all active subscribers of a product. The App Store takes a while for this.
    private func extendAll(_ call: APICall) async throws -> Response {
        let appEnvironment = try call.appEnvironment()
        let client = try appStore.client(for: appEnvironment)
        let body = try await call.body(
            MassExtensionBody.self,
            form: "a JSON object with product_id, days, reason and optionally storefronts and request_identifier")
        let identifier = try body.extensionBody.identifier(
            isUUID: true, of: call, about: body.productID, in: appEnvironment)
        let request = MassExtendRenewalDateRequest(
            extendByDays: try body.extensionBody.checkedDays, extendReasonCode: try body.extensionBody.code,
            requestIdentifier: identifier, productId: body.productID, storefrontCountryCodes: body.storefronts)
        call.setAuditDetail(body.summary)
        _ = try await client.extendRenewalDates(request)
        return .json(status: .accepted) { write(identifier, body.productID, appEnvironment, nil, to: &$0) }
    }

    /// Returns the progress of extending the subscriptions of all subscribers.
    private func status(_ call: APICall) async throws -> Response {
        let appEnvironment = try call.appEnvironment()
        let client = try appStore.client(for: appEnvironment)
        let id = try call.identifier("request")
        guard let product = try call.request.shortText("product_id") else { throw APIFailure.missing("product_id") }
        let response = try await client.renewalExtensionStatus(of: product, requestIdentifier: id)
        return .json { write(id, product, appEnvironment, response, to: &$0) }
    }

    private func write(
        _ id: String, _ product: String, _ appEnvironment: AppEnvironment,
        _ status: MassExtendRenewalDateStatusResponse?,
        to json: inout JSONWriter
    ) {
        json.object("mass_extension") { json in
            json.member("request_identifier", id)
            json.member("product_id", product)
            json.members(of: appEnvironment)
            json.member("is_complete", status?.complete ?? false)
            json.member("complete_date", status?.completeDate)
            json.member("succeeded_count", status?.succeededCount)
            json.member("failed_count", status?.failedCount)
        }
    }
}
