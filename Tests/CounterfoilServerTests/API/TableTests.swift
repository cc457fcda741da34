import Basics
import StoreSimulator
import Testing

@Suite struct `Lists as CSV` {
    @Test(arguments: ["/v1/segments/will_not_renew", "/v1/audit"])
    func `A CSV has the members of the JSON, with the same instants`(_ path: String) async throws {
        try await World.withAPI { world in
            // Not a whole second.
            try await world.simulator.advance(by: 0.123)
            let anna = try await world.subscribe("anna")
            try await world.simulator.perform(.cancel(customer: "anna"))
            try await world.waitUntilIdle()
            let used = try await world.api.post("/v1/customers/\(anna)/usage", ["customer_consented": true])
            try #require(used.status < 300, "\(used.text)")
            // The oldest entry: each request for the CSV of the audit log adds a newer one.
            let item = try #require(try await world.api.get(path).items.last)
            let table = try await world.api.get(path + "?format=csv").text
            let rows = table.split(whereSeparator: \.isNewline).map {
                $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }
            try #require(rows.count > 1)
            #expect(Set(item.keys).subtracting(["object"]).isSubset(of: rows[0]), "\(item.keys) \(rows[0])")
            // No cell before these is quoted.
            let instants = ["since", "until", "at"].compactMap { name in (item[name] as? Int).map { (name, $0) } }
            try #require(instants.contains { $0.1 % 1000 != 0 }, "\(instants)")
            for (name, instant) in instants {
                let column = try #require(rows[0].firstIndex(of: name))
                #expect(InstantText.milliseconds(rows[rows.count - 1][column]) == Int64(instant), "\(rows)")
            }
        }
    }
}
