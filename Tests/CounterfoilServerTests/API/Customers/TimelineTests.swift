import AppStoreModels
import CounterfoilServer
import Foundation
import StoreSimulator
import Testing

@testable import LedgerServices

@Suite struct `A timeline` {
    @Test func `A timeline describes a customer's events, newest first`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            try await world.simulator.advance(by: .month)
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.simulator.advance(by: .month)
            try await world.waitUntilIdle()
            let path = "/v1/customers/\(anna)/timeline"
            let answer = try await world.api.get(path)
            #expect(answer.status == 200)
            let sentences = answer.items.compactMap { $0["sentence"] as? String }
            #expect(
                sentences == [
                    "com.example.premium.monthly expired: the customer had cancelled.",
                    "Cancelled: com.example.premium.monthly ends on 4 July 2026.",
                    "Renewed until 4 July 2026 for 9.99 USD.",
                    "Subscribed to com.example.premium.monthly until 4 June 2026 for free.",
                ])
            let first = try #require(answer.items.last)
            #expect(first["type"] as? String == "SUBSCRIBED")
            #expect(first["subtype"] as? String == "INITIAL_BUY")
            #expect(first["origin"] as? String == "delivered")
            #expect(first["state"] as? String == "processed")
            #expect(first["status"] as? Int == 1)
            #expect(first["price_milliunits"] as? Int == 0)
            #expect(first["uuid"] is String && first["transaction_id"] is String)
            #expect(answer["next_page"] is NSNull)
            // Pages of one entry give the same list.
            var pages: [String] = []
            var next = Optional("")
            while let page = next {
                let answer = try await world.api.get("\(path)?limit=1" + (page.isEmpty ? "" : "&page=\(page)"))
                pages += answer.items.compactMap { $0["sentence"] as? String }
                next = answer["next_page"] as? String
            }
            #expect(pages == sentences)
            // The timeline at an earlier instant.
            let then = try await world.api.get("\(path)?at=\(Int64(World.start.timeIntervalSince1970 * 1000) + 1000)")
            #expect(then.items.compactMap { $0["sentence"] as? String } == sentences.suffix(1))
            // The other environment has no entries.
            #expect(try await world.api.get("\(path)?environment=Sandbox").isEmptyList)
        }
    }

    @Test func `A timeline contains the withdrawn consent of the customer who owns the Apple account's purchases`()
        async throws
    {
        try await World.withAPI { world in
            let (anna, bob) = (try await world.subscribe("anna"), try await world.subscribe("bob"))
            try await world.simulator.perform(.rescindConsent(customer: "anna"))
            try await world.waitUntilIdle()
            let entry = try #require(try await world.api.get("/v1/customers/\(anna)/timeline").items.first)
            #expect(entry["type"] as? String == "RESCIND_CONSENT" && entry["original_transaction_id"] == nil)
            #expect(entry["sentence"] as? String == "A parent or guardian withdrew consent for the app.")
            let uuid = try #require(entry["uuid"] as? String)
            #expect(try await world.api.get("/v1/customers/\(anna)/timeline/\(uuid)").status == 200)
            #expect(try await world.api.get("/v1/customers/\(bob)/timeline/\(uuid)").status == 404)
            #expect(try await world.api.get("/v1/customers/\(bob)/timeline").items.count == 1)
        }
    }

    @Test func `A timeline entry is readable with its decoded notification, by its customer only`() async throws {
        try await World.withAPI { world in
            let (anna, bob) = (try await world.subscribe("anna"), try await world.subscribe("bob"))
            let uuid = try #require(
                try await world.api.get("/v1/customers/\(anna)/timeline").items.first?["uuid"] as? String)
            let answer = try await world.api.get("/v1/customers/\(anna)/timeline/\(uuid)")
            #expect(answer.status == 200 && answer["uuid"] as? String == uuid)
            let decoded = try #require(answer["decoded"] as? [String: Any])
            let transaction = try #require(decoded["transaction"] as? [String: Any])
            #expect(transaction["productId"] as? String == "com.example.premium.monthly")
            let verifications = try #require(answer["verifications"] as? [String: [String: Any]])
            #expect(Set(verifications.keys) == ["notification", "transaction", "renewal_info"])
            #expect(verifications.values.allSatisfy { ($0["certificates"] as? [Any])?.count == 3 })
            #expect(try await world.api.get("/v1/customers/\(bob)/timeline/\(uuid)").status == 404)
            #expect(try await world.api.get("/v1/customers/\(anna)/timeline/none").status == 404)
            let elsewhere = "/v1/customers/\(anna)/timeline/\(uuid)?environment=Sandbox"
            #expect(try await world.api.get(elsewhere).status == 404)
        }
    }

    @Test func `The expand parameter includes one whole notification in the timeline`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.waitUntilIdle()
            let path = "/v1/customers/\(anna)/timeline"
            let uuids = try await world.api.get(path).items.compactMap { $0["uuid"] as? String }
            try #require(uuids.count == 2)
            let alone = try await world.api.get("\(path)/\(uuids[1])").json
            for spelling in [uuids[1], uuids[1].uppercased()] {
                let items = try await world.api.get("\(path)?expand=\(spelling)").items
                #expect(items.map { $0["uuid"] as? String } == uuids)
                #expect(items[0]["notification"] == nil)
                let whole = try #require(items[1]["notification"] as? [String: Any])
                #expect(NSDictionary(dictionary: whole) == NSDictionary(dictionary: alone))
            }
            let unknown = try await world.api.get("\(path)?expand=none").items
            #expect(unknown.count == 2 && unknown.allSatisfy { $0["notification"] == nil })
            #expect(try await world.api.get("\(path)?expand=").status == 400)
            // Expanding requires more than the scope of the timeline.
            var reader = world.api
            reader.key = TestAPIClient.readerKey
            #expect(try await reader.get("\(path)?environment=Sandbox").status == 200)
            #expect(try await reader.get("\(path)?environment=Sandbox&expand=\(uuids[1])").status == 403)
        }
    }

    @Test func `A timeline refuses malformed page tokens and accepts well-formed unknown ones`() async throws {
        try await World.withAPI { world in
            let anna = try await world.subscribe("anna")
            let path = "/v1/customers/\(anna)/timeline?page="
            let last = "9223372036854775807.-9223372036854775808.x"
            for page in ["-1.-1.", "1.2.3.4", last] {
                #expect(try await world.api.get(path + page).status == 200, "\(page)")
            }
            for page in [
                "", "x", "1", "1.2", "..", "9223372036854775808.1.x", String(repeating: "9", count: 400), "1e9.1.",
                "%00.1.1",
            ] {
                #expect(try await world.api.get(path + page).status == 400, "\(page)")
            }
            #expect(try await world.api.get("/v1/customers/\(anna)/timeline?limit=0").status == 400)
            #expect(try await world.api.get("/v1/customers/\(anna)/timeline?limit=101").status == 400)
        }
    }
}
