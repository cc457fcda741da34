import Foundation

@testable import CounterfoilServer

extension World {
    /// Runs a world with the console enabled and a browser that is signed in.
    static func withConsole(
        _ change: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
        _ body: (World, Browser) async throws -> Void
    ) async throws {
        try await World.withAPI { configuration in
            configuration.console.isEnabled = true
            change(&configuration)
        } _: { world in
            let browser = Browser(world.url)
            try await browser.signIn()
            try await body(world, browser)
        }
    }
}

extension Browser.Page {
    /// The displayed text of the `code` element with this ID.
    func text(of id: String) -> String? {
        guard let start = text.firstRange(of: "id=\"\(id)\">"),
            let end = text[start.upperBound...].firstRange(of: "</code>")
        else { return nil }
        var shown = String(text[start.upperBound..<end.lowerBound].replacing(/<[^>]*>/, with: ""))
        for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
            shown.replace(entity, with: character)
        }
        return shown
    }
}
