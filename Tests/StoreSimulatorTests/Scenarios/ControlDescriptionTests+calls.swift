import AppStoreServer
import Foundation
import StoreSimulator
import Testing
import Yams

// Calls of the control API as its description shows them.
extension `The description of the control API` {
    @Test func `Settings and catalogue can be read with GET and written back unchanged with PUT`() async throws {
        try await withSimulator { simulator in
            for path in ["/production/settings", "/sandbox/settings", "/production/catalogue"] {
                let given = try await Self.call(simulator, "GET", path).body
                let put = try await Self.call(simulator, "PUT", path, given)
                #expect(put.status == 200, "\(String(decoding: put.body, as: UTF8.self))")
                let read = try await Self.call(simulator, "GET", path).body
                #expect(read == given, "\(path)")
            }
        }
    }

    @Test func `PATCH changes single settings, removes an optional one with null, and refuses invalid ones`()
        async throws
    {
        try await withSimulator { simulator in
            func patch(_ body: String) async throws -> Int {
                try await Self.call(simulator, "PATCH", "/sandbox/settings", Data(body.utf8)).status
            }
            let status = try await patch(#"{"renewalCap":null,"maximumRenewalLeadTime":0}"#)
            #expect(status == 200)
            #expect(simulator.settings(of: .sandbox).renewalCap == nil)
            #expect(simulator.settings(of: .sandbox).maximumRenewalLeadTime == 0)
            #expect(simulator.settings(of: .sandbox).refundDecision == .automatic)
            for wrong in [#"{"renewalLead":0}"#, #"{"maximumRenewalLeadTime":-1}"#, "[]"] {
                let refused = try await patch(wrong)
                #expect(refused == 400, "\(wrong)")
            }
            #expect(simulator.settings(of: .sandbox).maximumRenewalLeadTime == 0)
        }
    }

    @Test func `Commands accept abbreviated products, and an advance accepts durations in ISO 8601`() async throws {
        try await withSimulator { simulator in
            for command in [
                #"{"purchase":{"customer":"ben","product":"premium.monthly"}}"#,
                #"{"cancel":{"customer":"ben","subscription":"premium.monthly"}}"#,
            ] {
                let answer = try await Self.call(simulator, "POST", "/production/commands", Data(command.utf8))
                #expect(answer.status == 200, "\(command)")
            }
            let before = simulator.now
            for duration in ["PT1M", "1m"] {
                _ = try await Self.call(simulator, "POST", "/clock/advance", Data(#"{"by":"\#(duration)"}"#.utf8))
            }
            #expect(simulator.now == before + 120)
        }
    }

    @Test func `A trigger takes type and subtype apart or as one name`() async throws {
        try await withSimulator { simulator in
            for (body, status) in [
                (#"{"notificationType":"DID_RENEW","subtype":"BILLING_RECOVERY"}"#, 200),
                (#"{"notificationType":"DID_RENEW.BILLING_RECOVERY"}"#, 200),
                (#"{"notificationType":"DID_RENEW.BILLING_RECOVERY","subtype":"BILLING_RECOVERY"}"#, 400),
            ] {
                let answer = try await Self.call(simulator, "POST", "/production/trigger", Data(body.utf8))
                let text = String(decoding: answer.body, as: UTF8.self)
                #expect(answer.status == status && text.contains("BILLING_RECOVERY"), "\(text)")
            }
        }
    }

    @Test func `A reset deletes the customers, and restores the settings only if it is a reset of everything`()
        async throws
    {
        try await withSimulator { simulator in
            let initial = simulator.settings(of: .sandbox)
            try await simulator.perform(.purchase(customer: "ben", product: "com.example.unlock"))
            _ = try await Self.call(
                simulator, "PATCH", "/sandbox/settings", Data(#"{"renewalCap":null,"maximumRenewalLeadTime":0}"#.utf8))
            let changed = simulator.settings(of: .sandbox)
            #expect(initial.renewalCap == 12 && changed != initial && !simulator.states().isEmpty)
            _ = try await Self.call(simulator, "POST", "/reset")
            #expect(simulator.settings(of: .sandbox) == changed)
            #expect(simulator.states().isEmpty)
            _ = try await Self.call(simulator, "POST", "/reset", Data(#"{"everything":true}"#.utf8))
            #expect(simulator.settings(of: .sandbox) == initial)
        }
    }
}
