internal import AppStoreModels
internal import AppStoreServer
internal import Basics
internal import Foundation
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Signs subscription offers for apps.
struct OfferRoutes {
    let customers: CustomerReader
    let offers: @Sendable (AppEnvironment) -> OfferService

    func add(to v1: APIRouter) {
        v1.post("/customers/{id}/offers/promotional", needs: .offersSign, promotional)
        v1.post("/customers/{id}/offers/introductory", needs: .offersSign, introductory)
    }

    private struct OfferRequest {
        var body: OfferBody
        var reading: CustomerReading
        var service: OfferService
        /// Whether the key ships in an app.
        var isPublic: Bool
    }

    private func offerRequest(_ call: APICall) async throws -> OfferRequest {
        let (appEnvironment, customer) = try call.appEnvironmentAndCustomer()
        let body = try OfferBody(body: try await call.bytes())
        guard !call.principal.isPublic || !body.isForced else {
            throw APIFailure.forbidden("`force` needs a key that is not public.", parameter: "force")
        }
        let reading = try await customers.customer(customer, in: appEnvironment, at: nil)
        return OfferRequest(
            body: body, reading: reading, service: offers(appEnvironment), isPublic: call.principal.isPublic)
    }

    /// Signs a promotional offer, as a JWS or in the original format.
    private func promotional(_ call: APICall) async throws -> Response {
        let request = try await offerRequest(call)
        let (body, service) = (request.body, request.service)
        guard let offerID = body.offerID else { throw APIFailure.missing("offer_id") }
        call.setAuditDetail("the offer \(offerID) of \(body.productID)")
        if request.isPublic { try service.requirePublicOffer(offerID) }
        if !body.isForced { try service.requireSubscriber(request.reading) }
        switch body.format ?? "jws" {
        case "jws":
            let transactionID = try await service.transactionID(
                body.transactionID, request.reading, isPublic: request.isPublic)
            let token = try service.signer().promotionalOfferV2(
                productID: body.productID, offerID: offerID, transactionID: transactionID)
            return response(token, "promotional", body, transactionID)
        case "original":
            let account =
                request.isPublic
                ? try service.publicAccountToken(
                    body.appAccountToken?.id, of: call.principal.appAccountToken ?? request.reading.customer)
                : body.appAccountToken?.id
            let signature = try service.originalSigner(nonce: body.nonce?.id).promotionalOffer(
                productID: body.productID, offerID: offerID, appAccountToken: account)
            return response(signature)
        case let format:
            throw APIFailure("invalid_format", format, of: "format", isNoneOf: ["jws", "original"])
        }
    }

    /// Signs whether a customer is eligible for the introductory offer.
    private func introductory(_ call: APICall) async throws -> Response {
        let request = try await offerRequest(call)
        let (body, service) = (request.body, request.service)
        guard let allow = body.allow else { throw APIFailure.missing("allow") }
        call.setAuditDetail("\(allow ? "allowed" : "refused") the introductory offer of \(body.productID)")
        let transactionID = try await transaction(of: request, isAllowed: allow)
        let token = try service.signer().introductoryOfferEligibility(
            productID: body.productID, isAllowed: allow, transactionID: transactionID)
        return response(token, "introductory", body, transactionID)
    }

    /// Returns the transaction that the signature is bound to. Throws if the customer may not have the offer.
    private func transaction(of request: OfferRequest, isAllowed: Bool) async throws -> String {
        let (body, service, reading) = (request.body, request.service, request.reading)
        var account: String?
        if let text = body.appTransaction { account = try await service.account(verifiedBy: text) }
        if isAllowed, request.isPublic {
            return try await service.transactionForIntroductoryOffer(
                account, body.transactionID, reading, productID: body.productID)
        }
        let named =
            account != nil && body.transactionID == nil
            ? account
            : try await service.transactionID(body.transactionID, reading, isPublic: request.isPublic)
        guard let named else {
            throw APIFailure(
                "missing_parameter",
                "The customer has no transaction yet: send `app_transaction`, or the app transaction ID here.",
                parameter: "transaction_id")
        }
        if isAllowed, !body.isForced {
            try await service.requireIntroductoryEligibility(account, named, reading, productID: body.productID)
        }
        return named
    }

    private func response(_ token: String, _ kind: String, _ body: OfferBody, _ transactionID: String?) -> Response {
        .object("offer_signature") { json in
            json.member("kind", kind)
            json.member("format", "jws")
            json.member("product_id", body.productID)
            json.member("offer_id", body.offerID)
            json.member("allow", body.allow)
            json.member("transaction_id", transactionID)
            json.member("jws", token)
        }
    }

    private func response(_ signature: PromotionalOfferSignatureV1) -> Response {
        .object("offer_signature") { json in
            json.member("kind", "promotional")
            json.member("format", "original")
            json.member("product_id", signature.productId)
            json.member("offer_id", signature.offerIdentifier)
            json.member("key_id", signature.keyId)
            json.member("nonce", signature.nonce)
            json.member("timestamp", signature.timestamp)
            json.member("app_account_token", signature.appAccountToken)
            json.member("signature", signature.encodedSignature)
        }
    }
}

/// The body of an offer request.
private struct OfferBody: JSONRequestBody {
    var productID: String
    var offerID, format, transactionID: String?
    /// `AppTransaction.shared`, as JWS.
    var appTransaction: String?
    var appAccountToken, nonce: RequestUUID?
    var allow, force: Bool?

    var isForced: Bool { force ?? false }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case productID = "product_id"
        case offerID = "offer_id"
        case format, nonce, allow, force
        case transactionID = "transaction_id"
        case appTransaction = "app_transaction"
        case appAccountToken = "app_account_token"
    }

    init(body: [UInt8]) throws(APIFailure) {
        try self.init(body: body, form: "a JSON object that names a product_id")
        try requireIdentifiers(
            (productID, "product_id"), (offerID, "offer_id"), (transactionID, "transaction_id"))
    }
}
