internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Hummingbird
internal import LedgerServices
internal import Logging

/// Answers the App Store's request for a message to a customer who is about to cancel.
struct RetentionRoutes {
    let verifier: SignedDataVerifier
    let logger: Logger
    /// Limits log lines, as for refused notifications.
    private let refusalLogMeter = RateMeter(perSecond: 5)

    private static let maximumBytes = 64 << 10

    func add(to router: Router<ServerContext>) { router.post("/apple/retention", use: answer) }

    /// Answers with an empty object. Apple documents no answer that means "no message": if the answer is none of the
    /// four documented ones, the App Store shows the product's default message, or nothing if there is none. An empty
    /// object has that effect, and is not an error of this server.
    private func answer(_ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await request.bytes(upTo: Self.maximumBytes)
        let signedPayload: String
        do { signedPayload = try StrictJSONDecoder.decode(RealtimeRequestBody.self, from: body).signedPayload } catch {
            throw APIFailure.noSignedPayload
        }
        do throws(VerificationError) { _ = try await verifier.realtimeRequest(signedPayload) } catch {
            logger.log(
                .warning, "a retention request was refused", limitedBy: refusalLogMeter, ["code": "\(error.code)"])
            throw APIFailure(error)
        }
        return .json { $0.object { _ in } }
    }
}
