import AppStoreModels
import Foundation
import StoreSimulator
import Testing

/// Snapshots of older versions can be read. Those of newer versions are refused with a code of their own.
@Suite struct `Snapshot versions` {
    /// Returns a state with one purchase, as JSON.
    private static func state() throws -> [String: Any] {
        let start = Date(timeIntervalSince1970: 1_767_225_600)
        var configuration = SimulatorConfiguration()
        configuration.clock = .frozen(start)
        var state = SimulatorState(configuration, real: start)
        _ = try state.production.perform(
            .purchase(customer: "anna", product: "com.example.basic.monthly", introductory: false), at: start)
        return try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(state)) as? [String: Any])
    }

    private static func read(_ object: [String: Any]) throws -> SimulatorState {
        try JSONDecoder().decode(SimulatorState.self, from: JSONSerialization.data(withJSONObject: object))
    }

    @Test func `Members that an older snapshot lacks get their initial values`() throws {
        var old = try Self.state()
        #expect(old.removeValue(forKey: "version") as? Int == 4)
        let new: Set = [
            "usedOfferNonces", "delivered", "failedAttempts", "priceCampaigns", "beforeCharge", "isBillingFailing",
            "billingRecovers", "renewalLead", "renewalDelay", "keepsDayOfMonth", "redemptions",
            "redeemedOffers", "winBacks", "announcesRenewalSwitch", "wasCancelledInGrace", "resends",
        ]
        var removed: Set<String> = []
        func strip(_ value: Any, isCustomer: Bool = false) -> Any {
            if let list = value as? [Any] { return list.map { strip($0) } }
            guard var object = value as? [String: Any] else { return value }
            for name in new where object[name] != nil {
                // Customers have this member in every version.
                if name == "isBillingFailing", object["family"] != nil { continue }
                object[name] = nil
                removed.insert(name)
            }
            return object.mapValues { strip($0) }
        }
        old = try #require(strip(old) as? [String: Any])
        #expect(removed == new)
        var state = try Self.read(old)
        #expect(state.production.settings.maximumRenewalLeadTime == 86_400)
        state.production.run(until: Date(timeIntervalSince1970: 1_767_225_600 + 40 * 86_400))
        #expect(state.production.notifications.count == 2)
    }

    @Test(arguments: 1...3) func `Notifications of a snapshot of the versions 1 to 3 are read`(_ version: Int) throws {
        let new = try Self.read(Self.state())
        var old = try Self.state()
        var production = try #require(old["production"] as? [String: Any])
        production["notifications"] = try #require(production["notifications"] as? [[String: Any]]).map { new in
            let at = try #require(new["at"] as? Double) / 1000
            var payload = try #require(new["transaction"] as? [String: Any])
            payload["signedDate"] = new["signed"] ?? new["at"]
            var record: [String: Any] = [
                "date": at - Date.timeIntervalBetween1970AndReferenceDate,
                "signedDate": (new["signed"] as? Double ?? at * 1000) / 1000
                    - Date.timeIntervalBetween1970AndReferenceDate,
                "overrides": [String: Any](), "attempts": [Any](), "isDelivered": false, "wasPostponed": false,
                "due": at - Date.timeIntervalBetween1970AndReferenceDate,
                "content": [
                    "purchase": [
                        "_0": [
                            "transaction": payload, "renewalInfo": new["renewalInfo"], "status": new["status"],
                        ].compactMapValues(\.self)
                    ]
                ],
            ]
            for name in ["uuid", "type", "subtype", "customer", "appAppleId"] { record[name] = new[name] }
            return record
        }
        old["production"] = production
        // Version 1 has no version number.
        old.removeValue(forKey: "version")
        if version > 1 { old["version"] = version }
        let read = try Self.read(old)
        let (expected, decoded) = (
            try #require(new.production.notifications.first), try #require(read.production.notifications.first)
        )
        #expect(read.production.notifications.count == new.production.notifications.count)
        #expect(
            decoded.uuid == expected.uuid && decoded.date == expected.date && decoded.signedDate == expected.signedDate)
        #expect(decoded.due == expected.date && decoded.customer == "anna" && decoded.appAppleID == expected.appAppleID)
        guard case .purchase(let before) = expected.content, case .purchase(let after) = decoded.content else {
            Issue.record("no purchase")
            return
        }
        #expect(after.transaction == before.transaction && after.renewalInfo == before.renewalInfo)
        #expect(after.status == before.status && after.transaction.signedDate == expected.signedDate)
        #expect(
            read.production.notificationsByUUID == [expected.id: 0] && read.production.transactionsByOrder.count == 1)
    }

    @Test func `A snapshot of a newer version is refused with the code newer_snapshot`() throws {
        var newer = try Self.state()
        newer["version"] = 5
        newer["unknown"] = "something"
        let error = #expect(throws: SimulatorError.self) { try Self.read(newer) }
        #expect(error?.code == .newerSnapshot)
        newer["version"] = 4
        #expect(throws: Never.self) { try Self.read(newer) }
    }
}
