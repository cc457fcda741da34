import Basics
import Foundation
import Ledger
import StoreSimulator
import Testing
import WebConsole

@testable import CounterfoilServer
@testable import LedgerServices

@Suite struct `Actions of the console` {
    @Test func `An unreadable instant or number is answered with 400 and the name of its field`() async throws {
        try await WebhookReceiver.run { receiver in
            let webhook = World.webhook("backend", receiver.url + "/backend")
            try await `The console`.run({ $0.webhooks = [webhook] }) { world, browser in
                _ = try await world.subscribe("anna")
                try await world.deliverWebhooks()
                try await browser.signIn()
                for from in ["never", "2026-99-99x", ""] {
                    for action in ["replay", "recover"] {
                        let fields = ["action": action, "name": "backend", "from": from, "to": "2100-01-01"]
                        for path in ["/console/confirm", "/console/do"] {
                            let page = try await browser.post(path, fields)
                            #expect(page.status == 400 && page.text.contains("The field from"), "\(fields) \(path)")
                            #expect(page.hidden("ticket") == nil)
                        }
                    }
                }
                let grant = try await browser.post(
                    "/console/confirm", ["action": "grant", "id": "a", "entitlement": "premium", "until": "soon"])
                #expect(grant.status == 400 && grant.text.contains("The field until"))
                let days = try await browser.post("/console/confirm", ["action": "extend", "id": "1", "days": "many"])
                #expect(days.status == 400 && days.text.contains("The field days"))
            }
        }
    }

    @Test func `An empty field that an action needs has the code of a missing parameter`() throws {
        let fields = try FormFields(encoded: Array("from=".utf8))
        var failure: CounterfoilServer.APIFailure?
        do { _ = try fields.requiredInstant("from") } catch { failure = error }
        #expect(failure?.code == "missing_parameter" && failure?.parameter == "from")
    }

    @Test func `A refused form is shown again with the entered values and the invalid field marked`() async throws {
        try await `The console`.run { world, browser in
            let (anna, original) = try await TransferRouteTests.bought(world)
            try await browser.signIn()
            // The form is refused before the confirmation.
            let grant = [
                "action": "grant", "id": anna, "entitlement": "premium", "until": "soon", "reason": "a \"gift\"",
            ]
            let until = try await browser.post("/console/confirm", grant)
            #expect(until.status == 400 && until.hidden("id") == anna && until.hidden("entitlement") == "premium")
            #expect(until.text.contains("name=\"reason\" type=\"text\" value=\"a &quot;gift&quot;\""))
            let field = try #require(
                until.text.firstMatch(of: /id="([^"]*)" name="until" type="text" value="soon"[^>]*aria-invalid/)?.1)
            #expect(until.text.contains("href=\"#\(field)\""))
            #expect(until.text.components(separatedBy: "aria-invalid").count == 2)
            // The API refuses the form after the confirmation.
            let extend = ["action": "extend", "id": original, "customer": anna, "days": "500", "reason": "other"]
            let days = try await browser.confirm(extend)
            #expect(days.status == 400 && days.hidden("reason") == "other" && days.hidden("customer") == anna)
            #expect(days.text.contains(/name="days" type="text" value="500"[^>]*aria-invalid="true"/))
            // The form keeps the reason that was entered on the confirmation page.
            let transfer = ["action": "transfer", "id": "ben", "transaction": "1", "reason": "ticket 4711"]
            let unknown = try await browser.confirm(transfer)
            #expect(unknown.status == 404 && unknown.hidden("reason") == "ticket 4711")
            #expect(unknown.text.contains(/name="transaction" type="text" value="1"[^>]* required aria-invalid="true"/))
            let again = try await browser.post("/console/confirm", transfer.merging(["transaction": original]) { $1 })
            #expect(again.status == 200 && again.text.contains("name=\"reason\" value=\"ticket 4711\""))
        }
    }

    @Test func `A replay without an end ends now, and the confirmation page shows that instant`() async throws {
        try await WebhookReceiver.run { receiver in
            let webhook = World.webhook("backend", receiver.url + "/backend")
            try await `The console`.run({ $0.webhooks = [webhook] }) { world, browser in
                _ = try await world.subscribe("anna")
                try await world.deliverWebhooks()
                try await browser.signIn()
                let confirmation = try await browser.post(
                    "/console/confirm", ["action": "replay", "name": "backend", "from": "2020-01-01", "to": ""])
                #expect(confirmation.text.contains("That makes 1 delivery now, which is all."))
                let end = try #require(confirmation.hidden("to"))
                #expect(confirmation.text.contains("to \(end) is sent again"))
                #expect(end.hasPrefix("2026-05-28T"))
                let span = ["action": "replay", "name": "backend", "from": "2020-01-02", "to": "2020-01-01"]
                let refused = try await browser.post("/console/confirm", span)
                let reason = "<code>from</code> must be before <code>to</code>."
                #expect(refused.status == 400 && refused.text.contains(reason))
            }
        }
    }

    @Test func `A replay without an end includes the events of the present millisecond`() throws {
        let action = try #require(ConsoleAction.named("replay"))
        for now in Milliseconds(1_780_000_000_000)..<1_780_000_001_000 {
            let end = try #require(action.defaults(Date(milliseconds: now))["to"])
            #expect(InstantText.milliseconds(end) == now + 1)
        }
    }

    @Test func `Console pages and actions answer 404 for an unknown app or environment`() async throws {
        try await `The console`.run { world, browser in
            let anna = try await world.subscribe("anna")
            try await browser.signIn()
            let app = world.simulator.information.bundleID
            for query in ["app=com.example.gone", "environment=Xcode", "app=\(app)&environment=Xcode"] {
                let page = try await browser.get("/console/customers/\(anna)?\(query)")
                #expect(page.status == 404 && page.text.contains("sees no"), "\(query)")
            }
            #expect(try await browser.get("/console?app=&environment=").status == 200)
            #expect(try await browser.get("/console?app=\(app)&environment=Sandbox").status == 200)
            var fields = ["action": "grant", "id": anna, "entitlement": "premium", "reason": "r", "app": app]
            fields["environment"] = "Xcode"
            for path in ["/console/confirm", "/console/do"] {
                #expect(try await browser.post(path, fields).status == 404)
            }
            fields["environment"] = "Sandbox"
            try await browser.confirm(fields)
            #expect(try await world.api.get("/v1/customers/\(anna)/grants").isEmptyList)
            #expect(try await world.api.get("/v1/customers/\(anna)/grants?environment=Sandbox").items.count == 1)
        }
    }

    @Test func `An action keeps a trailing blank in the customer's ID`() async throws {
        try await `The console`.run { world, browser in
            try await browser.signIn()
            let fields = ["action": "grant", "id": "ben ", "entitlement": "premium", "reason": " r "]
            #expect(try await browser.post("/console/confirm", fields).hidden("id") == "ben ")
            let done = try await browser.confirm(fields)
            #expect(done.location?.hasPrefix("/console/customers/ben%20?") == true)
            #expect(try await world.api.get("/v1/customers/ben/grants").isEmptyList)
            let grants = try await world.api.get("/v1/customers/ben%20/grants").items
            #expect(grants.count == 1 && grants.first?["reason"] as? String == "r")
            // After signing in, the browser returns to the same page.
            let page = try await Browser(world.url).post("/console/do", fields)
            #expect(page.location == "/console/sign-in?return=%2Fconsole%2Fcustomers%2Fben%2520")
        }
    }

    @Test func `Sending the form for a new webhook secret again shows the same secret`() async throws {
        try await `The console`.run { world, browser in
            let endpoint = Data(#"{"name":"made","url":"https://example.com/hooks"}"#.utf8)
            #expect(try await world.api.send("POST", "/v1/webhooks", body: endpoint).status == 201)
            try await browser.signIn()
            var fields = ["action": "webhook-secret", "name": "made"]
            fields["ticket"] = try await browser.post("/console/confirm", fields).hidden("ticket")
            let sent = fields
            async let first = browser.post("/console/do", sent)
            async let second = browser.post("/console/do", sent)
            let pages = try await [first, second, browser.post("/console/do", sent)]
            #expect(Set(pages.map(\.text)).count == 1 && pages[0].text.contains("whsec_"))
            let secrets = try await world.api.get("/v1/webhooks/made")["secrets"] as? [Any]
            #expect(secrets?.count == 2)
            // The ticket is valid in its own session only.
            let other = Browser(world.url)
            try await other.signIn()
            let foreign = try await other.post("/console/do", sent)
            #expect(foreign.status == 409 && !foreign.text.contains("whsec_"))
        }
    }

    @Test func `Ending a console session needs a scope and is recorded in the audit log`() async throws {
        try await `The console`.run { configuration in
            configuration.keys.append(
                .init(
                    name: "auditor", hash: APIKeyText.hash(of: "auditor"),
                    scopes: [.auditRead, .operationsRead, .consoleOpen]))
        } _: { world, browser in
            let (other, auditor) = (Browser(world.url), Browser(world.url))
            try await browser.signIn()
            try await other.signIn()
            try await auditor.signIn("auditor")
            // The scope `audit:read` does not allow ending a session.
            #expect(!(try await auditor.get("/console/operations").text.contains("End the session")))
            let refused = try await auditor.post("/console/do", ["action": "end-session", "session": "x"])
            #expect(refused.status == 403)
            let unknown = try await browser.confirm(["action": "end-session", "session": "00000000"])
            #expect(unknown.status == 409 && unknown.text.contains("No open session has this ID"))
            let sign = try await world.api.get("/v1/audit").items.filter { $0["action"] as? String == "sign-in" }
            // Newest first: the auditor's session, the second, the first.
            let session = try #require(sign.dropFirst().first?["session"] as? String)
            #expect(try await browser.confirm(["action": "end-session", "session": session]).status == 303)
            #expect(try await other.get("/console").status == 303)
            #expect(try await browser.get("/console").status == 200)
            let log = try await world.api.get("/v1/audit").items
            let ended = log.filter { $0["action"] as? String == "DELETE /v1/operations/sessions/{id}" }
            #expect(ended.map { $0["result"] as? String } == ["204", "404 not_found"])
            #expect(ended.first?["target"] as? String == session)
            #expect(
                log.contains { $0["detail"] as? String == "action=end-session" && $0["actor"] as? String == "auditor" })
        }
    }

    @Test func `The audit log describes the changes that console actions make`() async throws {
        try await `The console`.run { world, browser in
            let anna = try await world.subscribe("anna")
            let endpoint = Data(#"{"name":"made","url":"https://example.com/hooks"}"#.utf8)
            #expect(try await world.api.send("POST", "/v1/webhooks", body: endpoint).status == 201)
            try await browser.signIn()
            try await browser.confirm(["action": "webhook-off", "name": "made"])
            try await browser.confirm(["action": "webhook-discard", "name": "made", "typed": "made"])
            try await browser.confirm(["action": "webhook-secret", "name": "made"])
            try await browser.confirm(
                [
                    "action": "grant", "id": anna, "entitlement": "premium", "reason": "the outage",
                    "until": "2036-01-01",
                ])
            let details = try await world.api.get("/v1/audit").items.compactMap { $0["detail"] as? String }
            for expected in ["created made", "switched off", "discarded the pending deliveries", "added a secret"] {
                #expect(details.contains { $0.hasPrefix(expected) }, "\(expected)")
            }
            #expect(
                details.contains {
                    $0.hasPrefix("grt_") && $0.contains("premium until 2036-01-01") && $0.contains("the outage")
                })
            let page = try await browser.get("/console/operations/audit").text
            #expect(page.contains("switched off") && !page.contains("whsec_"))
            // A request with a key has no session.
            #expect(!page.contains("<code><bdi></bdi></code>"))
        }
    }

    @Test func `The console requests an order from the App Store only when the form is sent`() async throws {
        try await `The console`.run { world, browser in
            _ = try await world.subscribe("anna")
            try await browser.signIn()
            let page = try await browser.get("/console/orders/MM1?ask=yes").text
            #expect(page.contains("Ask the App Store for the order…") && !page.contains("knows no order"))
            // The App Store has order look-up in Production only.
            let sandbox = try await browser.get("/console/orders/MM1?environment=Sandbox").text
            #expect(sandbox.contains("in Production only") && !sandbox.contains("Ask the App Store for the order…"))
            let answer = try await browser.confirm(["action": "order", "id": "MM1"])
            #expect(answer.status == 409 && answer.text.contains("knows no order"))
            let bought = try await world.simulator.perform(
                .purchase(customer: "bob", product: "com.example.premium.monthly"))
            try await world.waitUntilIdle()
            let (order, original) = (try #require(bought.orderID), try #require(bought.transactionID))
            let found = try await browser.confirm(["action": "order", "id": order])
            #expect(found.status == 200 && found.text.contains("original_transaction_id=\(original)\">"))
        }
    }

    @Test func `Console actions reach customers whose ID has dots, and say which IDs cannot be used`() async throws {
        try await `The console`.run { _, browser in
            try await browser.signIn()
            for name in ["...", "~."] {
                let fields = ["action": "grant", "id": name, "entitlement": "premium", "reason": "a gift for \(name)"]
                let done = try await browser.confirm(fields)
                let location = try #require(done.location)
                let page = try await browser.get(location).text
                #expect(page.contains("<bdi>\(name)</bdi>") && page.contains("a gift for \(name)"), "\(name)")
            }
            for name in [".", ".."] {
                let fields = ["action": "grant", "id": name, "entitlement": "premium", "reason": "a gift"]
                let refused = try await browser.confirm(fields)
                #expect(refused.location == nil)
                #expect(refused.text.contains("A customer identifier cannot be . or .."))
            }
        }
    }
}
