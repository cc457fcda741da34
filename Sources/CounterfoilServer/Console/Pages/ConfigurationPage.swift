/// The page of the configuration in effect, with the origin of each setting.
enum ConfigurationPage {
    /// The number of settings on a page.
    private static let most = 200

    @Sendable static func make(_ pageRequest: PageRequest) async throws -> ConsolePage {
        var page = pageRequest.page("Configuration", up: ("Operations", pageRequest.link("operations")))
        let target = pageRequest.target(["operations", "configuration"], isScoped: false)
        guard let json = try await pageRequest.read(target, &page, "The configuration") else { return page }
        let (items, start) = (json["items"].items, pageRequest.parameter("from").flatMap { Int($0) } ?? 0)
        let shown = items.dropFirst(max(0, start)).prefix(most)
        page.paragraph("Secrets and keys are shown only as set or not set, URLs only with their hosts.")
        page.table(
            "Settings in effect, with their origin", ["Setting", "Value", "Origin"],
            shown.map { item in
                [.code(item.string("path")), .foreign(item.string("value"), limit: 500), .plain(item.string("origin"))]
            }, empty: "There are no more.")
        let isOver = shown.endIndex >= items.endIndex
        page.links(
            [],
            next: isOver
                ? nil : pageRequest.link("operations", "configuration", query: [("from", String(max(0, start) + most))])
        )
        return page
    }
}
