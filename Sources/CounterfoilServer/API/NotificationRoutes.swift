internal import AppStoreServer
internal import LedgerServices
internal import Ledger
internal import AppStoreModels
internal import AppStoreTrust
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging

/// Where the App Store sends its notifications.
struct NotificationRoutes {
    let ingest: Ingest
    let version1: NotificationV1Receiver
    let recovery: Recovery
    let refusals: RefusalLog
    let listen: ServerConfiguration.Listen
    let metrics: ServerMetrics
    let clock: ServerClock
    let logger: Logger
    /// Strangers can make any number of refusals: a few a second are logged, and the metrics count all.
    private let loggedRefusals = RateMeter(perSecond: 5)

    /// Those of version 1 have a receipt and the last hundred transactions in them. Those of version 2 are far smaller.
    private static let maximumBytes = 1 << 20

    func add(to router: Router<ServerContext>) { router.post("/apple/notifications", use: receive) }

    /// 200 when it is on disk; 4xx for what can never be valid; 5xx when it may be later, so that it is sent again.
    private func receive(_ request: Request, _ context: ServerContext) async throws -> Response {
        let start = ContinuousClock.now
        func sender() -> ClientAddress { ClientAddress(of: request, from: context.peer, listen) }
        var body: [UInt8] = []
        do {
            try requireSender(of: request, context)
            body = try await request.bytes(upTo: Self.maximumBytes)
            try await accept(body, from: sender)
        } catch let failure as APIFailure {
            if failure.status.code < 500 { record(failure, body, from: sender().address) }
            throw failure
        }
        metrics.acknowledgement.record(since: start)
        return Response(status: .ok)
    }

    /// Says that a notification was refused, and keeps what was read of it. What fails here and may succeed later is
    /// logged as every such request is.
    private func record(_ failure: APIFailure, _ body: [UInt8], from sender: String?) {
        metrics.refused.increment(failure.code)
        if loggedRefusals.take(at: RateMeter.now) == nil {
            logger.warning(
                "a notification was refused",
                metadata: [
                    "code": "\(failure.code)", "reason": "\(failure.message)", "sender": "\(sender ?? "unknown")",
                ])
        }
        refusals.add(
            Refusal(
                receivedAt: clock.now().milliseconds, code: failure.code, message: failure.message, sender: sender,
                body: Data(NotificationV1.withoutPassword(body).prefix(Refusal.maximumBytes))))
    }

    /// Refuses a notification that comes from elsewhere than the configuration allows.
    private func requireSender(of request: Request, _ context: ServerContext) throws(APIFailure) {
        guard let networks = listen.notificationNetworks else { return }
        guard ClientAddress(of: request, from: context.peer, listen).isIn(networks) else {
            throw APIFailure(
                .forbidden, "forbidden_network", "Notifications are not accepted from this address.")
        }
    }

    private func accept(_ body: [UInt8], from sender: () -> ClientAddress) async throws {
        let signedPayload: String
        do {
            signedPayload = try StrictJSONDecoder.decode(ResponseBodyV2.self, from: body).signedPayload
        } catch {
            if let notification = NotificationV1.read(body) {
                do { return try await version1.receive(notification, from: sender().countedAs) } catch let failure
                    as ServiceFailure
                {
                    throw APIFailure(failure)
                }
            }
            throw APIFailure("bad_json", "Expected {\"signedPayload\": \"…\"} as the body.")
        }
        do {
            recovery.recordDelivery(try await ingest.accept(signedPayload, origin: .delivered))
        } catch let error as VerificationError {
            throw APIFailure(error)
        }
    }
}

extension APIFailure {
    /// Why something signed is not believed.
    init(_ error: VerificationError) { self.init(ServiceFailure(error)) }
}
