internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import AppStoreTrust
internal import Basics
internal import Crypto
internal import Foundation
internal import Hummingbird

/// Sessions for apps without a backend of their own: a customer token for whoever shows the app transaction of a device.
///
/// The customer is anonymous and has no other name than that of the Apple account: it follows from the app transaction, so
/// that nobody can ask for a session of somebody else, and every device of the Apple account is the same customer. An app
/// transaction can be shown again and again by whoever has its text, so a session reads what its customer has, reports what its
/// own Apple account bought, and does nothing else.
struct SessionRoutes {
    /// A token is good for so long, which is as long as one may be.
    private static let lifetime: TimeInterval = 24 * 3600

    let prover: PurchaseProver
    let authorization: Authorization
    let resolver: RequestResolver
    let listen: ServerConfiguration.Listen
    let clock: ServerClock

    func add(to router: Router<ServerContext>) {
        router.post("/v1/sessions") { request, context in
            var context = context
            let client = ClientAddress(of: request, from: context.peer, listen).countedAs
            context.principal = try authorization.application(request, from: client)
            return try await begin(try APICall(request, context, needs: .customersWrite, resolver))
        }
    }

    private func begin(_ call: APICall) async throws -> Response {
        let asked = try SessionBody(body: try await call.bytes(upTo: 64 << 10))
        let proven = try await prover.prove(appTransaction: asked.appTransaction)
        let scope = try call.scope(of: proven)
        guard let account = proven.appTransaction?.payload.appTransactionId, !account.isEmpty else {
            throw APIFailure(
                "no_app_transaction_id", "The app transaction has no appTransactionId: it is from an old system.",
                parameter: "app_transaction")
        }
        guard let secret = resolver.apps[scope.bundleID]?.customerTokenSecret else {
            throw APIFailure(
                .conflict, "not_configured", "Sessions need a customer_token_secret of the app in the configuration.")
        }
        let customer = AnonymousCustomer.name(of: account, in: scope)
        let token = CustomerToken.make(
            for: customer, account: account, bundleID: scope.bundleID, secret: secret, now: clock.now(),
            lifetime: Self.lifetime)
        var json = JSONWriter()
        json.object("session") { json in
            json.member("customer", customer)
            json.member("token", token)
            json.member("expires_at", clock.now().addingTimeInterval(Self.lifetime))
        }
        return json.response()
    }
}

/// How an Apple account is called that nobody has signed in with.
enum AnonymousCustomer {
    /// The name, a UUID. It says nothing of the account, and is no secret: it opens nothing without a token.
    static func name(of appTransactionID: String, in scope: Scope) -> String {
        UUID(digestOf: ["anonymous customer", scope.bundleID, scope.environment.rawValue, appTransactionID]).text
    }
}

/// What an app sends to begin a session.
private struct SessionBody: JSONRequestBody {
    /// How the device calls its customer so far. The answer says how the server does.
    var customer: String?
    /// `AppTransaction.shared`, as JWS.
    var appTransaction: String

    static let members = CodingKeys.allCases.map(\.rawValue)

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case customer
        case appTransaction = "app_transaction"
    }

    init(body: [UInt8]) throws(APIFailure) {
        try self.init(body: body, form: "a JSON object with app_transaction and optionally customer")
        guard customer.map(CustomerName.isPossible) ?? true else {
            throw APIFailure("invalid_customer", "A customer identifier has 1 to 255 bytes.", parameter: "customer")
        }
    }
}

extension CustomerToken {
    /// Makes the token of a session.
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

extension Principal {
    /// Refuses what a session may not do.
    func refuseSession() throws(APIFailure) {
        guard appTransactionID != nil else { return }
        throw APIFailure.forbidden("A session from an app transaction cannot do this: sign the customer in first.")
    }
}

extension PurchaseReport {
    /// Refuses what a session may not report.
    func check(for principal: Principal) throws(APIFailure) {
        guard principal.appTransactionID != nil, receipt != nil else { return }
        throw APIFailure.forbidden(
            "A receipt does not say of which Apple account it is: sign the customer in.", parameter: "receipt")
    }
}

extension PurchaseProver {
    fileprivate func prove(appTransaction text: String) async throws -> ProvenPurchases {
        var report = PurchaseReport()
        report.appTransaction = text
        var forged = 0
        return try await prove(report, forged: &forged)
    }
}
