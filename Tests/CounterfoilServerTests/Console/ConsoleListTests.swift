import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing
import WebConsole

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

/// The contents of the pages about webhooks, completeness, refunds and refused notifications.
@Suite struct `The lists of the console` {
    static func run(
        _ change: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
        _ body: (World, Browser) async throws -> Void
    ) async throws {
        try await WebhookReceiver.run { receiver in
            let webhook = World.webhook("backend", receiver.url + "/backend")
            try await World.withConsole(
                { configuration in
                    configuration.webhooks = [webhook]
                    change(&configuration)
                }, body)
        }
    }

    /// The part of a page whose live updates are held back until the reader asks for them.
    private static func heldPart(_ page: Browser.Page) throws -> String {
        try #require(page.text.components(separatedBy: "<div id=\"list\" data-live=\"hold\">").dropFirst().first)
    }

    @Test func `The lists of the console hold back live updates`() async throws {
        try await Self.run { world, browser in
            _ = try await world.subscribe("anna")
            try await world.simulator.perform(.requestRefund(customer: "anna"))
            try await world.deliverWebhooks()
            try await world.server.core.recovery.runNow()
            for (path, row) in [
                ("", "Needs attention"), ("/webhooks", "/console/webhooks/backend"),
                ("/refunds", "Waiting for an answer"), ("/completeness", "/console/recoveries/rec_"),
            ] {
                let page = try await browser.get("/console\(path)")
                #expect(try Self.heldPart(page).contains(row), "\(path)")
            }
        }
    }

    @Test func `The list of notifications shows the product, and links to the customer if the key may`() async throws {
        try await Self.run({ configuration in
            configuration.keys.append(
                .init(
                    name: "viewer", hash: APIKeyText.hash(of: "viewer"), scopes: [.operationsRead, .consoleOpen]))
        }) { world, browser in
            let anna = try await world.subscribe("anna")
            try await world.waitUntilIdle()
            let list = try Self.heldPart(try await browser.get("/console/notifications")).replacing("<wbr>", with: "")
            #expect(list.contains("data-label=\"Product\"><bdi>com.example.premium.monthly</bdi>"))
            #expect(list.contains("data-label=\"Customer\"><a href=\"/console/customers/\(anna)?"))
            let viewer = Browser(world.url)
            try await viewer.signIn("viewer")
            let shown = try Self.heldPart(try await viewer.get("/console/notifications"))
            #expect(shown.contains("data-label=\"Customer\"><bdi>\(anna)</bdi>"))
        }
    }

    @Test func `The page of an event says what happened, when, and to which customer`() async throws {
        try await Self.run { world, browser in
            let anna = try await world.subscribe("anna")
            try await world.deliverWebhooks()
            let event = try #require(try await world.deliveries().first).eventID
            let page = try await browser.get("/console/events/\(event)").text
            #expect(page.contains("<dt>Type</dt><dd>subscription.started<"))
            #expect(page.contains("<dt>Notification</dt><dd>SUBSCRIBED INITIAL_BUY<"))
            #expect(page.contains("<dt>Signed</dt><dd><time "))
            #expect(page.contains("<dt>Customer</dt><dd><a href=\"/console/customers/\(anna)?"))
        }
    }

    @Test func `Webhook pages show the last 24 hours, filter deliveries, and show a delivery's headers`() async throws {
        try await Self.run { world, browser in
            let anna = try await world.subscribe("anna")
            let bob = try await world.subscribe("bob")
            try await world.deliverWebhooks()
            let list = try Self.heldPart(try await browser.get("/console/webhooks"))
            #expect(list.contains(/"Delivered" class="num">2<.*"Waiting" class="num">0</))
            let endpoint = try await browser.get("/console/webhooks/backend").text
            #expect(endpoint.contains("The last 24 hours") && endpoint.contains("Filter deliveries"))
            let deliveries = try await world.deliveries()
            #expect(deliveries.count == 2)
            for (query, count) in [
                ("customer=\(anna)", 1), ("customer=nobody", 0), ("event=subscription.started", 2),
                ("event=\(deliveries[0].eventID)", 1), ("state=pending", 0), ("customer=\(bob)&state=delivered", 1),
            ] {
                let page = try await browser.get("/console/webhooks/backend?\(query)")
                let rows = page.text.components(separatedBy: "/console/webhooks/backend/deliveries/").count - 1
                #expect(page.status == 200 && rows == 2 * count, "\(query): \(rows)")
            }
            for (query, current) in [
                ("", "all"), ("?state=failed", "failed"), ("?state=pending&customer=x", "pending"),
            ] {
                let page = try await browser.get("/console/webhooks/backend\(query)").text
                #expect(page.contains("aria-current=\"true\"><bdi>\(current)</bdi></a>"), "\(query)")
            }
            let delivery = try await browser.get("/console/webhooks/backend/deliveries/\(deliveries[0].id)").text
            for text in ["Headers of the last attempt", "webhook-signature", "Verify it yourself", "python3"] {
                #expect(delivery.contains(text), "\(text)")
            }
            #expect(!delivery.contains(World.webhookSecret))
            #expect(delivery.contains("<dt>Type</dt><dd><bdi>subscription.started</bdi>"))
            for repeated in ["Id", "Message", "Event id"] { #expect(!delivery.contains("<dt>\(repeated)</dt>")) }
            // A user copies the command, so its lines must stay lines.
            #expect(delivery.contains("import base64, hashlib, hmac, os\nkey = ") && !delivery.contains("U+000A"))
        }
    }

    @Test func `Webhook pages say why an endpoint is off and what each delivery waits for`() async throws {
        try await WebhookReceiver.run { receiver in
            let webhook = World.webhook("backend", receiver.url + "/backend")
            try await World.withConsole({ $0.webhooks = [webhook] }) { world, browser in
                receiver.answer(500)
                _ = try await world.subscribe("anna")
                try await world.deliverWebhooks()
                try await world.simulator.perform(.cancel(customer: "anna"))
                try await world.deliverWebhooks()
                let deliveries = try await world.deliveries()
                try #require(deliveries.count == 2)
                let place = "/console/webhooks/backend"
                let failing = try await browser.get(place).text
                #expect(
                    failing.contains("data-label=\"Last answer\"><bdi>500</bdi>") && !failing.contains("status_500"))
                #expect(failing.contains("data-label=\"Next attempt\">after an earlier delivery<"))
                let first = try await browser.get("\(place)/deliveries/\(deliveries[0].id)").text
                #expect(first.contains("<dt>Last answer</dt><dd><bdi>500</bdi>") && !first.contains("status_500"))
                #expect(first.contains("href=\"/console/events/\(deliveries[0].eventID)?"))
                let second = try await browser.get("\(place)/deliveries/\(deliveries[1].id)").text
                #expect(second.contains("<dt>Next attempt</dt><dd>after an earlier delivery<"))
                receiver.answer(410)
                try await world.deliverWebhooks(after: 3600)
                _ = try await world.subscribe("bob")
                try await world.deliverWebhooks()
                let overview = try await browser.get("/console").text
                #expect(overview.contains("Switched off: it answered 410 Gone."))
                let list = try await browser.get("/console/webhooks").text
                #expect(list.contains("data-label=\"Waiting\" class=\"num\">2 and 1 new event<"))
                let off = try await browser.get(place).text
                #expect(off.contains("<dt>Why</dt><dd>it answered 410 Gone<"))
                #expect(off.components(separatedBy: "when the endpoint is switched on").count == 3)
                #expect(!off.contains("after an earlier delivery"))
            }
        }
    }

    @Test func `The completeness page draws the mark on an axis and lists windows of an open recovery`() async throws {
        try await Self.run { world, browser in
            _ = try await world.subscribe("anna")
            try await world.server.core.recovery.runNow()
            let page = try await browser.get("/console/completeness").text
            #expect(page.contains("<svg") && page.contains("is complete from"))
            #expect(!page.contains("Under way"))
            let now = world.simulator.now.milliseconds
            // Stored directly, because the recovery service would start reading it.
            let core = try world.server.core
            let plan = RecoveryPlan.requested(
                try world.appEnvironment().id, from: now - 86_400_000, until: now, filters: [],
                core.configuration.recovery)
            let id = "rec_\(try await core.storage.begin(plan, at: now))"
            let windows = try await world.api.get("/v1/recoveries/\(id)").json["window_list"] as? [[String: Any]]
            #expect(windows?.count == 4 && windows?.allSatisfy { $0["is_done"] as? Bool == false } == true)
            let read = try await world.api.get("/v1/recoveries/\(id)").json
            let from = Date(milliseconds: Int64(try #require(read["from"] as? Int))).consoleText
            let until = Date(milliseconds: Int64(try #require(read["to"] as? Int))).consoleText
            let open = try await browser.get("/console/completeness").text
            #expect(open.contains("data-label=\"Period\">\(from) to \(until)<"))
            #expect(open.contains("Under way") && open.contains("<progress value=\"0\" max=\"4\""))
            let recovery = try await browser.get("/console/recoveries/\(id)").text
            #expect(recovery.contains("Periods, in the order") && recovery.contains("0 of 4 windows"))
            try await world.server.core.recovery.runPass(world.appEnvironment(), because: nil)
            let done = try await browser.get("/console/recoveries/\(id)").text
            #expect(done.contains("4 of 4 windows") && done.contains("windows of a finished recovery"))
        }
    }

    @Test func `Confirmation pages count the affected deliveries, events and recovery windows`() async throws {
        try await Self.run { world, browser in
            let webhook = ["name": "backend"]
            _ = try await world.subscribe("anna")
            try await world.deliverWebhooks()
            try await browser.confirm(webhook.merging(["action": "webhook-off"]) { $1 })
            _ = try await world.subscribe("bob")
            try await world.deliverWebhooks()
            for action in ["webhook-on", "webhook-discard"] {
                let confirmation = try await browser.post(
                    "/console/confirm", webhook.merging(["action": action]) { $1 })
                #expect(confirmation.text.contains("0 deliveries wait; 1 event was not looked at yet."), "\(action)")
            }
            let date = (world.simulator.now - 10 * 86_400).formatted(.iso8601)
            let discard = try await browser.post(
                "/console/confirm", webhook.merging(["action": "webhook-discard"]) { $1 })
            #expect(discard.text.contains("the events so far that have none yet are skipped"))
            let deliveries = try await world.deliveries()
            let event = try #require(deliveries.first).eventID
            for fields in [["action": "replay", "from": date], ["action": "replay-event", "event_id": event]] {
                let off = try await browser.post("/console/confirm", webhook.merging(fields) { $1 })
                #expect(off.status == 200 && off.text.contains("The endpoint is off. Deliveries wait"), "\(fields)")
            }
            let until = world.simulator.now.formatted(.iso8601)
            let recover = ["action": "recover", "from": date, "to": until]
            let confirmation = try await browser.post("/console/confirm", recover)
            #expect(confirmation.text.contains("That is 4 parts of the history, about 10 days"))
            let hour = (world.simulator.now - 3600).formatted(.iso8601)
            let short = try await browser.post("/console/confirm", recover.merging(["from": hour]) { $1 })
            #expect(short.text.contains("That is 1 part of the history, about 1 hour, with"))
            #expect(try await world.api.get("/v1/recoveries").isEmptyList)
        }
    }

    @Test func `The list of refused notifications shortens bodies, and an opened one is shown in full`() async throws {
        try await Self.run { world, browser in
            let core = try world.server.core
            let now = core.now.milliseconds
            // NUL takes the most room on a page. All refusals have the same instant.
            let junk = Data(repeating: 0, count: 5000)
            try await core.storage.commit(
                (0..<3).map { index in
                    Refusal(
                        receivedAt: now, code: "malformed", message: "no", sender: "192.0.2.1",
                        body: junk + Data("end \(index)".utf8))
                })
            let page = try await browser.get("/console/notifications/refused").text
            #expect(page.contains("All 5,005 characters of it") && !page.contains("end 0") && page.utf8.count < 60_000)
            let links = page.matches(of: /href="([^"]*open=[^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") }
            #expect(Set(links).count == 3)
            for link in links {
                let opened = try await browser.get(link).text
                #expect(opened.matches(of: /end [0-2]</).count == 1, "\(link)")
            }
        }
    }

    @Test func `The former address of refused notifications redirects to the new one`() async throws {
        try await Self.run { world, browser in
            let moved = try await browser.get("/console/refused?page=5")
            #expect(moved.status == 303 && moved.location == "/console/notifications/refused?page=5")
            for (path, name) in [
                ("notifications/refused", "Notifications"), ("transactions/1", "Customers"),
                ("orders/X", "Customers"), ("recoveries/rec_1", "Completeness"),
            ] {
                let page = try await browser.get("/console/\(path)").text
                let current = page.components(separatedBy: "<nav class=\"pages\"").dropFirst().first?
                    .components(separatedBy: "</nav>").first?
                    .components(separatedBy: "aria-current=\"page\"").dropFirst().first?
                    .components(separatedBy: "</a>").first
                #expect(current?.contains(name) == true, "\(path): \(current ?? "none")")
            }
        }
    }

    @Test func `The API and the console return the App Store's delivery attempts of a notification`() async throws {
        try await Self.run { world, browser in
            _ = try await world.subscribe("anna")
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            let answer = try await world.api.send("POST", "/v1/notifications/\(uuid)/attempts")
            #expect(answer.status == 200 && answer.items.map { $0["result"] as? String } == ["SUCCESS"])
            #expect(answer.items.first?["attempt_date"] as? Int == Int(world.simulator.now.milliseconds))
            let shown = try await browser.confirm(["action": "send-attempts", "id": uuid])
            #expect(shown.status == 200 && shown.text.contains("SUCCESS"))
            #expect(try await browser.get("/console/notifications/\(uuid)").text.contains("Ask the App Store about"))
            #expect(try await world.api.send("POST", "/v1/notifications/none/attempts").status == 404)
            // The App Store keeps its history for 180 days.
            try await world.simulator.advance(by: 181 * 86_400)
            let late = try await world.api.send("POST", "/v1/notifications/\(uuid)/attempts")
            #expect(late.code == "not_in_history")
        }
    }
}
