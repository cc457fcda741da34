internal import AppStoreModels
internal import Basics
internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Authenticates requests by their API key, and sets the principal.
///
/// A public key ships in an app, where everybody can read it. It requires a ``CustomerToken``, and gives access only to
/// that customer.
struct Authorization: RouterMiddleware {
    private let access: SharedValue<AccessTable>
    private let customers: RateMeters
    private let now: @Sendable () -> Date

    /// - Parameter perSecond: How many requests per second each customer of an app may make.
    init(access: SharedValue<AccessTable>, perSecond: Int, now: @escaping @Sendable () -> Date) {
        (self.access, self.now) = (access, now)
        customers = RateMeters(perSecond: perSecond)
    }

    @concurrent func handle(_ request: Request, context: ServerContext, next: NextHandler) async throws -> Response {
        var context = context
        context.principal = try principal(request)
        return try await next(request, context)
    }

    /// Returns the principal of a request. Throws 401 without a valid key, and 429 above the rate limit.
    func principal(_ request: Request) throws(APIFailure) -> Principal {
        let entry = try entry(of: request)
        var principal = entry.principal
        if entry.isPublic {
            principal = try restricted(principal, by: request)
            // Check the customer's meter before the key's, so that one user cannot use up the limit of all users.
            try Self.requireCapacity(of: principal.meter)
        }
        try Self.requireCapacity(of: entry.meter)
        return principal
    }

    /// Returns the principal of a request for a session, before its customer is known.
    ///
    /// - Parameter client: The client's rate limit key, so that one device cannot use up the limit of all devices.
    func sessionPrincipal(_ request: Request, from client: String) throws(APIFailure) -> Principal {
        let entry = try entry(of: request)
        if entry.isPublic { try Self.requireCapacity(of: customers["session from \(client)"]) }
        try Self.requireCapacity(of: entry.meter)
        return entry.principal
    }

    /// Returns the entry of the request's key, and records its use.
    private func entry(of request: Request) throws(APIFailure) -> AccessTable.Entry {
        guard let digest = Self.digest(of: request) else {
            throw APIFailure(.unauthorized, "unauthorized", "Send an API key: Authorization: Bearer …")
        }
        // Look up the digest, so that the response time does not reveal how much of a key is right.
        guard let entry = access.current.keys[digest] else {
            throw APIFailure(.unauthorized, "unauthorized", "Unknown API key.")
        }
        entry.use.record()
        return entry
    }

    /// Returns the SHA-256 of the request's key, as the access table stores it; nil if the request has no key.
    static func digest(of request: Request) -> Data? {
        request.headers.singleValue(of: .authorization).flatMap { digest(ofBearer: $0) }
    }

    /// Returns the SHA-256 of the key in an `Authorization` header; nil for another scheme. Scheme names are
    /// case-insensitive (RFC 9110, section 11.1).
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

    /// Returns the principal, restricted to the customer of the request's token.
    private func restricted(_ principal: Principal, by request: Request) throws(APIFailure) -> Principal {
        guard let name = HTTPField.Name(CustomerToken.header), let text = request.headers.singleValue(of: name) else {
            throw APIFailure(
                .unauthorized, "unauthorized",
                "This key is limited to one customer: send a customer token from your backend as \(CustomerToken.header)."
            )
        }
        var refusal = CustomerToken.Refusal.notSigned
        for (bundleID, secret) in access.current.secrets where principal.apps?.contains(bundleID) ?? true {
            do {
                let token = try CustomerToken(text, secret: secret, bundleID: bundleID, now: now())
                let scopes = token.appTransactionID == nil ? APIScope.publicKeyScopes : APIScope.sessionScopes
                let customer = CustomerName.canonical(token.customer)
                return Principal(
                    name: principal.name, scopes: principal.scopes.intersection(scopes), apps: [bundleID],
                    environments: principal.environments, customer: customer,
                    appTransactionID: token.appTransactionID, appAccountToken: token.appAccountToken,
                    meter: customers["\(bundleID)\n\(customer)"])
            } catch {
                // Prefer the reason from the app whose secret signed the token.
                if error != .notSigned { refusal = error }
            }
        }
        throw refusal.failure
    }

    private static func requireCapacity(of meter: RateMeter?) throws(APIFailure) {
        guard let backoff = meter?.take(at: RateMeter.now) else { return }
        throw APIFailure(
            .tooManyRequests, "rate_limited", "Too many requests in a second.", isRetryable: true, backoff: backoff)
    }
}

extension ServerContext {
    /// Returns the principal if its key has the scope. Throws 401 or 403.
    @discardableResult
    func require(_ scope: APIScope) throws(APIFailure) -> Principal {
        guard let principal else { throw APIFailure(.unauthorized, "unauthorized", "Send an API key.") }
        guard principal.scopes.contains(scope) else {
            // The key may have the scope: a session has fewer.
            if APIScope.publicKeyScopes.contains(scope) { try principal.refuseSession() }
            throw APIFailure.forbidden("The key \(principal.name) lacks the scope \(scope.rawValue).")
        }
        return principal
    }
}

extension HTTPFields {
    /// The value of a field that occurs exactly once. The subscript that joins several values is slow for a single one.
    func singleValue(of name: HTTPField.Name) -> String? {
        let values = self[values: name]
        return values.count == 1 ? values[0] : nil
    }
}
