import CounterfoilServer
import Foundation
import Ledger
import StoreSimulator
import Testing

@testable import LedgerServices

@Suite struct `The console with several apps and environments` {
    @Test func `With many apps, the bar has two lists instead of a link for each app and environment`() async throws {
        let others = (1...6).map { "com.example.client\($0)" }
        try await World.withConsole({ configuration in
            for name in others {
                var app = configuration.apps[0]
                app.bundleID = name
                (app.key, app.offerKey, app.sharedSecrets, app.customerTokenSecret) = (nil, nil, [], nil)
                configuration.apps.append(app)
            }
        }) { world, browser in
            let page = try await browser.get("/console/customers?app=\(others[2])&environment=Sandbox")
            #expect(page.status == 200)
            #expect(!page.text.contains("class=\"choices\""))
            let start = "<form class=\"picker\" action=\"/console/customers\" method=\"get\">"
            let rest = try #require(page.text.components(separatedBy: start).dropFirst().first)
            let form = try #require(rest.components(separatedBy: "</form>").first)
            let options = form.matches(of: /value="([^"]*)"( selected)?>/)
            let names = Set(options.map { String($0.1) })
            #expect(names == Set(others + [world.simulator.information.bundleID, "Production", "Sandbox"]))
            #expect(options.count == names.count)
            #expect(options.filter { $0.2 != nil }.map { String($0.1) } == [others[2], "Sandbox"])
        }
    }

    @Test func `The bar names each app once, with links to its environments beside it`() async throws {
        try await World.withConsole({ configuration in
            var app = configuration.apps[0]
            app.bundleID = "com.example.client"
            (app.key, app.offerKey, app.sharedSecrets, app.customerTokenSecret) = (nil, nil, [], nil)
            configuration.apps.append(app)
        }) { world, browser in
            let page = try await browser.get("/console/customers?app=com.example.client&environment=Sandbox").text
            let start = try #require(page.components(separatedBy: "<nav class=\"choices\"").dropFirst().first)
            let bar = try #require(start.components(separatedBy: "</nav>").first)
            let groups = bar.components(separatedBy: "<div role=\"group\" aria-label=\"").dropFirst()
            let names = [world.simulator.information.bundleID, "com.example.client"]
            try #require(groups.count == 2)
            for (name, group) in zip(names.sorted(), groups.sorted()) {
                #expect(group.hasPrefix("\(name)\"><span><bdi>"), "\(group)")
                let links = group.matches(of: /href="([^"]*)"[^>]*><bdi>(\w+)<\/bdi>/)
                #expect(links.map { String($0.2) }.sorted() == ["Production", "Sandbox"])
                #expect(links.allSatisfy { $0.1.contains("app=\(name)&amp;environment=\($0.2)") }, "\(group)")
            }
            #expect(bar.components(separatedBy: "aria-current=\"true\"").count == 2)
        }
    }

    @Test func `The completeness page begins with what is not complete`() async throws {
        try await World.withConsole { world, browser in
            try await world.server.core.recovery.runPass(world.appEnvironment(), because: .request)
            let page = try await browser.get("/console/completeness").text
            let titles = page.matches(of: /(Production|Sandbox)<\/h2>/).map { String($0.1) }
            #expect(titles == ["Sandbox", "Production"])
        }
    }
}
