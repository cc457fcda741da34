import CounterfoilClient
import Foundation

/// Anonymous customers, and their merges into accounts.
extension World {
    /// The server's name for the anonymous customer of the device's Apple Account.
    static let appleAccount = "8c0e2b6e-0000-4000-8000-00000000000f"

    /// Returns a new identifier for an anonymous customer, which depends only on the history.
    mutating func makeUUID() -> UUID {
        lastUUID += 1
        let (high, low) = (UInt8(truncatingIfNeeded: lastUUID >> 8), UInt8(truncatingIfNeeded: lastUUID))
        return UUID(uuid: (0xA0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, high, low))
    }

    /// Follows which customer has to get what an anonymous customer bought, when the client saves its record.
    mutating func follow(_ new: DeviceRecord) {
        let old = device ?? DeviceRecord()
        // The merge has ended, or the server refuses it.
        for (anonymous, account) in old.merges ?? [:] where new.merges?[anonymous] == nil {
            accounts[anonymous] = nil
            moveBuyer(from: anonymous, to: account)
        }
        guard let anonymous = old.anonymous, old.customer == anonymous, new.anonymous != anonymous,
            let next = new.customer
        else { return }
        if new.anonymous == nil, new.merges?[anonymous] != nil {
            // The account that signs in first gets everything, including what is bought until the merge.
            accounts[anonymous] = accounts[anonymous] ?? next
        } else {
            // A session has another name for the customer, or the server does not know the customer.
            moveBuyer(from: anonymous, to: next)
        }
    }

    private mutating func moveBuyer(from old: String, to new: String) {
        for id in Array(store.keys) where store[id]?.buyer == old { store[id]?.buyer = new }
        for index in purchases.indices where purchases[index].buyer == old { purchases[index].buyer = new }
        for index in approvals.indices where approvals[index].buyer == old { approvals[index].buyer = new }
        for product in Array(lastBuy.keys) where lastBuy[product]?.buyer == old { lastBuy[product]?.buyer = new }
    }

    /// Moves what an anonymous customer owns on the server to an account. A session proves the Apple Account, whatever
    /// the device's own name for the customer is.
    mutating func merge(_ anonymous: String, into account: String) {
        let from = rules.token == nil ? Self.appleAccount : anonymous
        owners = owners.mapValues { $0 == from ? account : $0 }
    }
}
