internal import LedgerServices
internal import AppStoreModels
internal import AppStoreReceipts
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The retired endpoint, for old clients: the shared secret of the app is their key.
enum VerifyReceiptRoutes {
    static func add(to router: Router<ServerContext>, _ core: ServerCore) {
        // Clients show no key. Checking an RSA signature costs a millisecond.
        let meters = RateMeters(perSecond: 50)
        router.post("/verifyReceipt") { request, context in try await verify(request, context, core, meters) }
        router.get("/verifyReceipt") { _, _ in notPost() }
    }

    /// Stands for production, or with `?environment=Sandbox` for the sandbox.
    private static func verify(
        _ request: Request, _ context: ServerContext, _ core: ServerCore, _ meters: RateMeters
    ) async throws -> Response {
        // Where no app has a shared secret there is nothing to answer, and nothing to read.
        guard core.apps.takeReceiptsOfStrangers else {
            return response(VerifyReceiptResponse(status: .wrongSecret).object)
        }
        let sender = ClientAddress(of: request, from: context.peer, core.configuration.listen).address ?? ""
        if let backoff = meters[sender]?.take(at: RateMeter.now) {
            throw APIFailure(
                .tooManyRequests, "rate_limited", "Too many receipts in a second.", isRetryable: true, backoff: backoff)
        }
        let body = try await request.bytes(upTo: core.configuration.limits.requestBytes)
        let isSandbox = request.uri.queryParameters["environment"].map { $0 == "Sandbox" } ?? false
        let answer = await core.verifyReceipt.answer(
            Data(body.readableBytesView), environment: isSandbox ? .sandbox : .production)
        return response(answer)
    }

    private static func notPost() -> Response { response(VerifyReceiptResponse(status: .notPost).object) }

    private static func response(_ answer: OrderedJSON) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: answer.text)))
    }
}
