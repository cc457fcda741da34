internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// Where the App Store sends its notifications.
enum NotificationRoutes {
    /// Some ten times the largest genuine one known.
    private static let maximumBytes = 256 << 10

    static func add(to router: Router<ServerContext>, _ core: ServerCore) {
        router.post("/apple/notifications") { request, context in try await receive(request, context, core) }
    }

    /// 200 when it is on disk; 4xx for what can never be valid; 5xx when it may be later, so that it is sent again.
    private static func receive(
        _ request: Request, _ context: ServerContext, _ core: ServerCore
    ) async throws -> Response {
        let start = ContinuousClock.now
        try context.requireSender(of: request, core)
        let body = try await request.body.collect(upTo: maximumBytes)
        let signedPayload: String
        do {
            signedPayload = try StrictJSONDecoder.decode(ResponseBodyV2.self, from: Array(body.readableBytesView))
                .signedPayload
        } catch {
            core.metrics.refused.add("bad_json")
            throw APIFailure(.badRequest, "bad_json", "The body is not {\"signedPayload\": \"…\"}.")
        }
        do {
            _ = try await core.ingest.accept(signedPayload, origin: .delivered)
        } catch let error as VerificationError {
            if error.isRetryable {
                throw APIFailure(
                    .serviceUnavailable, "\(error.code)", error.reason, isRetryable: true, backoff: 30_000)
            }
            core.metrics.refused.add("\(error.code)")
            core.logger.warning("a notification was refused", metadata: ["code": "\(error.code)"])
            throw APIFailure(.badRequest, "\(error.code)", error.reason)
        }
        core.metrics.acknowledgement.note(since: start)
        return Response(status: .ok)
    }
}
