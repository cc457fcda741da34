import AppStoreModels
import Foundation
import StoreSimulator
import Testing

@testable import CounterfoilServer

/// What the links on all pages of the console have in common.
@Suite struct `Links of the console` {
    /// The values of an attribute in a part of a page.
    private static func values(of attribute: String, in html: String) -> [String] {
        html.components(separatedBy: " \(attribute)=\"").dropFirst().map { part in
            String(part.prefix { $0 != "\"" }).replacing("&amp;", with: "&")
        }
    }

    /// The links to pages of the console in the body of a page, without fragments.
    private static func links(_ page: Browser.Page) -> [String] {
        let body = page.text.components(separatedBy: "<body").dropFirst().joined()
        return values(of: "href", in: body).filter { $0.hasPrefix("/console") }.map { link in
            String(link.prefix { $0 != "#" })
        }
    }

    /// The kind of a link to another state of a page, such as a page of the past or of a filtered list; nil for other
    /// links.
    private static func variant(_ link: String) -> String? {
        let parts = link.split(separator: "?", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let names = parts[1].split(separator: "&").map { pair in String(pair.prefix { $0 != "=" }) }
        guard !Set(names).isDisjoint(with: ["at", "list", "open", "state", "target"]) else { return nil }
        let path = parts[0].split(separator: "/").map { String($0) }
        var kind = Array(path.prefix(2))
        kind.append("\(path.count)")
        kind += names.sorted()
        return kind.joined(separator: " ")
    }

    @Test func `Each link on each page of the console leads to a page about something that exists`() async throws {
        try await WebhookReceiver.run { receiver in
            let webhook = World.webhook("backend", receiver.url + "/backend")
            try await World.withConsole({ $0.webhooks = [webhook] }) { world, browser in
                let anna = try await world.subscribe("anna")
                try await world.simulator.perform(.requestRefund(customer: "anna"))
                _ = try await world.subscribe("ben", in: .sandbox)
                let grant = ["action": "grant", "id": anna, "entitlement": "premium", "reason": "<b>&'\""]
                let granted = try await browser.confirm(grant)
                #expect(granted.status == 303)
                _ = try await world.api.send(
                    "POST", "/apple/notifications", body: Data(String(repeating: "<b>", count: 200).utf8))
                try await world.deliverWebhooks()
                // The page on which each link was found.
                var sources = ["/console": ""]
                var (paths, variants) = (["/console"], Set<String>())
                var next = 0
                while next < paths.count {
                    let path = paths[next]
                    next += 1
                    let page = try await browser.get(path)
                    let place = "\(path) on \(sources[path] ?? "")"
                    #expect(page.status == 200, "\(place)")
                    #expect(!page.text.contains("Nothing is known of this customer"), "\(place)")
                    let identifiers = Self.values(of: "id", in: page.text)
                    #expect(Set(identifiers).count == identifiers.count, "\(place): \(identifiers)")
                    for link in Self.links(page) where sources[link] == nil {
                        // One link of each kind is enough for other states of the same pages.
                        if let variant = Self.variant(link), !variants.insert(variant).inserted { continue }
                        sources[link] = path
                        paths.append(link)
                    }
                    try #require(paths.count < 400)
                }
                for (part, environment) in [
                    ("transactions", "Production"), ("transactions", "Sandbox"), ("customers/", "Sandbox"),
                    ("webhooks/backend/deliveries", "Production"), ("events", "Production"),
                    ("notifications", "Sandbox"), ("refunds/of", "Production"),
                ] {
                    let isFound = paths.contains {
                        $0.hasPrefix("/console/\(part)") && $0.contains("environment=\(environment)")
                    }
                    #expect(isFound, "\(part) \(environment)")
                }
            }
        }
    }

    @Test func `Links from a notification and from decoded data keep its environment, whatever is selected`()
        async throws
    {
        try await World.withConsole { world, browser in
            let ben = try await world.subscribe("ben", in: .sandbox)
            let uuid = try #require(
                try await world.api.get("/v1/notifications?environment=Sandbox").items.first?["uuid"] as? String)
            let stored = try await world.api.get("/v1/notifications/\(uuid)?include=signed_data")
            let text = try #require(stored["signed_data"] as? String)
            let customer = try await world.api.get("/v1/customers/\(ben)?environment=Sandbox")
            let subscription = try #require((customer["subscriptions"] as? [[String: Any]])?.first)
            let id = try #require(subscription["original_transaction_id"] as? String)
            let transaction = try #require(try await world.signedTransactions(of: id, in: .sandbox).first)
            let notification = try await browser.get("/console/notifications/\(uuid)?environment=Production")
            let decoded = try await browser.post("/console/decode", ["text": text])
            let decodedTransaction = try await browser.post("/console/decode", ["text": transaction])
            for (page, targets) in [
                (notification, ["transactions/\(id)"]), (decoded, ["notifications/\(uuid)"]),
                (decodedTransaction, ["transactions/\(id)", "customers/\(ben)"]),
            ] {
                for target in targets {
                    let links = Self.links(page).filter { $0.hasPrefix("/console/\(target)?") }
                    #expect(!links.isEmpty && links.allSatisfy { $0.contains("environment=Sandbox") }, "\(links)")
                    for link in links {
                        let found = try await browser.get(link)
                        #expect(found.status == 200 && !found.text.contains("Nothing is known"), "\(link)")
                    }
                }
            }
        }
    }

    @Test func `The list of notifications says whether it is empty or the filter matches nothing`() async throws {
        try await World.withConsole { _, browser in
            let filtered = try await browser.get("/console/notifications?type=DID_RENEW").text
            #expect(filtered.contains("No notification matches the filter."))
            // Earlier pages may have some that match.
            let last = try await browser.get("/console/notifications?type=DID_RENEW&page=1").text
            #expect(last.contains("The list ends before this page."))
            let all = try await browser.get("/console/notifications").text
            #expect(all.contains("No notification was received yet."))
        }
    }
}
