import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import Ledger

/// A grant that the server should have.
struct ExpectedGrant {
    static let entitlement = "gift"

    /// The customer's ID in the server.
    var customer: String
    var id: String
    var from: Int64
    var until: Int64?
    var revoked: Int64?

    func isActive(at instant: Int64) -> Bool {
        from <= instant && until.map { instant < $0 } ?? true && revoked.map { instant < $0 } ?? true
    }
}

// Entitlements without a purchase: grants, and those of customers who got the app early.
extension RandomHistory {
    /// The entitlement of customers who got the app before it was free.
    static let early = "early"
    /// The version with which the app became free.
    static let boundary = "2.0"

    /// The differences between the server and this history in a customer's grants and early entitlement.
    func differences(_ name: String, _ known: CustomerStates, at now: Date) -> [String] {
        let customer = customer(named: name)
        var wrong = differences(of: expectedGrants.filter { $0.customer == customer }, known, at: now)
        let isEarly = known.entitlement(Self.early)?.isActive ?? false
        if let version = versions[name], isEarly != ["1.9", "1.10"].contains(version ?? "") {
            wrong.append("first version \(version ?? "-"), but early is \(isEarly)")
        }
        return wrong
    }

    /// The difference in a customer's grants at an instant.
    func differences(of expectedGrants: [ExpectedGrant], _ known: CustomerStates, at instant: Date) -> [String] {
        let isGranted = expectedGrants.contains { $0.isActive(at: instant.milliseconds) }
        let isKnown = known.entitlement(ExpectedGrant.entitlement)?.isActive ?? false
        return isGranted == isKnown ? [] : ["granted \(isGranted) in the history, \(isKnown) in the server"]
    }
}
