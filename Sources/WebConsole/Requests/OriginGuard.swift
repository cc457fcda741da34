package import Hummingbird

/// Applies ``OriginCheck`` before every route. It has a list of paths that need no check, so that a path in an unusual
/// spelling is checked, however the router handles it.
package struct OriginGuard<Context: RequestContext>: RouterMiddleware {
    private let check: OriginCheck
    private let openFolders: Set<String>
    private let refuse: @Sendable (OriginCheck.Refusal, Request, Context) async throws -> Response

    /// - Parameters:
    ///   - openFolders: The first segments of paths that are not checked because they ignore cookies, such as `v1`.
    ///   - refuse: Returns the response to a refused request.
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

    /// Whether a path is exactly below an open folder. False if that segment is encoded or empty, or if the path has
    /// dot segments.
    private func isOpen(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 1, parts[0].isEmpty, !parts.contains(".."), !parts.contains(".") else { return false }
        return openFolders.contains(String(parts[1]))
    }
}
