import AppStoreModels
import Foundation
import StoreSimulator
import Testing

@testable import CounterfoilServer

/// Pages that lack an answer lead to where it is.
@Suite struct `The console's next steps` {
    @Test func `The page of an unknown customer leads to the customer's records in another environment`() async throws {
        try await World.withConsole {
            $0.keys.append(
                .init(name: "agent", hash: APIKeyText.hash(of: "agent"), scopes: [.consoleOpen, .customersRead]))
        } _: { world, browser in
            let ben = try await world.subscribe("ben", in: .sandbox)
            let path = "/console/customers/\(ben)?environment="
            let link = /href="(\/console\/customers\?[^"]*q=[^"]*)">/
            let unknown = try await browser.get(path + "Production").text
            let target = try #require(unknown.firstMatch(of: link)?.1)
            let found = try await browser.get(String(target).replacing("&amp;", with: "&")).text
            #expect(found.contains(/href="\/console\/customers\/[^"]*environment=Sandbox/))
            #expect(try await !browser.get(path + "Sandbox").text.contains(link))
            // This key may not search.
            let agent = Browser(world.url)
            try await agent.signIn("agent")
            let limited = try await agent.get(path + "Production").text
            #expect(limited.contains("Nothing is known of this customer") && !limited.contains(link))
        }
    }

    @Test func `The explanation of a purchase that moved leads to the purchase and to its new owner`() async throws {
        try await World.withConsole { world, browser in
            let (anna, original) = try await TransferRouteTests.bought(world)
            let path = "/console/customers/\(anna)/explain/premium"
            #expect(try await !browser.get(path).text.contains("Changes of owner"))
            let fields = ["action": "transfer", "id": "ben", "transaction": original, "reason": "ticket 4711"]
            #expect(try await browser.confirm(fields).status == 303)
            let moved = try await browser.get(path).text
            #expect(moved.contains("Changes of owner") && moved.contains("was transferred to the customer ben on "))
            #expect(moved.contains("href=\"/console/transactions/\(original)?"))
            #expect(moved.contains("href=\"/console/customers/ben?"))
        }
    }

    @Test func `The page of a purchase without an owner says how it gets one`() async throws {
        try await World.withConsole { world, browser in
            let outcome = try await world.simulator.perform(
                .purchase(customer: "kim", product: "com.example.premium.monthly", appAccountToken: .absent))
            try await world.waitUntilIdle()
            let original = try #require(outcome.transactionID)
            let step = "Take over a purchase on the page of the customer."
            #expect(try await browser.get("/console/transactions/\(original)").text.contains(step))
            let fields = ["action": "transfer", "id": "kim", "transaction": original, "reason": "ticket 4711"]
            #expect(try await browser.confirm(fields).status == 303)
            #expect(try await !browser.get("/console/transactions/\(original)").text.contains(step))
        }
    }

    @Test func `Pages link to notifications only if the key may read them`() async throws {
        try await World.withConsole {
            $0.keys.append(
                .init(
                    name: "agent", hash: APIKeyText.hash(of: "agent"),
                    scopes: [.consoleOpen, .customersRead, .supportRead]))
        } _: { world, browser in
            let (anna, original) = try await TransferRouteTests.bought(world)
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            let agent = Browser(world.url)
            try await agent.signIn("agent")
            for path in ["customers/\(anna)/explain/premium", "transactions/\(original)", "customers?q=\(uuid)"] {
                for (user, isAllowed) in [(browser, true), (agent, false)] {
                    let page = try await user.get("/console/\(path)")
                    let main = try #require(page.text.components(separatedBy: "<main").last)
                    #expect(page.status == 200, "\(path)")
                    #expect(main.contains("href=\"/console/notifications") == isAllowed, "\(path)")
                }
            }
        }
    }

    @Test func `A page with a refused parameter has its form with the field marked and no updates`() async throws {
        try await World.withConsole { world, browser in
            let anna = try await world.subscribe("anna")
            for (path, name) in [("customers/\(anna)?at=never", "at"), ("notifications?type=TEST&from=never", "from")] {
                let page = try await browser.get("/console/\(path)")
                #expect(page.status == 400 && page.text.contains("data-topics=\"\""), "\(path)")
                let marked = page.text.matches(
                    of: /id="([^"]*)" name="([^"]*)" type="text" value="never"[^>]*aria-invalid/)
                let field = try #require(marked.first, "\(path)")
                #expect(marked.count == 1 && String(field.2) == name, "\(path)")
                #expect(page.text.contains("href=\"#\(field.1)\""), "\(path)")
            }
        }
    }

    @Test func `A confirmation page shows a typed day as an instant with its zone`() async throws {
        try await World.withConsole { _, browser in
            func confirmation(_ fields: [String: String]) async throws -> String {
                try await browser.post("/console/confirm", fields).text
            }
            let grant = ["action": "grant", "id": "anna", "entitlement": "premium", "reason": "ticket 4711"]
            let ends = try await confirmation(grant.merging(["until": "2026-12-31"]) { $1 })
            #expect(ends.contains("until 2026-12-31 00:00:00 UTC, without a purchase."))
            #expect(try await confirmation(grant).contains("until it is revoked, without a purchase."))
            let recovery = try await confirmation(
                ["action": "recover", "from": "2026-05-03", "to": "2026-05-04 12:30 UTC"])
            #expect(recovery.contains("from 2026-05-03 00:00:00 UTC to 2026-05-04 12:30:00 UTC."))
        }
    }
}
