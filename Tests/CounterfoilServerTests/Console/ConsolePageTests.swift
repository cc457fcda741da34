import Foundation
import Testing
import WebConsole

@testable import CounterfoilServer

@Suite struct `The parts of a console page` {
    @Test func `Link cells with one target and different texts have different identities`() {
        let link = PageLink("x")
        #expect(ConsolePage.Cell.link("one", link).identity != ConsolePage.Cell.link("two", link).identity)
        #expect(ConsolePage.Cell.link("one", link).identity == ConsolePage.Cell.link("one", link).identity)
    }

    @Test func `Each row of a list has a key of its own, also if it reads like another row`() throws {
        var page = ConsolePage("x")
        page.table("x", ["Text"], [[.plain("one")], [.plain("two")], [.plain("one")]], empty: "")
        page.entries([ConsolePage.Entry("same"), ConsolePage.Entry("same")], empty: "")
        let keys = try Self.html(page).components(separatedBy: "data-key=\"").dropFirst().map { part in
            String(part.prefix { $0 != "\"" })
        }
        #expect(keys == ["one", "two", "one 2", "same", "same 2"])
    }

    @Test func `Long texts are shortened with the full text behind, and number columns have a class`() throws {
        var page = ConsolePage("x")
        let long = String(repeating: "x", count: 500) + "end"
        page.table("x", ["Text", "Count"], [[.foreign(long), .number("1,000")]], empty: "")
        page.facts([("code", .code(long))])
        var entry = ConsolePage.Entry(long)
        entry.inside = ConsolePage("x")
        page.entries([entry], empty: "")
        let html = try Self.html(page)
        #expect(html.components(separatedBy: "All 503 characters").count == 3)
        #expect(html.components(separatedBy: "xend<").count == 4)
        #expect(html.contains("<th scope=\"col\" class=\"num\">Count</th>"))
        #expect(html.contains("<td data-label=\"Count\" class=\"num\">1,000</td>"))
        // The customer's own page shows the customer's ID in full.
        let customer = try Self.html(ConsolePage("Customer", foreign: String(repeating: "ä", count: 255)))
        #expect(customer.contains("ää</bdi></h1>"))
    }

    private static func html(_ page: ConsolePage) throws -> String {
        var shell = Shell(
            heading: page.heading, product: "x", home: PageLink("x"), assets: ConsoleAssets(folder: ["x"]), version: "x"
        )
        shell.foreignHeading = page.foreignHeading
        return try PageLibrary(ServerPages.files).page("page", page.values, in: shell)
    }
}
