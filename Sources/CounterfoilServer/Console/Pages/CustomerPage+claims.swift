internal import Entitlements
internal import Foundation
internal import Ledger
internal import LedgerServices
internal import WebConsole

extension CustomerPage {
    /// The most purchases that are listed.
    private static let mostPurchases = 50

    /// What is the customer's, or was, and what makes it so.
    static func claims(_ id: String, _ at: Int64?, _ visit: Visit, _ page: inout ConsolePage) async throws {
        guard let scope = visit.selection.scope else { return }
        let (name, instant) = (CustomerName.normal(id), at ?? .max)
        let held = try await visit.console.core.storage.purchasesHeld(by: name, in: scope.id)
        guard !held.isEmpty else { return }
        page.title("Claims")
        page.table(
            "Whose the purchases are, and why", ["Purchase", "Product", "Whose it is", "Because", "Since"],
            held.prefix(mostPurchases).map { purchase in
                let original = purchase.lineage.originalTransactionId
                let owners = purchase.ownership.owners(at: instant)
                let since = purchase.changes(for: name, until: instant).last?.change.instant
                let isTheirs = owners.contains { CustomerName.normal($0) == name }
                return [
                    .link(original, visit.link("transactions", original)),
                    .foreign(purchase.lineage.transactions.last?.productID ?? ""),
                    isTheirs
                        ? .plain("this customer's")
                        : owners.first.map { .link($0, visit.link("customers", $0)) } ?? .plain("nobody's"),
                    .plain(reason(purchase.ownership, at: instant)),
                    since.map { .time(Date(milliseconds: $0)) } ?? .plain("the purchase"),
                ]
            }, empty: "")
        if held.count > mostPurchases {
            page.paragraph("\(held.count - mostPurchases) more are not listed here.", "empty")
        }
    }

    private static func reason(_ ownership: Ownership, at instant: Milliseconds) -> String {
        if !ownership.claims.owners(at: instant).isEmpty { return "a restore or merge claimed it" }
        if ownership.named != nil { return "the purchase names the account" }
        return "the Apple account's other purchases were claimed"
    }
}
