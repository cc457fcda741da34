package import AppStoreModels
package import AppStoreServer
package import Foundation

/// A request to one of the App Store's endpoints, taken apart. Whoever asks has been let in.
package struct APIRequest: Sendable {
    package let endpoint: AppStoreEndpoint
    /// The values of the path's parameters, percent-decoded.
    package var path: [String: String]
    /// The query as it came, without the question mark.
    package var query: String
    package var body: Data

    package init(
        _ endpoint: AppStoreEndpoint, path: [String: String] = [:], query: String = "", body: Data = Data()
    ) {
        self.endpoint = endpoint
        self.path = path
        self.query = query
        self.body = body
    }
}

/// The answer to it: what is to be signed is not signed yet, so that nobody waits for signatures while the store is locked.
package struct APIAnswer: Sendable {
    package var status = 200
    package var body: APIBody?
}

/// JSON with leaves that will be signed text.
package indirect enum APIBody: Sendable {
    case string(String)
    case integer(Int64)
    case bool(Bool)
    case array([APIBody])
    /// The members in the order in which they are written. `nil` leaves one out.
    case object([(String, APIBody?)])
    case transaction(JWSTransactionDecodedPayload)
    case renewalInfo(JWSRenewalInfoDecodedPayload)
    case appTransaction(AppTransaction)
    /// The notification of this number, as it was signed or will be.
    case notification(Int)
    /// A model without anything to sign.
    case model(any Encodable & Sendable)
}
