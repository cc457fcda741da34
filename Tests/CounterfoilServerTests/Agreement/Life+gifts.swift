import AppStoreModels
import CounterfoilServer
import Entitlements
import Foundation
import StoreSimulator
import Testing

@testable import Ledger

/// An entitlement that the team gave without a purchase.
struct Gift {
    static let entitlement = "gift"

    /// As the server names them.
    var customer: String
    var id: String
    var from: Int64
    var until: Int64?
    var revoked: Int64?

    func isGiven(at instant: Int64) -> Bool {
        from <= instant && until.map { instant < $0 } ?? true && revoked.map { instant < $0 } ?? true
    }
}

// What the App Store did not sign, or signed of the app and not of a purchase.
extension Life {
    /// The entitlement of who got the app before it was free.
    static let early = "early"
    /// The version with which it became free.
    static let boundary = "2.0"

    /// Where the server does not know of gifts and early customers what the life knows.
    func differences(_ name: String, _ known: CustomerStates, at now: Date) -> [String] {
        let customer = customer(named: name)
        var wrong = differences(of: gifts.filter { $0.customer == customer }, known, at: now)
        let isEarly = known.entitlement(Self.early)?.isActive ?? false
        if let version = versions[name], isEarly != ["1.9", "1.10"].contains(version ?? "") {
            wrong.append("first version \(version ?? "-"), but early is \(isEarly)")
        }
        return wrong
    }

    /// The same for a customer's gifts at an instant.
    func differences(of gifts: [Gift], _ known: CustomerStates, at instant: Date) -> [String] {
        let isGiven = gifts.contains { $0.isGiven(at: instant.milliseconds) }
        let isKnown = known.entitlement(Gift.entitlement)?.isActive ?? false
        return isGiven == isKnown ? [] : ["gift \(isGiven), known is \(isKnown)"]
    }
}
