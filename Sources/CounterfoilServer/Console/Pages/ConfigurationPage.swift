internal import Foundation
internal import WebConsole

/// The configuration as it counts, and where each setting was said.
enum ConfigurationPage {
    /// As many settings as a page has.
    private static let most = 200

    @Sendable static func make(_ visit: Visit) async throws -> ConsolePage {
        var page = visit.page("Configuration")
        page.up = ("Operations", visit.link("operations"))
        let target = visit.target(["operations", "configuration"], isScoped: false)
        page.api = target
        guard let json = try await visit.read(target, &page, "The configuration") else { return page }
        let (items, start) = (json["items"].items, visit.parameter("from").flatMap { Int($0) } ?? 0)
        let shown = items.dropFirst(max(0, start)).prefix(most)
        page.paragraph("Of secrets and keys it says whether they are set, of URLs their hosts.")
        page.table(
            "What counts, and where it was said", ["Setting", "Value", "Said in"],
            shown.map { item in
                [
                    .code(item["path"].text ?? ""), .foreign(item["value"].text ?? "", limit: 500),
                    .plain(item["origin"].text ?? ""),
                ]
            }, empty: "There are no more.")
        let isOver = shown.endIndex >= items.endIndex
        page.links(
            [],
            next: isOver
                ? nil : visit.link("operations", "configuration", query: [("from", String(max(0, start) + most))]))
        return page
    }
}
