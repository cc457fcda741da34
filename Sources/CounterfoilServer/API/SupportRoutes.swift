internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Entitlements
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// What customer support asks the App Store for. Whatever it answers goes into the ledger as facts.
enum SupportRoutes {
    static func add(to router: RouterGroup<ServerContext>, _ core: ServerCore) {
        router.get("/customers/{id}/refunds") { request, context in try await refunds(request, context, core) }
        router.post("/customers/{id}/refresh") { request, context in try await refresh(request, context, core) }
        router.post("/transactions/{id}/recover") { request, context in try await recover(request, context, core) }
        router.post("/subscriptions/{id}/extend") { request, context in try await extend(request, context, core) }
        router.post("/extensions") { request, context in try await extendAll(request, context, core) }
        router.get("/extensions/{id}") { request, context in try await status(request, context, core) }
    }

    /// Who may have the App Store asked, about which app, and how.
    private static func asked(
        _ request: Request, _ context: ServerContext, _ core: ServerCore, needing needed: APIScope = .supportWrite
    ) throws(APIFailure) -> (Scope, AppStoreServerClient) {
        let scope = try context.scope(of: request, core, for: try context.require(needed))
        guard let client = core.clients[scope.id] else {
            throw APIFailure(.conflict, "no_api_key", "The configuration has no App Store Server API key for the app.")
        }
        return (scope, client)
    }

    // MARK: - One customer

    /// What the App Store refunded of the purchases of a customer's Apple accounts.
    private static func refunds(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let (scope, client) = try asked(request, context, core, needing: .supportRead)
        let customer = try context.customer(for: try context.require(.supportRead))
        var statements: [Statement] = []
        var facts: [TransactionFact] = []
        for id in try await core.oneOfEachAccount(of: customer, in: scope) {
            do {
                for try await page in client.refundHistory(of: id) {
                    for text in page.signedTransactions {
                        let verified = try await core.believed(text, in: scope)
                        statements.append(
                            Statement(
                                verified, scope: scope, at: core.now, origin: .asked))
                        facts.append(TransactionFact(verified.payload))
                    }
                }
            } catch let error as AppStoreServerError { throw APIFailure(askingFor: error) }
        }
        if !statements.isEmpty { _ = try await core.storage.commit(statements) }
        facts.sort { one, other in
            (one.revocationDate ?? one.signedDate, one.transactionId)
                > (other.revocationDate ?? other.signedDate, other.transactionId)
        }
        var items: [(TransactionFact, [String])] = []
        for fact in facts {
            items.append((fact, try await core.storage.owners(of: fact.originalTransactionId, in: scope.id)))
        }
        var json = JSONWriter()
        json.list(items, next: nil) { json, item in LookupRoutes.write(item.0, item.1, scope, to: &json) }
        return json.response()
    }

    /// Asks the App Store for all that a customer's Apple accounts bought; answers the customer.
    private static func refresh(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let (scope, _) = try asked(request, context, core)
        let customer = try context.customer(for: try context.require(.supportWrite))
        let ids = try await core.oneOfEachAccount(of: customer, in: scope)
        for id in ids { try await core.fetch(id, in: scope) }
        var json = JSONWriter()
        CustomerJSON.write(try await core.customers.customer(customer, in: scope, at: nil), to: &json) { json in
            json.member("refreshed", ids.count)
        }
        return json.response()
    }

    // MARK: - One transaction

    /// Asks the App Store about a transaction that may be unknown here, with all that its Apple account bought.
    private static func recover(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let (scope, _) = try asked(request, context, core)
        let id = try context.identifier("transaction")
        try await core.fetch(id, in: scope)
        guard let original = try await core.storage.originalTransactionId(of: id, in: scope.id),
            let fact = try await core.storage.lineage(original, in: scope.id)?.transactions
                .first(where: { $0.transactionId.isExactly(id) })
        else {
            throw APIFailure(
                .notFound, "not_found", "The App Store's history does not have the transaction.", parameter: "id")
        }
        let owners = try await core.storage.owners(of: original, in: scope.id)
        var json = JSONWriter()
        LookupRoutes.write(fact, owners, scope, to: &json)
        return json.response()
    }

    // MARK: - More time

    /// Gives a subscriber more days; what the App Store says afterwards is asked for.
    private static func extend(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let (scope, client) = try asked(request, context, core)
        let original = try context.identifier("transaction")
        let bytes = try await request.bytes(upTo: 16 << 10)
        let body = try ExtensionBody(
            body: Array(bytes.readableBytesView), form: "a JSON object with days, reason and request_identifier")
        let wish = ExtendRenewalDateRequest(
            extendByDays: try body.checkedDays, extendReasonCode: try body.code,
            requestIdentifier: try body.identifier(isUUID: false))
        let answer: ExtendRenewalDateResponse
        do throws(AppStoreServerError) { answer = try await client.extendRenewalDate(of: original, wish) } catch {
            throw APIFailure(askingFor: error)
        }
        if answer.success { try await core.fetch(original, in: scope) }
        var json = JSONWriter()
        json.object { json in
            json.member("object", "renewal_extension")
            json.member("original_transaction_id", answer.originalTransactionId)
            json.member("app", scope.bundleId)
            json.member("environment", scope.environment.rawValue)
            json.member("success", answer.success)
            json.member("effective_date", answer.effectiveDate)
        }
        return json.response()
    }

    /// Gives all active subscribers of a product more days. It takes the App Store a while.
    private static func extendAll(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let (scope, client) = try asked(request, context, core)
        let bytes = try await request.bytes(upTo: 16 << 10)
        let body = try MassExtensionBody(
            body: Array(bytes.readableBytesView),
            form: "a JSON object with product_id, days, reason, storefronts and request_identifier")
        let identifier = try body.wish.identifier(isUUID: true)
        let wish = MassExtendRenewalDateRequest(
            extendByDays: try body.wish.checkedDays, extendReasonCode: try body.wish.code,
            requestIdentifier: identifier, productId: body.productId, storefrontCountryCodes: body.storefronts)
        do throws(AppStoreServerError) { _ = try await client.extendRenewalDates(wish) } catch {
            throw APIFailure(askingFor: error)
        }
        var json = JSONWriter()
        write(identifier, body.productId, scope, nil, to: &json)
        return json.response(status: .accepted)
    }

    /// How far giving all subscribers more days has come.
    private static func status(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let (scope, client) = try asked(request, context, core, needing: .supportRead)
        let id = try context.identifier("request")
        guard let product = try request.word("product_id") else {
            throw APIFailure(.badRequest, "missing_parameter", "Name the product.", parameter: "product_id")
        }
        let answer: MassExtendRenewalDateStatusResponse
        do throws(AppStoreServerError) {
            answer = try await client.renewalExtensionStatus(of: product, requestIdentifier: id)
        } catch { throw APIFailure(askingFor: error) }
        var json = JSONWriter()
        write(id, product, scope, answer, to: &json)
        return json.response()
    }

    private static func write(
        _ id: String, _ product: String, _ scope: Scope, _ status: MassExtendRenewalDateStatusResponse?,
        to json: inout JSONWriter
    ) {
        json.object { json in
            json.member("object", "mass_extension")
            json.member("request_identifier", id)
            json.member("product_id", product)
            json.member("app", scope.bundleId)
            json.member("environment", scope.environment.rawValue)
            json.member("is_complete", status?.complete ?? false)
            json.member("complete_date", status?.completeDate)
            json.member("succeeded_count", status?.succeededCount)
            json.member("failed_count", status?.failedCount)
        }
    }
}

extension APIFailure {
    /// Why the App Store did not do what it was asked for. Its own word for it is told.
    fileprivate init(askingFor error: AppStoreServerError) {
        guard error.code == .refused, !error.isRetryable else {
            self.init(error)
            return
        }
        self.init(.badRequest, "refused_by_app_store", "The App Store refuses it: \(error.name).")
    }
}

extension ServerCore {
    /// For each Apple account of a customer an identifier that the App Store can be asked with.
    fileprivate func oneOfEachAccount(of customer: String, in scope: Scope) async throws -> [String] {
        let lineages = try await storage.lineages(of: customer, in: scope.id).filter { !$0.transactions.isEmpty }
        let claimed = try await storage.accounts(of: customer, in: scope.id)
            .compactMap { OriginalPurchase.appTransactionId(ofSubject: $0) }
        let known = Dictionary(grouping: lineages) { $0.appTransactionId ?? $0.originalTransactionId }
        let ids = known.compactMap { $0.value.map(\.originalTransactionId).min() }
        return (ids + claimed.filter { known[$0] == nil }).sorted()
    }

    /// Puts what the App Store knows of an Apple account into the ledger.
    fileprivate func fetch(_ id: String, in scope: Scope) async throws {
        switch try await histories.ask(about: [id], in: scope, because: .restore).state {
        case .complete: webhooks.wake()
        case .pending:
            throw APIFailure(
                .serviceUnavailable, "app_store_unavailable",
                "The App Store gave no answer in time; it is asked again.", isRetryable: true, backoff: 10_000)
        case .refused(let code):
            throw APIFailure(
                .notFound, "refused_by_app_store", "The App Store knows no such transaction of this app (\(code)).",
                parameter: "id")
        case .notConfigured:
            throw APIFailure(.conflict, "no_api_key", "The configuration has no App Store Server API key for the app.")
        }
    }

    /// A transaction of an answer of the App Store's.
    func believed(
        _ text: String, in scope: Scope
    ) async throws(APIFailure) -> Verified<JWSTransactionDecodedPayload> {
        do throws(VerificationError) {
            let verified = try await historical.transaction(text)
            try scope.requireMatch(verified.payload.bundleId, verified.payload.environment)
            return verified
        } catch {
            throw APIFailure(
                .badGateway, "\(error.code)", "The App Store's answer cannot be believed: \(error.message)",
                isRetryable: true)
        }
    }
}
