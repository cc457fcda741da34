import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@Suite struct `The console's page of the audit log` {
    private static let grant = ["entitlement": "premium", "reason": "goodwill", "actor": "tests"]

    @Test func `The pages of a customer, a purchase and an endpoint lead to their changes`() async throws {
        try await `The console`.run { configuration in
            configuration.keys.append(
                .init(
                    name: "viewer", hash: APIKeyText.hash(of: "viewer"),
                    scopes: [.customersRead, .supportRead, .webhooksWrite, .consoleOpen]))
        } _: { world, browser in
            let (anna, original) = try await TransferRouteTests.bought(world)
            let endpoint = Data(#"{"name":"made","url":"https://93.184.216.34/"}"#.utf8)
            #expect(try await world.api.send("POST", "/v1/webhooks", body: endpoint).status == 201)
            let viewer = Browser(world.url)
            try await browser.signIn()
            try await viewer.signIn("viewer")
            for (path, target) in [
                ("customers/\(anna)", anna), ("transactions/\(original)", original), ("webhooks/made", "made"),
            ] {
                let page = try await browser.get("/console/\(path)")
                #expect(page.status == 200, "\(path)")
                #expect(page.text.contains("Changes by people") && page.text.contains("target=\(target)\""), "\(path)")
                // A key without the scope has no link.
                let limited = try await viewer.get("/console/\(path)")
                #expect(limited.status == 200 && !limited.text.contains("Changes by people"), "\(path)")
            }
        }
    }

    @Test func `The page and its CSV have the filtered entries, and the form keeps what was typed`() async throws {
        try await `The console`.run { world, browser in
            for name in ["person-anna", "person-ben"] {
                #expect(try await world.api.post("/v1/customers/\(name)/grants", Self.grant).status == 201)
            }
            try await browser.signIn()
            for path in ["/console/operations/audit", "/console/operations/audit.csv"] {
                let all = try await browser.get(path).text
                #expect(all.contains("person-anna") && all.contains("person-ben"))
                let some = try await browser.get("\(path)?target=person-anna&actor=all").text
                #expect(some.contains("goodwill") && some.contains("person-anna") && !some.contains("person-ben"))
            }
            let page = try await browser.get("/console/operations/audit?target=person-anna&action=sign-in").text
            #expect(page.contains("There is none.") && page.contains("value=\"person-anna\""))
            let wrong = try await browser.get("/console/operations/audit?action=signin")
            #expect(wrong.status == 400 && wrong.text.contains("value=\"signin\""))
        }
    }
}
