internal import Hummingbird
internal import Logging
internal import NIOCore

/// What a middleware passes a request on to.
typealias NextHandler = @concurrent (Request, SimulatorContext) async throws -> Response

/// What belongs to one request: with the connection at hand, so that a fault can end it.
struct SimulatorContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    // Whatever is sent but images: receipts are the largest.
    var maxUploadSize: Int { 8 << 20 }
}
