internal import AppStoreModels
internal import Basics
internal import Entitlements
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Writes the responses about a customer. They are signed if the request has a nonce and the app has a key for it, except
/// those about the past.
struct CustomerResponseWriter: Sendable {
    let apps: Apps
    let clock: ServerClock

    /// Throws 400 if the nonce of the request is invalid. Call this before any change.
    func requireNonce(of call: APICall) throws(APIFailure) { _ = try ResponseSignature.nonce(of: call.request) }

    /// - Parameter more: Writes additional members after the others.
    func response(
        _ reading: CustomerReading, to call: APICall, adding more: (inout JSONWriter) -> Void = { _ in }
    ) throws -> Response {
        var json = JSONWriter()
        CustomerJSON.write(reading, to: &json) { json in
            writeMembersForApps(of: reading.appEnvironment, for: call.principal, to: &json)
            more(&json)
        }
        var response = json.response()
        // An app takes a signed state for the present one. Otherwise, whoever controls its network could keep access that
        // has ended, by adding `at` to the request.
        guard call.request.parameter("at") == nil else { return response }
        try sign(
            &response, about: reading.customer, of: reading.appEnvironment.bundleID, json.bytes, for: call.request)
        return response
    }

    /// Signs a stored response that is sent again, if it is about a customer.
    func signAgain(_ response: inout Response, _ body: Data, for request: Request) throws {
        struct Customer: Decodable { var object, id, app: String }
        guard try ResponseSignature.nonce(of: request) != nil, response.status == .ok else { return }
        let customer: Customer
        // Other responses have other members, or no body.
        do { customer = try JSONDecoder().decode(Customer.self, from: body) } catch { return }
        guard customer.object == "customer" else { return }
        try sign(&response, about: customer.id, of: customer.app, Array(body), for: request)
    }

    /// Signs the response to a request with a nonce, if the app has a key for it.
    private func sign(
        _ response: inout Response, about customer: String, of bundleID: String, _ body: [UInt8], for request: Request
    ) throws {
        guard let nonce = try ResponseSignature.nonce(of: request),
            let key = apps[bundleID]?.responseSigningKey,
            let name = HTTPField.Name(ResponseSignature.signatureHeader)
        else { return }
        let time = clock.now().milliseconds
        let signature = try key.sign(ResponseSignature.message(customer, nonce, time, body))
        response.headers[name] = "\(time).\(Base64.encodeURL(signature))"
    }

    /// Writes members that only apps need: the account token for purchases, and the entitlements of each product, which
    /// an app cannot request later. Backends know both.
    private func writeMembersForApps(
        of appEnvironment: AppEnvironment, for principal: Principal, to json: inout JSONWriter
    ) {
        json.member("app_account_token", principal.appAccountToken)
        guard principal.isPublic, let catalogue = apps[appEnvironment.bundleID]?.catalogue else { return }
        var entitlements: [String: [String]] = [:]
        for (name, products) in catalogue.entitlements {
            for product in products { entitlements[product, default: []].append(name) }
        }
        json.member("product_entitlements", entitlements.sorted { $0.key < $1.key }) { json, product in
            json.object { json in
                json.member("product_id", product.key)
                json.member("entitlements", product.value.sorted()) { $0.string($1) }
                if let duration = catalogue.durations[product.key] {
                    json.member("duration_ms", duration.minimumMilliseconds)
                }
            }
        }
    }
}

extension Period {
    /// The shortest possible duration, so that a device that adds milliseconds never grants more time than the server.
    fileprivate var minimumMilliseconds: Int64 {
        let day: Int64 = 86_400_000
        let count = Int64(count)
        return switch unit {
        case .day: count * day
        case .week: count * 7 * day
        // Of twelve consecutive months at most one is shorter than 30 days.
        case .month: (count / 12 * 365 + count % 12 * 30 - (count % 12 == 0 ? 0 : 2)) * day
        case .year: count * 365 * day
        }
    }
}
