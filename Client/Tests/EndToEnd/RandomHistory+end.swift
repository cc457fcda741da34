import CounterfoilClient
import CounterfoilClientTesting
import Foundation

/// The conditions that must hold when nothing fails any more.
extension RandomHistory {
    /// Repairs everything, except for past events.
    package func repair() async throws {
        for owner in [anna, bert] {
            try await world.command(#"{"stopAskingToBuy":{"customer":"\#(owner)"}}"#)
            while try await world.command(#"{"declinePurchase":{"customer":"\#(owner)"}}"#) {}
        }
        for phone in phones {
            let device = #""customer":"\#(phone.owner)","device":"\#(phone.name)""#
            for command in ["goOnline", "releaseUpdates"] { try await world.command(#"{"\#(command)":{\#(device)}}"#) }
            // Transactions that cannot be verified stay so until the app is reinstalled.
            await phone.reinstall()
            try await install(phone)
            await phone.stopFailing()
            await phone.signIn(account(of: phone))
            await phone.launch()
        }
    }

    private func account(of phone: TestPhone) -> String { phone.owner == anna ? annasAccount : bertsAccount }

    /// Opens the app on every device, and returns the unfinished transactions and the differences between device and
    /// server.
    package func pendingProblems(inRound round: Int) async throws -> [String] {
        var remaining: [String] = []
        for phone in phones {
            let unfinished = await phone.unfinished
            // A guest's purchases wait for the guest, who signs in every few hours.
            let other = account(of: phone) == annasAccount ? bertsAccount : annasAccount
            let account = !unfinished.isEmpty && round / 5 % 2 == 1 ? other : account(of: phone)
            if await phone.account != account { await phone.signIn(account) }
            await phone.open()
            if !unfinished.isEmpty {
                let stuck = await phone.stuck.map { "\($0.transaction.id): \($0.reason.rawValue)" }
                remaining.append(
                    "\(phone.owner)'s \(phone.name) has \(unfinished.map(\.id)) unfinished, stuck \(stuck)")
            }
            let known = try await world.customer(await phone.account)
            let byServer = Set(
                (known["entitlements"]?.list ?? []).filter { $0["is_active"]?.flag == true }.map {
                    "\($0["key"]?.string ?? "") until \($0["until"]?.number ?? 0)"
                })
            let current = await phone.current
            let byDevice = Set(
                (current?.entitlements ?? []).filter(\.isActive).map {
                    "\($0.key) until \(($0.until?.timeIntervalSince1970 ?? 0) * 1000)"
                })
            if byServer != byDevice || current?.id != known["id"]?.string {
                remaining.append(
                    "\(phone.owner)'s \(phone.name) shows \(byDevice.sorted()), the server says \(byServer.sorted())")
            }
        }
        return remaining + (try await differences())
    }

    /// A transaction of the store and its possible owners.
    private struct Sale {
        var transaction: DeviceTransaction
        /// The account for which the App Store signed it.
        var named: String?
        /// The accounts that restored on a device of the Apple account.
        var restorers: Set<String>
        /// The accounts that may own it.
        var allowed: Set<String>

        /// Whether it may move to an account: one that restored, or the signed account, which may take it back by
        /// buying again.
        func mayMove(to account: String) -> Bool {
            restorers.contains(account) || !restorers.isEmpty && account == named
        }
    }

    /// A purchase belongs to the account that the App Store names or, without one, as for families and seats, to an
    /// account that signed in on a device of the Apple account. After a restore it may belong to the restoring account.
    private func sales() async throws -> [Sale] {
        var sales: [Sale] = []
        let (accounts, restorers) = (await recorder.accounts, await recorder.restorers)
        for owner in [anna, bert] {
            for transaction in try await world.transactions(of: owner) {
                let named = transaction.appAccountToken?.uuidString.lowercased()
                let allowed = named.map { [$0] } ?? accounts[owner] ?? []
                let restored = restorers[owner] ?? []
                sales.append(
                    Sale(
                        transaction: transaction, named: named, restorers: restored, allowed: allowed.union(restored)))
            }
        }
        return sales
    }

    /// Summarizes the events of this history, so that an uneventful one is not taken as proof.
    package func summary() async throws -> String {
        let sales = try await sales()
        var moved = 0
        for account in [annasAccount, bertsAccount] {
            moved += try await world.timeline(of: account).filter { $0["type"]?.string == "purchase.transferred" }.count
        }
        let systems = phones.map { "\($0.system)" }.joined(separator: ", ")
        let (restores, given) = (await recorder.restores, await recorder.deliveries)
        return """
            \(sales.count) transactions, \(sales.filter { $0.named == nil }.count) of families and seats, \
            \(given.count) consumables delivered, \(restores) restores, purchases moved \(moved) times, \
            systems \(systems)
            """
    }

    /// Returns the differences between server and store.
    private func differences() async throws -> [String] {
        var differences: [String] = []
        let sales = try await sales()
        var owners: [String: [String]] = [:]
        var subscriptions: [Value] = []
        var balance = 0.0
        for account in [annasAccount, bertsAccount] {
            let known = try await world.customer(account)
            subscriptions += known["subscriptions"]?.list ?? []
            let found = (known["subscriptions"]?.list ?? []) + (known["purchases"]?.list ?? [])
            for id in Set(found.compactMap { $0["original_transaction_id"]?.string }) {
                owners[id, default: []].append(account)
            }
            balance += (known["consumables"]?.list ?? []).compactMap { $0["purchases"]?.number }.reduce(0, +)
        }
        for sale in sales {
            let found = owners[String(sale.transaction.originalID)] ?? []
            if found.count != 1 || !sale.allowed.isSuperset(of: found) {
                differences.append("\(sale.transaction.originalID) may be \(sale.allowed)'s, and is \(found)'s")
            }
        }
        for id in Set(owners.keys).subtracting(sales.map { String($0.transaction.originalID) }) {
            differences.append("the server has \(id), which nobody bought")
        }
        for owner in [anna, bert] {
            for truth in try await world.state(of: owner)["subscriptions"]?.list ?? [] {
                let same = subscriptions.first { $0["original_transaction_id"] == truth["originalTransactionId"] }
                if same?["has_access"] != truth["hasAccess"] || same?["status"] != truth["status"] {
                    differences.append("the server says \(same ?? .null) of \(truth)")
                }
            }
        }
        let coins = sales.filter { $0.transaction.kind == .consumable }
        if Int(balance) != coins.count {
            differences.append("\(coins.count) consumables, the server counts \(balance)")
        }
        let given = await recorder.deliveries
        for coin in coins where coin.transaction.revocationDate == nil && given[coin.transaction.id] == nil {
            differences.append("\(coin.transaction.id) was paid for and never delivered")
        }
        return differences
    }

    /// Returns all violations, once nothing is pending any more.
    package func violations() async throws -> [String] {
        var violations = await recorder.violations
        let sales = try await sales()
        for (id, given) in await recorder.deliveries {
            let coin = sales.first { $0.transaction.id == id }
            // The app's server delivers a transaction once, because it knows what it has delivered.
            if Set(given).count != 1 || coin?.allowed.isSuperset(of: given) != true {
                violations.append("\(id) of \(coin?.allowed ?? []) was delivered to \(given)")
            }
        }
        for account in [annasAccount, bertsAccount] {
            for change in try await world.timeline(of: account) where change["type"]?.string == "purchase.transferred" {
                let moved = sales.first {
                    String($0.transaction.originalID) == change["original_transaction_id"]?.string
                }
                let mine = change["to"]?.list.contains { $0.string == account } ?? false
                if mine, moved?.mayMove(to: account) != true {
                    violations.append("a purchase moved without a restore: \(change)")
                }
            }
        }
        return violations
    }
}
