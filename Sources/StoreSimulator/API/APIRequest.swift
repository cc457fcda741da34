package import AppStoreModels
package import AppStoreServer
package import Foundation

/// A parsed request to an endpoint of the App Store's APIs.
package struct APIRequest: Sendable {
    package let endpoint: AppStoreEndpoint
    /// The percent-decoded path parameters.
    package var path: [String: String]
    /// The raw query, without the question mark.
    package var query: String
    package var body: Data

    package init(_ endpoint: AppStoreEndpoint, path: [String: String] = [:], query: String = "", body: Data = Data()) {
        self.endpoint = endpoint
        self.path = path
        self.query = query
        self.body = body
    }

    /// Returns the fields of a JSON body.
    func fields() throws(APIFailure) -> RequestBody { try RequestBody(Array(body)) }
}

/// The response to a request, with unsigned payloads. They are signed after the store is unlocked, so that other
/// requests need not wait.
package struct APIResponse: Sendable {
    package var status = 200
    package var body: APIBody?

    static func object(_ members: [(String, APIBody?)]) -> Self { Self(body: .object(members)) }
}

/// A JSON value with payloads that are still to be signed.
package indirect enum APIBody: Sendable {
    case string(String)
    case integer(Int64)
    case bool(Bool)
    case array([APIBody])
    /// The members in the order of output. Members with the value `nil` are omitted.
    case object([(String, APIBody?)])
    case transaction(JWSTransactionDecodedPayload)
    case renewalInfo(JWSRenewalInfoDecodedPayload)
    case appTransaction(AppTransaction)
    /// The signed text of the notification with this number.
    case notification(Int)
    /// A model without signed payloads.
    case model(any Encodable & Sendable)
}
