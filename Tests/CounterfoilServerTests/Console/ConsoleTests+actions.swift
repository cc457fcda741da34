import AppStoreServer
import AppStoreTrust
import Foundation
import Ledger
import StoreSimulator
import TestSupport
import Testing
import WebConsole

@testable import CounterfoilServer
@testable import LedgerServices

// Actions.
extension `The console` {
    @Test func `A console action needs a ticket, is performed once, and is in the audit log`() async throws {
        try await Self.run { world, browser in
            let anna = try await world.subscribe("anna")
            try await browser.signIn()
            let fields = ["action": "grant", "id": anna, "entitlement": "premium", "reason": "<b>the outage</b>"]
            let confirmation = try await browser.post("/console/confirm", fields)
            #expect(confirmation.status == 200)
            let ticket = try #require(confirmation.hidden("ticket"))
            #expect(try await browser.post("/console/do", fields).status == 409)
            for _ in 0..<2 {
                let done = try await browser.post("/console/do", fields.merging(["ticket": ticket]) { $1 })
                #expect(done.status == 303)
            }
            let grants = try await world.api.get("/v1/customers/\(anna)/grants").items
            #expect(grants.count == 1)
            let page = try await browser.get("/console/customers/\(anna)").text
            #expect(page.contains("&lt;b&gt;the outage&lt;/b&gt;") && !page.contains("<b>the outage"))
            let audit = try await world.api.get("/v1/audit").items
            let entry = try #require(audit.first { $0["action"] as? String == "POST /v1/customers/{id}/grants" })
            #expect((entry["session"] as? String)?.count == 8)
            #expect(audit.contains { $0["action"] as? String == "sign-in" })
        }
    }

    @Test func `A read-only console refuses every action`() async throws {
        try await Self.run({ $0.console.isReadOnly = true }) { world, browser in
            try await browser.signIn()
            for action in ConsoleAction.all {
                #expect(try await browser.post("/console/confirm", ["action": action.name]).status == 403)
            }
            #expect(try await browser.get("/console").text.contains("Read-only"))
            #expect(try await browser.post("/console/decode", ["text": "a.b.c"]).status == 200)
        }
    }

    @Test func `All notifications that failed with one code can be reprocessed at once`() async throws {
        try await Self.run { world, browser in
            for name in ["anna", "ben"] { _ = try await world.subscribe(name) }
            let core = try world.server.core
            let filter = InboxFilter(scopes: core.scopes.all.map(\.id))
            for item in try await core.storage.notifications(filter, before: .max, limit: 10).items {
                try await core.storage.failProcessed(item.id, code: "storage_damaged", message: "it is damaged")
            }
            try await browser.signIn()
            let list = try await browser.get("/console/notifications?state=failed").text
            #expect(list.contains("All that failed with storage_damaged"))
            let fields = ["action": "reprocess-failed", "code": "storage_damaged"]
            #expect(try await browser.post("/console/confirm", fields).text.contains("That is 2 notifications."))
            let done = try #require(try await browser.confirm(fields).location)
            #expect(try await browser.get(done).text.contains("Process all of them again: done."))
            try await world.waitUntilIdle()
            let after = try await browser.get("/console/notifications?state=failed").text
            #expect(!after.contains("All that failed"))
        }
    }

    @Test func `A new webhook secret is shown once, and the old one can be retired`() async throws {
        try await Self.run { world, browser in
            let endpoint = Data(#"{"name":"made","url":"https://example.com/hooks"}"#.utf8)
            #expect(try await world.api.send("POST", "/v1/webhooks", body: endpoint).status == 201)
            try await browser.signIn()
            func secrets() async throws -> [String] {
                let json = try await world.api.get("/v1/webhooks/made")
                return (json["secrets"] as? [[String: Any]] ?? []).compactMap { $0["fingerprint"] as? String }
            }
            let old = try #require(try await secrets().first)
            // The only secret cannot be retired, and the page does not offer that.
            #expect(!(try await browser.get("/console/webhooks/made").text.contains("Retire the secret")))
            let shown = try await browser.confirm(["action": "webhook-secret", "name": "made"])
            #expect(shown.status == 200 && shown.text.contains("whsec_") && shown.text.contains("not shown again"))
            #expect(try await secrets().count == 2)
            let page = try await browser.get("/console/webhooks/made").text
            #expect(page.contains("Retire the secret") && !page.contains("whsec_"))
            try await browser.confirm(["action": "webhook-secret-retire", "name": "made", "fingerprint": old])
            let left = try await secrets()
            #expect(left.count == 1 && !left.contains(old))
        }
    }
}
