internal import AppStoreModels
internal import AppStoreTrust
internal import Basics
internal import Crypto
internal import Foundation
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Sessions for apps without a backend of their own: a customer token in exchange for a device's app transaction.
///
/// The customer is anonymous. Its identifier is derived from the app transaction ID, so that nobody can request a
/// session of another customer, and all devices of an Apple account have the same customer. Anybody with the text of an
/// app transaction can send it again, so a session can only read its customer and report the purchases of its own Apple
/// account.
struct SessionRoutes {
    /// The lifetime of a token in seconds: the maximum that ``CustomerToken`` accepts.
    private static let lifetime: TimeInterval = 24 * 3600

    let purchaseVerifier: PurchaseVerifier
    let authorization: Authorization
    let resolver: RequestResolver
    let listen: ServerConfiguration.Listen
    let clock: ServerClock
    /// Records requests whose key is not allowed to begin a session.
    let audit: RequestAudit

    func add(to group: RouterGroup<ServerContext>) {
        group.post("/v1/sessions") { request, context -> Response in
            var context = context
            let client = ClientAddress(of: request, from: context.peer, listen).rateLimitKey
            context.principal = try authorization.sessionPrincipal(request, from: client)
            do {
                return try await begin(try APICall(request, context, needs: .customersWrite, resolver))
            } catch let failure as APIFailure where failure.status == .forbidden {
                let result = "\(failure.status.code) \(failure.code)"
                audit.add(audit.entry(request, context, result: result), context)
                throw failure
            }
        }
    }

    private func begin(_ call: APICall) async throws -> Response {
        let session = try SessionBody(body: try await call.bytes(upTo: 64 << 10))
        let proven = try await purchaseVerifier.verify(appTransaction: session.appTransaction)
        let appEnvironment = try call.appEnvironment(of: proven)
        guard let account = proven.appTransaction?.payload.appTransactionId, !account.isEmpty else {
            throw APIFailure(
                "no_app_transaction_id",
                "The app transaction has no appTransactionId: it is from an old version of the operating system.",
                parameter: "app_transaction")
        }
        guard let secret = resolver.apps[appEnvironment.bundleID]?.customerTokenSecret else {
            throw APIFailure(
                .conflict, "not_configured", "Sessions need a customer_token_secret of the app in the configuration.")
        }
        let customer = Self.anonymousCustomer(of: account, in: appEnvironment)
        let token = CustomerToken.make(
            for: customer, account: account, bundleID: appEnvironment.bundleID, secret: secret, now: clock.now(),
            lifetime: Self.lifetime)
        return .object("session") { json in
            json.member("customer", customer)
            json.member("token", token)
            json.member("expires_at", clock.now().addingTimeInterval(Self.lifetime))
        }
    }

    /// Returns the identifier of a customer who has not signed in: a UUID that does not reveal the Apple account. It is
    /// not a secret: it gives no access without a token.
    private static func anonymousCustomer(of appTransactionID: String, in appEnvironment: AppEnvironment) -> String {
        UUID(digestOf: [
            "anonymous customer", appEnvironment.bundleID, appEnvironment.environment.rawValue, appTransactionID,
        ]).text
    }
}

/// The body of a request for a session.
private struct SessionBody: JSONRequestBody {
    /// The device's previous identifier for its customer. The response has the server's.
    var customer: String?
    /// `AppTransaction.shared`, as JWS.
    var appTransaction: String

    enum CodingKeys: String, CodingKey, CaseIterable {
        case customer
        case appTransaction = "app_transaction"
    }

    init(body: [UInt8]) throws(APIFailure) {
        try self.init(body: body, form: "a JSON object with app_transaction and optionally customer")
        guard customer.map(CustomerName.isValid) ?? true else {
            throw APIFailure("invalid_customer", CustomerName.formRefusal, parameter: "customer")
        }
    }
}

extension CustomerToken {
    /// Creates the token of a session.
    fileprivate static func make(
        for customer: String, account: String, bundleID: String, secret: Secret, now: Date, lifetime: TimeInterval
    ) -> String {
        var claims = JSONWriter()
        let begin = Int64(now.timeIntervalSince1970)
        claims.object { json in
            json.member("sub", customer)
            json.member("aud", bundleID)
            json.member("iat", begin)
            json.member("exp", begin + Int64(lifetime))
            json.member("app_transaction_id", account)
        }
        let text = Base64.encodeURL(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "." + Base64.encodeURL(claims.bytes)
        let signature = HMAC<SHA256>.authenticationCode(
            for: Data(text.utf8), using: SymmetricKey(data: Data(secret.revealed.utf8)))
        return text + "." + Base64.encodeURL(Array(signature))
    }
}

extension PurchaseReport {
    /// Throws 403 if a session reports a receipt.
    func check(for principal: Principal) throws(APIFailure) {
        guard principal.appTransactionID != nil, receipt != nil else { return }
        throw APIFailure.forbidden(
            "A session cannot report a receipt, which names no Apple account: sign the customer in.",
            parameter: "receipt")
    }
}

extension PurchaseVerifier {
    fileprivate func verify(appTransaction text: String) async throws -> VerifiedPurchases {
        var report = PurchaseReport()
        report.appTransaction = text
        var forged = 0
        return try await verify(report, forged: &forged)
    }
}
