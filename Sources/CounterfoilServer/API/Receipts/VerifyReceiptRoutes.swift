internal import AppStoreModels
internal import AppStoreReceipts
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import LedgerServices

/// The retired endpoint for old clients, which send the app's shared secret instead of a key.
struct VerifyReceiptRoutes {
    let service: VerifyReceiptService
    let apps: Apps
    let limits: ServerConfiguration.Limits
    let listen: ServerConfiguration.Listen
    // Clients send no key, and verifying an RSA signature takes a millisecond.
    private let meters = RateMeters(perSecond: 50)

    func add(to router: Router<ServerContext>) {
        router.post("/verifyReceipt", use: verify)
        router.get("/verifyReceipt") { _, _ in Self.response(VerifyReceiptResponse(status: .notPost).object) }
    }

    /// Answers for production, or with `?environment=Sandbox` for the sandbox.
    private func verify(_ request: Request, _ context: ServerContext) async throws -> Response {
        // If no app has a shared secret, no receipt can be answered: do not read the body.
        guard apps.acceptReceiptsFromOldClients else {
            return Self.response(VerifyReceiptResponse(status: .wrongSecret).object)
        }
        let client = ClientAddress(of: request, from: context.peer, listen).rateLimitKey
        if let backoff = meters[client]?.take(at: RateMeter.now) {
            throw APIFailure(
                .tooManyRequests, "rate_limited", "Too many receipts in a second.", isRetryable: true, backoff: backoff)
        }
        let body = try await request.bytes(upTo: limits.requestBytes)
        let isSandbox = request.parameter("environment").map { AppStoreEnvironment(named: $0) == .sandbox } ?? false
        let answer = await service.answer(
            Data(body), environment: isSandbox ? .sandbox : .production)
        return Self.response(answer)
    }

    private static func response(_ answer: OrderedJSON) -> Response {
        .json { $0.raw(answer.text.utf8) }
    }
}
