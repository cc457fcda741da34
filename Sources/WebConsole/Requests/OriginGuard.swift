package import Hummingbird

/// Refuses what another page sends, in front of every route. Routes are named that need no check, not those that do: a path
/// in an unusual spelling is checked, whatever the router makes of it.
package struct OriginGuard<Context: RequestContext>: RouterMiddleware {
    private let check: OriginCheck
    private let openFolders: Set<String>
    private let refuse: @Sendable (OriginCheck.Refusal, Request, Context) async throws -> Response

    /// - Parameters:
    ///   - openFolders: First segments of paths that are not checked, because no cookie counts there: `v1`.
    ///   - refuse: The answer to what is refused.
    package init(
        _ check: OriginCheck, openFolders: Set<String> = [],
        refuse: @escaping @Sendable (OriginCheck.Refusal, Request, Context) async throws -> Response
    ) {
        (self.check, self.openFolders, self.refuse) = (check, openFolders, refuse)
    }

    @concurrent package func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        if !isOpen(request.uri.path), let refusal = check.refusal(of: request) {
            return try await refuse(refusal, request, context)
        }
        return try await next(request, context)
    }

    /// Whether a path is exactly of an open folder. One that is encoded, doubled or has dots in it is not.
    private func isOpen(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 1, parts[0].isEmpty, !parts.contains(".."), !parts.contains(".") else { return false }
        return openFolders.contains(String(parts[1]))
    }
}
