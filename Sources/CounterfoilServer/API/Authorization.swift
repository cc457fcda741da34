internal import Basics
internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird

/// Lets in who shows a key, and notes what they may.
///
/// A key that is shipped in an app is everybody's to read, so it opens nothing without a ``CustomerToken``, and then only
/// what that customer has.
struct Authorization: RouterMiddleware {
    private let access: Live<AccessTable>
    private let customers: RateMeters
    private let now: @Sendable () -> Date

    /// - Parameter perSecond: How many requests one customer may make.
    init(access: Live<AccessTable>, perSecond: Int, now: @escaping @Sendable () -> Date) {
        (self.access, self.now) = (access, now)
        customers = RateMeters(perSecond: perSecond)
    }

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        var context = context
        context.principal = try principal(request)
        return try await next(request, context)
    }

    /// Who asks, if they show a key.
    func principal(_ request: Request) throws(APIFailure) -> Principal {
        let entry = try entry(of: request)
        var principal = entry.principal
        if entry.isPublic {
            principal = try limited(principal, by: request)
            // Before the key's own meter, so that one user cannot use up what all of them have.
            try Self.take(principal.meter)
        }
        try Self.take(entry.meter)
        return principal
    }

    /// The app that asks, before anybody knows for whom.
    ///
    /// - Parameter client: Whom it is counted for: one device cannot use up what all of them have.
    func application(_ request: Request, from client: String) throws(APIFailure) -> Principal {
        let entry = try entry(of: request)
        if entry.isPublic { try Self.take(customers["session from \(client)"]) }
        try Self.take(entry.meter)
        return entry.principal
    }

    /// The key that a request shows.
    private func entry(of request: Request) throws(APIFailure) -> AccessTable.Entry {
        guard let digest = Self.digest(of: request) else {
            throw APIFailure(.unauthorized, "unauthorized", "Send an API key: Authorization: Bearer …")
        }
        // Found by its digest: nobody learns from the time it takes how much of a key is right.
        guard let entry = access.current.keys[digest] else {
            throw APIFailure(.unauthorized, "unauthorized", "Unknown API key.")
        }
        entry.use.note()
        return entry
    }

    /// The digest of the key that a request shows, by which the access table has it; nil if it shows none.
    static func digest(of request: Request) -> Data? {
        request.headers.only(.authorization).flatMap { digest(ofBearer: $0) }
    }

    /// The digest of the key in a header; nil if it is for another scheme, whose name may be in either case (RFC 9110,
    /// section 11.1).
    private static func digest(ofBearer header: String) -> Data? {
        var header = header
        return header.withUTF8 { bytes in
            let scheme = "bearer ".utf8
            guard bytes.count > scheme.count, zip(bytes, scheme).allSatisfy({ $0 | 0x20 == $1 }) else { return nil }
            let key = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[scheme.count...]))
            var hash = SHA256()
            hash.update(bufferPointer: key)
            return hash.finalize().withUnsafeBytes { Data($0) }
        }
    }

    /// Who asks, limited to the customer of the token that they show.
    private func limited(_ principal: Principal, by request: Request) throws(APIFailure) -> Principal {
        guard let name = HTTPField.Name(CustomerToken.header), let text = request.headers.only(name) else {
            throw APIFailure(
                .unauthorized, "unauthorized",
                "This key is limited to one customer: send a token of your backend as \(CustomerToken.header).")
        }
        var refusal = CustomerToken.Refusal.notSigned
        for (bundleID, secret) in access.current.secrets where principal.apps?.contains(bundleID) ?? true {
            do {
                let token = try CustomerToken(text, secret: secret, bundleID: bundleID, now: now())
                let scopes = token.appTransactionID == nil ? APIScope.forApps : APIScope.forSessions
                let customer = CustomerName.normal(token.customer)
                return Principal(
                    name: principal.name, scopes: principal.scopes.intersection(scopes), apps: [bundleID],
                    environments: principal.environments, customer: customer,
                    appTransactionID: token.appTransactionID, appAccountToken: token.appAccountToken,
                    meter: customers[customer])
            } catch {
                // What the app whose signature it is says of it is the better reason.
                if error != .notSigned { refusal = error }
            }
        }
        throw refusal.failure
    }

    private static func take(_ meter: RateMeter?) throws(APIFailure) {
        guard let backoff = meter?.take(at: RateMeter.now) else { return }
        throw APIFailure(
            .tooManyRequests, "rate_limited", "Too many requests in a second.", isRetryable: true, backoff: backoff)
    }
}

extension ServerContext {
    /// Who asks, if they may do this.
    @discardableResult
    func require(_ scope: APIScope) throws(APIFailure) -> Principal {
        guard let principal else { throw APIFailure(.unauthorized, "unauthorized", "Send an API key.") }
        guard principal.scopes.contains(scope) else {
            throw APIFailure.forbidden("The key \(principal.name) lacks the scope \(scope.rawValue).")
        }
        return principal
    }
}

extension HTTPFields {
    /// The value of a field that is there once. What joins several takes long for one.
    func only(_ name: HTTPField.Name) -> String? {
        let values = self[values: name]
        return values.count == 1 ? values[0] : nil
    }
}
