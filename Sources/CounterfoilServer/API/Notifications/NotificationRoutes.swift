internal import AppStoreModels
internal import AppStoreTrust
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Ledger
internal import LedgerServices
internal import Logging

/// Receives the App Store's notifications.
struct NotificationRoutes {
    let ingest: Ingest
    let version1: NotificationV1Receiver
    let recovery: Recovery
    let refusals: RefusalLog
    let listen: ServerConfiguration.Listen
    let metrics: ServerMetrics
    let clock: ServerClock
    let logger: Logger
    /// Limits log lines to a few per second, because anybody can cause refusals. The metrics count all of them.
    private let refusalLogMeter = RateMeter(perSecond: 5)

    /// The maximum size of a notification. Version 1 includes a receipt and the last hundred transactions; version 2 is
    /// far smaller.
    private static let maximumBytes = 1 << 20

    func add(to router: Router<ServerContext>) { router.post("/apple/notifications", use: receive) }

    /// Answers 200 when the notification is on disk; 4xx if it can never be valid; 5xx if it may be valid later, so
    /// that the App Store sends it again.
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

    /// Logs a refused notification, and stores the part of its body that was read. Failures with 5xx are logged like
    /// those of every other request.
    private func record(_ failure: APIFailure, _ body: [UInt8], from sender: String?) {
        metrics.refused.increment(failure.code)
        logger.log(
            .warning, "a notification was refused", limitedBy: refusalLogMeter,
            ["code": "\(failure.code)", "reason": "\(failure.message)", "sender": "\(sender ?? "unknown")"])
        refusals.add(
            Refusal(
                receivedAt: clock.now().milliseconds, code: failure.code, message: failure.message, sender: sender,
                body: Data(NotificationV1.withoutPassword(body).prefix(Refusal.maximumBytes))))
    }

    /// Throws 403 if the configuration does not permit notifications from the sender's network.
    private func requireSender(of request: Request, _ context: ServerContext) throws(APIFailure) {
        guard let networks = listen.notificationNetworks else { return }
        guard ClientAddress(of: request, from: context.peer, listen).isIn(networks) else {
            throw APIFailure(
                .forbidden, "forbidden_network", "Notifications are not accepted from this address.")
        }
    }

    private func accept(_ body: [UInt8], from sender: () -> ClientAddress) async throws {
        let signedPayload: String?
        do { signedPayload = try StrictJSONDecoder.decode(ResponseBodyV2.self, from: body).signedPayload } catch {
            signedPayload = nil
        }
        do {
            if let signedPayload {
                recovery.recordDelivery(try await ingest.accept(signedPayload, origin: .delivered))
            } else if let notification = NotificationV1.read(body) {
                try await version1.receive(notification, from: sender().rateLimitKey)
            } else {
                throw APIFailure.noSignedPayload
            }
        } catch let failure as ServiceFailure {
            throw APIFailure(failure)
        } catch let error as VerificationError {
            throw APIFailure(error)
        }
    }
}

extension APIFailure {
    static let noSignedPayload = APIFailure("bad_json", "Expected {\"signedPayload\": \"…\"} as the body.")

    /// Converts the failure of a verification.
    init(_ error: VerificationError) { self.init(ServiceFailure(error)) }
}
