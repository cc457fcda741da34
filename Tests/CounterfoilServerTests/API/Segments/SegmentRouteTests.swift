import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import Ledger

@Suite struct `Segments` {
    private static let monthly = "com.example.premium.monthly"

    /// Makes a customer buy without the free trial. Returns the original transaction.
    private static func buyWithoutTrial(
        _ customer: String, _ world: World, isNamed: Bool = true, product: String = monthly
    ) async throws -> String {
        let token = AppAccountToken(isNamed ? UUID() : nil)
        let outcome = try await world.simulator.perform(
            .purchase(customer: customer, product: product, introductory: false, appAccountToken: token))
        try await world.waitUntilIdle()
        return try #require(outcome.transactionID)
    }

    private static func members(_ segment: String, _ world: World, _ query: String = "") async throws -> [String] {
        let answer = try await world.api.get("/v1/segments/\(segment)" + query)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.items.compactMap { $0["original_transaction_id"] as? String }
    }

    private static func counts(_ world: World) async throws -> [String: Int] {
        let items = try await world.api.get("/v1/segments").items
        return Dictionary(
            items.compactMap { item in
                (item["name"] as? String).flatMap { name in (item["count"] as? Int).map { (name, $0) } }
            }, uniquingKeysWith: { first, _ in first })
    }

    @Test func `Time passing changes the state and the segment of a subscription without a write`() async throws {
        try await World.withAPI { world in
            world.simulator.configure(.production) { $0.gracePeriod = .sixteenDays }
            let id = try await Self.buyWithoutTrial("anna", world)
            #expect(try await Set(Self.counts(world).values) == [0])
            try await world.simulator.perform(.failBilling(customer: "anna"))
            try await world.simulator.advance(by: 31 * 86_400)
            try await world.waitUntilIdle()
            #expect(try await Self.members("in_grace_period", world) == [id])
            #expect(try await Self.members("in_billing_retry", world) == [])
            // From now on the server receives no notification.
            try world.simulator.add(Fault("notification:*", .drop))
            let storage = try world.server.core.storage
            let digest = try await storage.digest()
            let item = try #require(try await world.api.get("/v1/segments/in_grace_period").items.first)
            #expect(item["next_step"] as? String == "fix_payment")
            let left = try #require(item["days_left"] as? Int)
            #expect((13...16).contains(left))
            try await world.simulator.advance(by: Double(left) * 86_400 - 1)
            #expect(try await Self.members("in_grace_period", world) == [id])
            try await world.simulator.advance(by: 86_401)
            #expect(try await Self.members("in_grace_period", world) == [])
            #expect(try await Self.members("in_billing_retry", world) == [id])
            let counts = try await Self.counts(world)
            #expect(counts["in_grace_period"] == 0 && counts["in_billing_retry"] == 1)
            let customer = try #require(
                (try await world.api.get("/v1/segments/in_billing_retry").items.first?["customers"] as? [String])?.first
            )
            let known = try await world.api.get("/v1/customers/\(customer)")
            let state = try #require((known["subscriptions"] as? [[String: Any]])?.first)
            #expect(state["next_step"] as? String == "fix_payment" && state["has_access"] as? Bool == false)
            #expect(try await storage.digest() == digest)
        }
    }

    /// The ledger's record has only the last renewal info, which no longer names the grace period.
    @Test func `Access after a failed payment ended with the grace period, at any later time`() async throws {
        try await World.withAPI { world in
            let simulator = world.simulator
            simulator.configure(.production) { $0.gracePeriod = .sixteenDays }
            let token = UUID()
            try await simulator.perform(
                .purchase(
                    customer: "anna", product: Self.monthly, introductory: false,
                    appAccountToken: AppAccountToken(token)))
            let path = "/v1/customers/\(token.uuidString.lowercased())"
            let end = try #require(try simulator.state(of: "anna").subscriptions.first?.expiresDate)
            let grace = end + 16 * 86_400
            let ended = Int(grace.milliseconds)
            func endedAt(_ query: String = "") async throws -> Int? {
                let products = try await world.api.get(path + query)["products"] as? [[String: Any]]
                return products?.first?["ended_at"] as? Int
            }
            try await simulator.perform(.failBilling(customer: "anna"))
            try await simulator.advance(to: grace + 86_400)
            try await world.waitUntilIdle()
            try #require(try simulator.state(of: "anna").subscriptions.first?.gracePeriodExpiresDate == nil)
            let inRetry = try await endedAt()
            #expect(inRetry == ended)
            let members = try await world.api.get("/v1/segments/in_billing_retry").items
            #expect(members.map { $0["since"] as? Int } == [ended])

            try await simulator.advance(by: 60 * 86_400)
            try await world.waitUntilIdle()
            let customer = try await world.api.get(path)
            let states = customer["subscriptions"] as? [[String: Any]] ?? []
            try #require(states.map { $0["status_name"] as? String } == ["expired"])
            let expired = try await endedAt()
            #expect(expired == ended)
            let past = try await endedAt("?at=\(ended + 1000)")
            #expect(past == ended)
            let explanation = try await world.api.get(path + "/entitlements/premium/explain")
            let sentence = explanation["sentence"] as? String ?? ""
            #expect(sentence.contains("ended on \(grace.formatted(.iso8601))"), "\(sentence)")
        }
    }

    @Test func `Subscriptions that will not renew are listed by days left, page by page`() async throws {
        try await World.withAPI { world in
            var ids: [String] = []
            for number in 0..<5 {
                ids.append(try await Self.buyWithoutTrial("c\(number)", world, isNamed: number > 0))
                try await world.simulator.perform(.cancel(customer: "c\(number)"))
                try await world.simulator.advance(by: 86_400)
            }
            try await world.waitUntilIdle()
            var pages: [[String]] = []
            var next: String? = ""
            while let page = next {
                let answer = try await world.api.get("/v1/segments/will_not_renew?limit=2" + page)
                pages.append(answer.items.compactMap { $0["original_transaction_id"] as? String })
                #expect(answer.items.allSatisfy { $0["reason"] as? String == "cancelled" })
                #expect(answer.items.allSatisfy { $0["next_step"] as? String == "save_offer" })
                next = (answer["next_page"] as? String).map { "&page=" + $0 }
            }
            #expect(pages == [[ids[0], ids[1]], [ids[2], ids[3]], [ids[4]]])
            let first = try #require(try await world.api.get("/v1/segments/will_not_renew").items.first)
            let left = try #require(first["days_left"] as? Int)
            #expect(try await Self.members("will_not_renew", world, "?within_days=\(left + 1)") == Array(ids[..<2]))
            #expect(try await Self.members("will_not_renew", world, "?reason=cancelled") == ids)
            #expect(try await Self.members("will_not_renew", world, "?reason=billing_error") == [])
            // An empty list would say that nobody cancelled.
            let misspelt = try await world.api.get("/v1/segments/will_not_renew?reason=canceled")
            #expect(misspelt.status == 400 && misspelt["code"] as? String == "invalid_parameter")
            #expect((misspelt["message"] as? String)?.hasSuffix(#"did you mean "cancelled"?"#) == true)
            #expect(try await Self.members("will_not_renew", world, "?environment=Sandbox") == [])
            // The first subscription is unclaimed, the last one belongs to a customer.
            #expect((first["customers"] as? [Any])?.isEmpty == true)
            let last = try #require(try await world.api.get("/v1/segments/will_not_renew").items.last)
            #expect((last["customers"] as? [String])?.count == 1)
            let owner = try #require((last["customers"] as? [String])?.first)
            #expect(try await world.api.send("DELETE", "/v1/customers/\(owner)").status == 200)
            let erased = try #require(try await world.api.get("/v1/segments/will_not_renew").items.last)
            #expect((erased["customers"] as? [Any])?.isEmpty == true)
            try await world.simulator.perform(.resume(customer: "c2"))
            try await world.waitUntilIdle()
            #expect(try await Self.members("will_not_renew", world) == ids.filter { $0 != ids[2] })
        }
    }

    @Test func `Segments list ending trials, pending price consents, refunds and win-back candidates`() async throws {
        try await World.withAPI { world in
            _ = try await world.subscribe("trial")
            let lapsed = try await Self.buyWithoutTrial("lapsed", world)
            let priced = try await Self.buyWithoutTrial("priced", world)
            let unlock = try await Self.buyWithoutTrial("refunded", world, product: "com.example.unlock")
            #expect(try await Self.members("trial_ending", world).count == 1)
            #expect(try await Self.members("trial_ending", world, "?within_days=6") == [])
            try await world.simulator.perform(.cancel(customer: "lapsed"))
            try await world.simulator.perform(
                .increasePrice(product: Self.monthly, price: 11_990, consent: true, customer: "priced"))
            try await world.simulator.perform(.approveRefund(customer: "refunded"))
            try await world.waitUntilIdle()
            #expect(try await Self.members("price_consent_pending", world) == [priced])
            #expect(try await Self.members("refunded", world) == [unlock])
            #expect(try await Self.members("refunded", world, "?within_days=1") == [unlock])
            try await world.simulator.advance(by: 35 * 86_400)
            try await world.waitUntilIdle()
            let won = try await world.api.get("/v1/segments/win_back_eligible").items
            #expect(won.contains { $0["original_transaction_id"] as? String == lapsed })
            #expect(won.allSatisfy { $0["eligible_win_back_offer_ids"] as? [String] == ["comeback"] })
            #expect(won.allSatisfy { $0["next_step"] as? String == "win_back_offer" })
            #expect(try await Self.members("refunded", world, "?within_days=1") == [])
            #expect(try await Self.members("refunded", world) == [unlock])
            #expect(try await Self.members("trial_ending", world) == [])
        }
    }

    @Test func `No win-back offer is made to a former subscriber who shares a subscription of the family`() async throws
    {
        try await World.withAPI { world in
            _ = try await Self.buyWithoutTrial("anna", world)
            let token = UUID()
            let own = try #require(
                try await world.simulator.perform(
                    .purchase(
                        customer: "ben", product: Self.monthly, introductory: false,
                        appAccountToken: AppAccountToken(token))
                ).transactionID)
            try await world.simulator.perform(.cancel(customer: "ben"))
            try await world.simulator.advance(by: 35 * 86_400)
            try await world.waitUntilIdle()
            try #require(try await Self.members("win_back_eligible", world) == [own])
            let ben = "/v1/customers/\(token.uuidString.lowercased())"
            func steps() async throws -> [String: String] {
                let subscriptions = try await world.api.get(ben)["subscriptions"] as? [[String: Any]] ?? []
                return Dictionary(
                    subscriptions.map {
                        ($0["original_transaction_id"] as? String ?? "", $0["next_step"] as? String ?? "")
                    }, uniquingKeysWith: { first, _ in first })
            }
            let lapsed = try await steps()
            #expect(lapsed == [own: "win_back_offer"])

            let outcome = try await world.simulator.perform(.shareWithFamily(customer: "anna", member: "ben"))
            let shared = try #require(outcome.transactionID)
            let claimed = try await world.api.post(
                ben + "/purchases", ["signed_transactions": try await world.signedTransactions(of: shared)])
            #expect(claimed.status == 200, "\(claimed.text)")
            try await world.waitUntilIdle()
            let sharing = try await steps()
            #expect(sharing == [own: "none", shared: "none"])
            #expect(try await Self.members("win_back_eligible", world) == [])

            try await world.simulator.perform(.stopSharing(customer: "anna", member: "ben"))
            try await world.waitUntilIdle()
            let alone = try await steps()
            #expect(alone[own] == "win_back_offer")
            #expect(try await Self.members("win_back_eligible", world) == [own])
        }
    }

    @Test func `The CSV of a segment neutralises formulas in customer IDs`() async throws {
        try await World.withAPI { world in
            let evil = "=HYPERLINK(\"http://evil.example\",\"x\")"
            let id = try await Self.buyWithoutTrial("anna", world, isNamed: false)
            _ = try await Self.buyWithoutTrial("ben", world, isNamed: false)
            let path = evil.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let signed = try await world.signedTransactions(of: id)
            let claimed = try await world.api.post(
                "/v1/customers/\(path)/purchases", ["signed_transactions": signed])
            #expect(claimed.status == 200, "\(claimed.text)")
            for customer in ["anna", "ben"] { try await world.simulator.perform(.cancel(customer: customer)) }
            try await world.waitUntilIdle()
            let table = "/v1/segments/will_not_renew"
            let answer = try await world.api.send("GET", table + "?limit=1", headers: [("Accept", "text/csv")])
            #expect(answer.headers["content-type"]?.hasPrefix("text/csv") == true)
            #expect(answer.headers["content-disposition"] == "attachment; filename=\"will_not_renew.csv\"")
            let lines = answer.text.components(separatedBy: "\r\n")
            #expect(lines.count == 3 && lines[2].isEmpty && lines[0].hasPrefix("original_transaction_id,app,"))
            #expect(lines[1].hasSuffix(",save_offer,\"'=HYPERLINK(\"\"http://evil.example\"\",\"\"x\"\")\""))
            #expect(lines[1].hasPrefix(id + ","))
            let link = try #require(answer.headers["link"])
            let next = try #require(link.split(separator: ">").first?.dropFirst())
            #expect(link.hasSuffix("; rel=\"next\""))
            let second = try await world.api.get(String(next))
            #expect(second.text.contains(",save_offer,\r\n") && second.headers["link"] == nil, "\(second.text)")
            #expect(try await world.api.get(table + "?format=csv&limit=1000").status == 200)
            for query in ["?limit=1000", "?format=xml", "?within_days=0", "?within_days=x", "?page=x", "?days=1"] {
                #expect(try await world.api.get(table + query).status == 400, "\(query)")
            }
            // Clients generated from openapi.yaml accept every content type of an answer.
            for accept in [
                "application/json", "*/*", "text/csv;q=0", "text/csv;q=0.5, application/json",
                "application/json, text/csv",
            ] {
                let json = try await world.api.send("GET", table, headers: [("Accept", accept)])
                #expect(json.headers["content-type"] == "application/json", "\(accept)")
            }
        }
    }

    @Test func `An unknown segment is not found, and a public key reads none`() async throws {
        try await World.withAPI { world in
            let unknown = try await world.api.get("/v1/segments/nonsense")
            #expect(unknown.status == 404)
            for path in ["/v1/segments", "/v1/segments/refunded"] {
                let refused = try await world.appClient(for: "anna").get(path)
                #expect(refused.status == 403)
            }
        }
    }
}
