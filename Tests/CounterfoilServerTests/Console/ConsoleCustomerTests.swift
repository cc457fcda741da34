import AppStoreModels
import Entitlements
import Foundation
import Ledger
import LedgerServices
import StoreSimulator
import TestSupport
import Testing
import WebConsole

@testable import CounterfoilServer

/// The pages of a customer, the search, and the pages to which it leads.
@Suite struct `The console's pages about customers` {
    private static let monthly = "com.example.premium.monthly"

    @Test func `A customer's page lists the last ten purchases, says how many there are, and stays small`() async throws
    {
        try await World.withConsole { world, browser in
            let token = UUID()
            func buy(_ count: Int) async throws -> String {
                for _ in 0..<count {
                    try await world.simulator.perform(
                        .purchase(
                            customer: "kim", product: "com.example.coins.100", appAccountToken: AppAccountToken(token)))
                }
                try await world.waitUntilIdle()
                return try await browser.get("/console/customers/\(token.uuidString.lowercased())").text
            }
            func links(_ page: String) -> Int { page.components(separatedBy: "preview the answer").count - 1 }
            let all = try await buy(10)
            #expect(links(all) == 10 && !all.contains("These are the last") && !all.contains("There are more."))
            let last = try await buy(50)
            #expect(links(last) == 10 && last.contains("These are the last 10 of 60."))
            #expect(last.contains("There are more. The API lists all of them: GET /v1/customers/ID/claims."))
            #expect(last.utf8.count < 65_000, "\(last.utf8.count)")
        }
    }

    @Test func `The list of purchases says which give access, until when, and which were refunded`() async throws {
        let pass = "com.example.season.pass"
        try await World.withConsole({ $0.apps[0].catalogue.durations = [pass: .months(1)] }) { world, browser in
            let token = UUID()
            let bought: [(String, Int?)] = [(pass, nil), ("com.example.unlock", nil), ("com.example.coins.100", 3)]
            for (product, quantity) in bought {
                try await world.simulator.perform(
                    .purchase(
                        customer: "kim", product: product, quantity: quantity, appAccountToken: AppAccountToken(token)))
            }
            try await world.waitUntilIdle()
            let path = "/console/customers/\(token.uuidString.lowercased())"
            let before = try await browser.get(path).text
            // One tag for the pass and one for the product that does not end. Consumables give no access.
            #expect(before.components(separatedBy: "<span class=\"tag good\">access</span>").count == 3)
            #expect(before.contains("data-label=\"Access until\">no end<"))
            #expect(before.contains("<bdi>com.<wbr>example.<wbr>coins.100 (3 times)</bdi>"))
            #expect(before.contains("data-label=\"State\">no purchase<"))
            try await world.simulator.advance(by: 3600)
            let end = world.simulator.now.consoleText
            for product in [pass, "com.example.coins.100"] {
                try await world.simulator.perform(.approveRefund(customer: "kim", transaction: product))
            }
            try await world.waitUntilIdle()
            let after = try await browser.get(path).text
            #expect(after.contains("<span class=\"tag bad\">no access, refunded</span>"))
            #expect(after.contains("<span class=\"tag bad\">refunded</span>"))
            // The access ended with the refund, not at the end of the month.
            #expect(after.contains("data-label=\"Access until\"><time datetime=") && after.contains("\(end)</time>"))
            #expect(!after.contains(" days</span>"))
        }
    }

    @Test func `The list of purchases shows no end of access for a purchase that gives none`() async throws {
        try await World.withConsole { world, browser in
            let outcome = try await world.simulator.trigger(
                TriggerRequest(.oneTimeCharge, overrides: ["transaction.type": .string("Gift")]))
            try await world.waitUntilIdle()
            let token = try #require(outcome.appAccountToken)
            let page = try await browser.get("/console/customers/\(token)").text
            #expect(page.contains("<span class=\"tag bad\">no access</span>") && !page.contains(">no end<"))
        }
    }

    @Test func `Signing an offer shows the signature in the chosen format, and the customer's page does not show it`()
        async throws
    {
        try await World.withConsole { world, browser in
            let anna = try await world.subscribe("anna")
            let customer = try await browser.get("/console/customers/\(anna)").text
            #expect(customer.contains("Sign an offer") && customer.contains("preview the answer"))
            for (format, sign) in [("jws", "eyJ"), ("original", "&quot;signature&quot;")] {
                let fields = [
                    "action": "offer", "id": anna, "product": Self.monthly, "offer": "save20", "format": format,
                ]
                let shown = try await browser.confirm(fields)
                #expect(shown.status == 200 && shown.text.contains("not shown again"), "\(shown.text)")
                #expect(shown.text.contains(sign), "\(format)")
                let later = try await browser.get("/console/customers/\(anna)")
                #expect(later.status == 200 && !later.text.contains("not shown again"))
                #expect(!later.text.contains("&quot;signature&quot;"))
                guard format == "jws" else { continue }
                let jws = try #require(shown.text.firstMatch(of: /eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+/))
                #expect(!later.text.contains(jws.output))
            }
        }
    }

    @Test func `Transferring a purchase to another customer requires a reason`() async throws {
        try await World.withConsole { world, browser in
            let (anna, original) = try await TransferRouteTests.bought(world)
            #expect(try await browser.get("/console/customers/ben").text.contains("Take over a purchase"))
            // The choice of the subscription to extend names the product.
            let option = "<option value=\"\(original)\" selected>com.example.premium.monthly, \(original)</option>"
            #expect(try await browser.get("/console/customers/\(anna)").text.contains(option))
            let fields = ["action": "transfer", "id": "ben", "transaction": original]
            let confirmation = try await browser.post("/console/confirm", fields)
            #expect(
                confirmation.text.contains("name=\"reason\" value=\"\" required")
                    && confirmation.text.contains("nobody else"))
            let ticket = try #require(confirmation.hidden("ticket"))
            let silent = try await browser.post("/console/do", fields.merging(["ticket": ticket]) { $1 })
            #expect(silent.status == 409 && silent.text.contains("Give a reason."))
            #expect(try await TransferRouteTests.hasAccess(world, anna))
            let again = try #require(silent.hidden("ticket"))
            let done = try await browser.post(
                "/console/do", fields.merging(["ticket": again, "reason": "ticket 4711"]) { $1 })
            #expect(done.status == 303 && done.location?.hasPrefix("/console/customers/ben") == true)
            #expect(try await TransferRouteTests.hasAccess(world, "ben"))
            // The former customer had it once.
            let former = try await browser.get("/console/customers/\(anna)").text
            #expect(former.contains("data-label=\"State\">no purchase<") && !former.contains("never had"))
        }
    }

    @Test func `The form that revokes a grant offers the active grants only`() async throws {
        try await World.withConsole { world, browser in
            #expect(try await !browser.get("/console/customers/anna").text.contains("Revoke a grant"))
            for reason in ["first", "second"] {
                try await browser.confirm(["action": "grant", "id": "anna", "entitlement": "premium", "reason": reason])
            }
            let grants = try await world.api.get("/v1/customers/anna/grants").items.compactMap { $0["id"] as? String }
            try #require(grants.count == 2)
            let note = "These are the grants as they are now."
            let before = try await browser.get("/console/customers/anna?at=2026-01-01").text
            #expect(before.contains("As it was known at 2026-01-01 00:00:00 UTC.") && before.contains(note))
            #expect(try await !browser.get("/console/customers/anna").text.contains(note))
            let fields = ["action": "revoke", "id": "anna", "grant": grants[0], "reason": "a mistake"]
            #expect(try await browser.confirm(fields).status == 303)
            let page = try await browser.get("/console/customers/anna").text
            let form = page.components(separatedBy: "name=\"grant\"").last?.components(separatedBy: "</select>").first
            #expect(form?.contains("<option value=\"\(grants[1])\"") == true)
            #expect(form?.contains(grants[0]) == false)
            // The entitlement and the grant that is left.
            #expect(page.components(separatedBy: "data-label=\"Until\">no end<").count == 3)
        }
    }

    @Test func `A customer's page of the past names its instant and links to the present`() async throws {
        try await World.withConsole { world, browser in
            let anna = try await world.subscribe("anna")
            let path = "/console/customers/\(anna)"
            // The links "as known then" pass milliseconds.
            let past = try await browser.get("\(path)?at=1780000000503").text
            #expect(past.contains("As it was known at 2026-05-28 20:26:40 UTC."))
            #expect(past.contains("value=\"2026-05-28T20:26:40.503Z\""))
            #expect(past.contains("Show what is known now"))
            let typed = try await browser.get("\(path)?at=2026-05-28").text
            #expect(typed.contains("value=\"2026-05-28\""))
            let present = try await browser.get(path).text
            #expect(!present.contains("Show what is known now") && !present.contains("As it was known"))
        }
    }

    @Test func `Timeline entries about renewals name the product of a customer with several subscriptions`()
        async throws
    {
        try await World.withConsole { world, browser in
            let token = UUID()
            func page(buying product: String) async throws -> String {
                try await world.simulator.perform(
                    .purchase(customer: "kim", product: product, appAccountToken: AppAccountToken(token)))
                try await world.simulator.advance(by: 40 * 86_400)
                try await world.waitUntilIdle()
                return try await browser.get("/console/customers/\(token.uuidString.lowercased())").text
            }
            let name = "<span class=\"soft\">product</span>"
            let one = try await page(buying: Self.monthly)
            #expect(one.contains("Renewed until") && !one.contains(name))
            let two = try await page(buying: "com.example.news.monthly")
            for product in [Self.monthly, "com.example.news.monthly"] {
                #expect(two.contains("\(name) <bdi>\(product)</bdi>"), "\(product)")
            }
        }
    }

    @Test func `An opened timeline entry has a form that sends its event again`() async throws {
        try await WebhookReceiver.run { receiver in
            let webhook = World.webhook("backend", receiver.url + "/backend")
            try await World.withConsole({ $0.webhooks = [webhook] }) { world, browser in
                let anna = try await world.subscribe("anna")
                try await world.deliverWebhooks()
                let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
                let page = try await browser.get("/console/customers/\(anna)?open=\(uuid)").text
                #expect(page.contains("Send the event again to backend…"))
                #expect(page.contains("name=\"event_id\" value=\"evt_\(uuid)\""))
            }
        }
    }

    @Test func `Recently active customers of the environment are listed for keys that may read customers`()
        async throws
    {
        try await World.withConsole({ configuration in
            configuration.keys.append(
                .init(
                    name: "viewer", hash: APIKeyText.hash(of: "viewer"), scopes: [.operationsRead, .consoleOpen]))
        }) { world, browser in
            let sandbox = try await world.subscribe("ben", in: .sandbox)
            let anna = try await world.subscribe("anna")
            // Another customer's events fill more than one page of the event list.
            for _ in 0..<60 { try await world.simulator.advance(by: 31 * 86_400) }
            try await world.waitUntilIdle()
            let page = try await browser.get("/console/customers?environment=Sandbox").text
            #expect(page.contains(sandbox) && !page.contains(anna))
            #expect(try await browser.get("/console/customers?environment=Production").text.contains(anna))
            let viewer = Browser(world.url)
            try await viewer.signIn("viewer")
            #expect(try await !viewer.get("/console/customers").text.contains(anna))
        }
    }

    @Test func `A customer's page shows the reasons of each state, and the environment if nothing is known`()
        async throws
    {
        try await World.withConsole { world, browser in
            let anna = try await world.subscribe("anna")
            try await world.simulator.perform(.approveRefund(customer: "anna"))
            try await world.waitUntilIdle()
            let refunded = try await browser.get("/console/customers/\(anna)").text
            #expect(refunded.contains("inactive, refunded") && refunded.contains("no access, refunded"))
            // The list of subscriptions says since when there is no access, and what to do.
            #expect(refunded.contains("data-label=\"Access until\"><time datetime="))
            #expect(refunded.contains("data-label=\"Next step\">make a promotional offer<"))
            let why = try await browser.get("/console/customers/\(anna)/explain/premium").text
            #expect(why.contains("was refunded on \(world.simulator.now.consoleText)."))
            #expect(!why.contains("<dt>Until</dt>"))
            let ben = try await world.subscribe("ben", in: .sandbox)
            let page = "/console/customers/\(ben)?environment="
            let unknown = "Nothing is known of this customer in Production."
            #expect(try await browser.get(page + "Production").text.contains(unknown))
            #expect(try await !browser.get(page + "Sandbox").text.contains("Nothing is known of this customer"))
        }
    }

    @Test func `The page of a customer of another app says in which app nothing is known`() async throws {
        try await World.withConsole {
            $0.apps.append(.init(bundleID: "com.example.other", environments: [.sandbox]))
        } _: { world, browser in
            let anna = try await world.subscribe("anna")
            let page = try await browser.get("/console/customers/\(anna)?app=com.example.other").text
            #expect(page.contains("Nothing is known of this customer in com.example.other Sandbox."))
        }
    }

    @Test func `A search for an event without a customer leads to the event's page`() async throws {
        try await World.withConsole { world, browser in
            let outcome = try await world.simulator.perform(
                .purchase(customer: "kim", product: Self.monthly, appAccountToken: .absent))
            try await world.waitUntilIdle()
            _ = try #require(outcome.transactionID)
            let event = try #require(
                try await world.api.get("/v1/events").items.compactMap {
                    ($0["data"] as? [String: Any])?["id"] as? String
                }.first)
            let page = try await browser.get("/console/customers?q=\(event)").text
            #expect(page.contains("href=\"/console/events/\(event)?"))
            let shown = try await browser.get("/console/events/\(event)").text
            #expect(shown.contains("The notification about it") && shown.contains("No endpoint takes events"))
            #expect(shown.contains("<dd>SUBSCRIBED INITIAL_BUY<") && !shown.contains("<dt>Customer</dt>"))
        }
    }
}
