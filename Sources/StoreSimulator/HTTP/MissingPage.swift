internal import HTTPTypes
internal import Hummingbird

/// Shows an HTML page for unknown paths of the panel. Responses of the App Store's APIs and of the control API stay
/// unchanged.
struct MissingPage: RouterMiddleware {
    typealias Context = SimulatorContext

    private static let elsewhere: Set<Substring> = ["simulator", "production", "sandbox", "ocsp"]

    let holder: SimulatorHolder
    let state: PanelState

    @concurrent func handle(_ request: Request, context: SimulatorContext, next: NextHandler) async throws -> Response {
        do { return try await next(request, context) } catch let error as HTTPError where error.status == .notFound {
            let first = request.uri.path.split(separator: "/").first ?? ""
            guard !Self.elsewhere.contains(first), let page = PanelRoutes.missing(request, try holder.get(), state)
            else { throw error }
            return page
        }
    }
}
