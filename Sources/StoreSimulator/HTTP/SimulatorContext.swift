internal import Hummingbird
internal import NIOCore

/// The next handler in the middleware chain.
typealias NextHandler = @concurrent (Request, SimulatorContext) async throws -> Response

/// The context of a request. It contains the connection's channel, so that a fault can close it.
struct SimulatorContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    // The maximum body size of all requests except images. Receipts are the largest.
    var maxUploadSize: Int { 8 << 20 }
}
