internal import LedgerServices
internal import AppStoreModels
internal import AppStoreReceipts
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The retired endpoint, for old clients: the shared secret of the app is their key.
struct VerifyReceiptRoutes {
    let service: VerifyReceiptService
    let apps: Apps
    let limits: ServerConfiguration.Limits
    let listen: ServerConfiguration.Listen
    // Clients show no key. Checking an RSA signature costs a millisecond.
    private let meters = RateMeters(perSecond: 50)

    func add(to router: Router<ServerContext>) {
        router.post("/verifyReceipt", use: verify)
        router.get("/verifyReceipt") { _, _ in Self.response(VerifyReceiptResponse(status: .notPost).object) }
    }

    /// Stands for production, or with `?environment=Sandbox` for the sandbox.
    private func verify(_ request: Request, _ context: ServerContext) async throws -> Response {
        // Where no app has a shared secret there is nothing to answer, and nothing to read.
        guard apps.takeReceiptsOfStrangers else {
            return Self.response(VerifyReceiptResponse(status: .wrongSecret).object)
        }
        let client = ClientAddress(of: request, from: context.peer, listen).countedAs
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
        Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: answer.text)))
    }
}
