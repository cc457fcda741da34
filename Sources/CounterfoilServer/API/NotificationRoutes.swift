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
    /// Those of version 1 have a receipt and the last hundred transactions in them. Those of version 2 are far smaller.
    private static let maximumBytes = 1 << 20

    static func add(to router: Router<ServerContext>, _ core: ServerCore) {
        let version1 = NotificationV1Receiver(core)
        router.post("/apple/notifications") { request, context in
            try await receive(request, context, core, version1)
        }
    }

    /// 200 when it is on disk; 4xx for what can never be valid; 5xx when it may be later, so that it is sent again.
    private static func receive(
        _ request: Request, _ context: ServerContext, _ core: ServerCore, _ version1: NotificationV1Receiver
    ) async throws -> Response {
        let listen = core.configuration.listen
        let sender = context.sender(of: request, listen)
        if let networks = listen.notificationNetworks {
            guard let sender, networks.contains(where: { $0.contains(sender) }) else {
                throw APIFailure(.forbidden, "forbidden", "Notifications are not taken from this address.")
            }
        }
        let body = try await request.body.collect(upTo: maximumBytes)
        do { try await accept(body, core, version1) } catch let failure as APIFailure {
            if failure.status.code < 500 {
                core.logger.warning("a notification was refused", metadata: ["code": "\(failure.type)"])
                core.refusals.add(
                    Refusal(
                        receivedAt: core.now.milliseconds, code: failure.type, message: failure.message, sender: sender,
                        body: Data(body.readableBytesView.prefix(Refusal.maximumBytes))))
            }
            throw failure
        }
        return Response(status: .ok)
    }

    private static func accept(
        _ body: ByteBuffer, _ core: ServerCore, _ version1: NotificationV1Receiver
    ) async throws {
        let signedPayload: String
        do {
            signedPayload = try StrictJSONDecoder.decode(ResponseBodyV2.self, from: Array(body.readableBytesView))
                .signedPayload
        } catch {
            if let notification = NotificationV1.read(Array(body.readableBytesView)) {
                return try await version1.receive(notification)
            }
            throw APIFailure(.badRequest, "bad_json", "The body is not {\"signedPayload\": \"…\"}.")
        }
        do {
            core.recovery.noteDelivery(try await core.ingest.accept(signedPayload, origin: .delivered))
        } catch let error as VerificationError {
            throw APIFailure(error)
        }
    }
}

extension APIFailure {
    /// Why something signed is not believed. What could not be found out yet may be sent again.
    init(_ error: VerificationError) {
        if error.isRetryable {
            self.init(.serviceUnavailable, "\(error.code)", error.reason, isRetryable: true, backoff: 30_000)
        } else {
            self.init(.badRequest, "\(error.code)", error.reason)
        }
    }
}
