internal import LedgerServices
internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging

/// Where the App Store asks what to show somebody who is about to cancel.
struct RetentionRoutes {
    let verifier: SignedDataVerifier
    let logger: Logger
    /// As of notifications that are refused.
    private let loggedRefusals = RateMeter(perSecond: 5)

    private static let maximumBytes = 64 << 10

    func add(to router: Router<ServerContext>) { router.post("/apple/retention", use: answer) }

    /// The documentation has no answer that means "nothing of ours": whatever is none of its four shows the default
    /// message of the product, or nothing where there is none. An empty object is that, and no failure of ours.
    private func answer(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.bytes(upTo: Self.maximumBytes)
        let signedPayload: String
        do {
            signedPayload = try StrictJSONDecoder.decode(RealtimeRequestBody.self, from: body).signedPayload
        } catch {
            throw APIFailure("bad_json", "Expected {\"signedPayload\": \"…\"} as the body.")
        }
        do throws(VerificationError) { _ = try await verifier.realtimeRequest(signedPayload) } catch {
            if loggedRefusals.take(at: RateMeter.now) == nil {
                logger.warning("a retention request was refused", metadata: ["code": "\(error.code)"])
            }
            throw APIFailure(error)
        }
        return .json { $0.object { _ in } }
    }
}
