import CounterfoilClient
import CounterfoilClientTesting
import Foundation

/// What has to be true when nothing fails any more.
extension Life {
    /// Everything that was wrong is put right, but for what happened.
    package func heal() async throws {
        for owner in [anna, bert] {
            try await world.command(#"{"stopAskingToBuy":{"customer":"\#(owner)"}}"#)
            while try await world.command(#"{"declinePurchase":{"customer":"\#(owner)"}}"#) {}
        }
        for phone in phones {
            let device = #""customer":"\#(phone.owner)","device":"\#(phone.name)""#
            for command in ["goOnline", "releaseUpdates"] { try await world.command(#"{"\#(command)":{\#(device)}}"#) }
            // What cannot be verified stays so until the app is installed anew.
            await phone.reinstall()
            try await install(phone)
            await phone.heal()
            await phone.signIn(account(of: phone))
            await phone.launch()
        }
    }

    private func account(of phone: TestPhone) -> String { phone.owner == anna ? annasAccount : bertsAccount }

    /// Opens every app, and says what is still to come.
    package func remaining(_ round: Int) async throws -> [String] {
        var remaining: [String] = []
        for phone in phones {
            let unfinished = await phone.unfinished
            // What a guest bought or restored waits for the guest, who comes by every few hours.
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

    /// A transaction of the store, and whose it may be.
    private struct Sold {
        var transaction: DeviceTransaction
        /// The account that the App Store signed it for.
        var named: String?
        /// Who pressed the restore button on a device of the Apple account.
        var restorers: Set<String>
        /// Who may have it.
        var allowed: Set<String>

        /// What the button has moved, whom it was signed for may take back by buying again.
        func mayMove(to account: String) -> Bool {
            restorers.contains(account) || !restorers.isEmpty && account == named
        }
    }

    /// A purchase is theirs whom the App Store names; where it names nobody, as with families and seats, theirs who signed
    /// in on a device of the Apple account. After the restore button, it may be theirs who pressed it.
    private func sold() async throws -> [Sold] {
        var sold: [Sold] = []
        let (guests, restorers) = (await findings.guests, await findings.restorers)
        for owner in [anna, bert] {
            for transaction in try await world.transactions(of: owner) {
                let named = transaction.appAccountToken?.uuidString.lowercased()
                let allowed = named.map { [$0] } ?? guests[owner] ?? []
                let pressed = restorers[owner] ?? []
                sold.append(
                    Sold(
                        transaction: transaction, named: named, restorers: pressed, allowed: allowed.union(pressed)))
            }
        }
        return sold
    }

    /// What there was in this life, so that nobody takes a dull one for a proof.
    package func summary() async throws -> String {
        let sold = try await sold()
        var moved = 0
        for account in [annasAccount, bertsAccount] {
            moved += try await world.timeline(of: account).filter { $0["type"]?.string == "purchase.transferred" }.count
        }
        let systems = phones.map { "\($0.system)" }.joined(separator: ", ")
        let (presses, given) = (await findings.restores, await findings.deliveries)
        return """
            \(sold.count) transactions, \(sold.filter { $0.named == nil }.count) of families and seats, \
            \(given.count) consumables delivered, the button was pressed \(presses) times, purchases moved \(moved) times, \
            systems \(systems)
            """
    }

    /// Where the server does not say what the store says.
    private func differences() async throws -> [String] {
        var differences: [String] = []
        let sold = try await sold()
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
        for sale in sold {
            let found = owners[String(sale.transaction.originalID)] ?? []
            if found.count != 1 || !sale.allowed.isSuperset(of: found) {
                differences.append("\(sale.transaction.originalID) may be \(sale.allowed)'s, and is \(found)'s")
            }
        }
        for id in Set(owners.keys).subtracting(sold.map { String($0.transaction.originalID) }) {
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
        let coins = sold.filter { $0.transaction.kind == .consumable }
        if Int(balance) != coins.count {
            differences.append("\(coins.count) consumables, the server counts \(balance)")
        }
        let given = await findings.deliveries
        for coin in coins where coin.transaction.revocationDate == nil && given[coin.transaction.id] == nil {
            differences.append("\(coin.transaction.id) was paid for and never delivered")
        }
        return differences
    }

    /// What was wrong at any time: looked at when nothing is to come any more.
    package func violations() async throws -> [String] {
        var violations = await findings.violations
        let sold = try await sold()
        for (id, given) in await findings.deliveries {
            let coin = sold.first { $0.transaction.id == id }
            // Once: an app's server knows a transaction that it gave before.
            if Set(given).count != 1 || coin?.allowed.isSuperset(of: given) != true {
                violations.append("\(id) of \(coin?.allowed ?? []) was delivered to \(given)")
            }
        }
        for account in [annasAccount, bertsAccount] {
            for change in try await world.timeline(of: account) where change["type"]?.string == "purchase.transferred" {
                let moved = sold.first {
                    String($0.transaction.originalID) == change["original_transaction_id"]?.string
                }
                let mine = change["to"]?.list.contains { $0.string == account } ?? false
                if mine, moved?.mayMove(to: account) != true {
                    violations.append("a purchase moved and nobody pressed the button: \(change)")
                }
            }
        }
        return violations
    }
}
