import Foundation
import TestSupport
import Testing

@testable import CounterfoilServer

/// Where the forms of the console's pages are.
@Suite struct `The forms of the console` {
    @Test func `The filter of a list precedes the list, and actions follow it in cards`() async throws {
        try await WebhookReceiver.run { receiver in
            let webhook = World.webhook("backend", receiver.url + "/backend")
            try await World.withConsole({ $0.webhooks = [webhook] }) { world, browser in
                _ = try await world.subscribe("anna")
                try await world.deliverWebhooks()
                for path in ["notifications", "webhooks/backend"] {
                    let text = try await browser.get("/console/\(path)").text
                    let filter = try #require(text.firstRange(of: "<form class=\"stack filter\""), "\(path)")
                    let list = try #require(text.firstRange(of: "<table class=\"stack\">"), "\(path)")
                    #expect(filter.upperBound < list.lowerBound, "\(path)")
                }
                let endpoint = try await browser.get("/console/webhooks/backend").text
                let list = try #require(endpoint.firstRange(of: "<table class=\"stack\">"))
                let heading = "<h2 id=\"actions\">Actions</h2><div class=\"cards\">"
                let actions = try #require(endpoint.firstRange(of: heading))
                #expect(list.upperBound < actions.lowerBound)
                #expect(endpoint.contains("<section class=\"card\"><h3>Test</h3>"))
                #expect(endpoint.contains("<a href=\"#actions\">Actions</a>"))
            }
        }
    }

    /// On a phone six fields would precede the list. The style sheet opens filters on wider screens.
    @Test func `A filter is closed until it is used`() async throws {
        try await World.withConsole { _, browser in
            let closed = try await browser.get("/console/notifications").text
            #expect(closed.contains("<details class=\"filters\"><summary>Filter notifications</summary>"))
            for (query, value) in [("type=TEST", "TEST"), ("from=2026-05-03", "2026-05-03"), ("from=x", "x")] {
                let open = try await browser.get("/console/notifications?\(query)").text
                #expect(open.contains("<details class=\"filters\" open><summary>Filter notifications<"), "\(query)")
                #expect(open.contains("value=\"\(value)\""), "\(query)")
            }
        }
    }

    @Test func `The texts of refused requests are named by time and reason`() async throws {
        try await World.withConsole { world, browser in
            _ = try await world.api.send("POST", "/apple/notifications", body: Data("hello".utf8))
            _ = try await world.refusals()
            let page = try await browser.get("/console/notifications/refused").text
            #expect(page.contains(/<summary>What [^<]* sent at [^<]*: bad_json<\/summary>/))
            // The reason in the list opens the text.
            let link = try #require(page.firstMatch(of: /data-label="Reason"><a href="([^"]*)"><bdi>bad_/))
            let opened = try await browser.get(String(link.1).replacing("&amp;", with: "&")).text
            #expect(opened.contains("<details open><summary>What "))
        }
    }

    @Test func `The page of a notification begins with its type and its state`() async throws {
        try await World.withConsole { world, browser in
            _ = try await world.subscribe("anna")
            try await world.waitUntilIdle()
            let uuid = try #require(try await world.api.get("/v1/notifications").items.first?["uuid"] as? String)
            let page = try await browser.get("/console/notifications/\(uuid)").text
            let facts = try #require(page.components(separatedBy: "<dl class=\"facts\">").dropFirst().first)
            let names = facts.components(separatedBy: "</dl>")[0].matches(of: /<dt>([^<]*)<\/dt>/).map { String($0.1) }
            #expect(names.prefix(3) == ["Type", "Subtype", "State"])
        }
    }
}
