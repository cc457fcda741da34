import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation

/// Two customers with three devices and an account each, over thirteen months.
package struct Life: Sendable {
    package let seed: UInt64
    package let anna: String
    package let bert: String
    /// Their accounts in the app.
    package let annasAccount: String
    package let bertsAccount: String
    package let phones: [TestPhone]
    package let findings = Findings()
    private let world: StoreAndServer
    private var random: SeededGenerator

    private static let products = ["premium.monthly", "unlock", "season.pass", "coins.100", "coins.100", "coins.100"]

    package init(_ seed: UInt64, in world: StoreAndServer) async throws {
        self.seed = seed
        self.world = world
        random = SeededGenerator(seed: seed)
        (anna, bert) = ("anna\(seed)", "bert\(seed)")
        func account(_ random: inout SeededGenerator) -> String {
            let words = (0..<2).map { _ in String(format: "%016lx", random.next()) }.joined()
            let text = Array(words).map(String.init)
            let parts = [text[0..<8], text[8..<12], ["4"] + text[13..<16], ["8"] + text[17..<20], text[20..<32]]
            return parts.map { $0.joined() }.joined(separator: "-")
        }
        (annasAccount, bertsAccount) = (account(&random), account(&random))
        let now = await world.now
        let places = [(anna, "phone", annasAccount), (anna, "tablet", annasAccount), (bert, "phone", bertsAccount)]
        var phones: [TestPhone] = []
        for (owner, name, account) in places {
            try await world.command(#"{"installApp":{"customer":"\#(owner)","device":"\#(name)"}}"#)
            phones.append(
                TestPhone(name, of: owner, account: account, in: world, findings, seed: random.next(), now: now))
        }
        self.phones = phones
        for phone in phones { await phone.launch() }
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// What happens on one day.
    package mutating func happen() async throws {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            guard let phone = phones.randomElement(using: &random) else { return }
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<35: await buy(on: phone)
            case 35..<50: await phone.open()
            case 50..<60: await phone.kill()
            case 60..<68: await phone.launch()
            case 68..<72 where phone.owner == bert:
                await phone.signIn(await phone.account == bertsAccount ? annasAccount : bertsAccount)
            case 72..<76: try await trouble(phone)
            default: try await store(phone)
            }
        }
    }

    private mutating func buy(on phone: TestPhone) async {
        // On somebody else's device there is nothing to buy but what is used up: the rest goes by the Apple account.
        let isGuest = await phone.account != (phone.owner == anna ? annasAccount : bertsAccount)
        let product = isGuest ? "coins.100" : Self.products.randomElement(using: &random) ?? "coins.100"
        await phone.buy("com.example." + product)
    }

    /// Something happens to the purchases.
    private mutating func store(_ phone: TestPhone) async throws {
        let customer = #""customer":"\#(phone.owner)""#
        let commands = [
            #"{"cancel":{\#(customer)}}"#, #"{"resume":{\#(customer)}}"#, #"{"failBilling":{\#(customer)}}"#,
            #"{"fixBilling":{\#(customer)}}"#, #"{"fixBilling":{\#(customer)}}"#, #"{"askToBuy":{\#(customer)}}"#,
            #"{"stopAskingToBuy":{\#(customer)}}"#, #"{"approvePurchase":{\#(customer)}}"#,
            #"{"approvePurchase":{\#(customer)}}"#, #"{"declinePurchase":{\#(customer)}}"#,
            #"{"requestRefund":{\#(customer)}}"#, #"{"approveRefund":{\#(customer)}}"#,
        ]
        try await world.command(commands.randomElement(using: &random) ?? "")
    }

    /// Something is wrong with the device.
    private mutating func trouble(_ phone: TestPhone) async throws {
        let device = #""customer":"\#(phone.owner)","device":"\#(phone.name)""#
        let results = ["cancelled", "failed", "interrupted", "unverified"]
        let commands = [
            #"{"goOffline":{\#(device)}}"#, #"{"goOnline":{\#(device)}}"#, #"{"holdUpdates":{\#(device)}}"#,
            #"{"releaseUpdates":{\#(device),"reversed":\#(chance(50))}}"#, #"{"repeatUpdate":{\#(device)}}"#,
            #"{"breakVerification":{\#(device)}}"#, #"{"hideRenewals":{\#(device)}}"#,
            #"{"planPurchase":{\#(device),"result":"\#(results.randomElement(using: &random) ?? "failed")"}}"#,
        ]
        try await world.command(commands.randomElement(using: &random) ?? "")
    }

    /// Time passes for all devices at once.
    package func pause() async { for phone in phones { await phone.pause() } }

    package func pass(_ seconds: TimeInterval) async {
        for phone in phones {
            await phone.pass(seconds)
            await phone.resume()
        }
    }

    // MARK: - The end

    /// Everything that was wrong is put right, but for what happened.
    package func heal() async throws {
        for owner in [anna, bert] {
            try await world.command(#"{"stopAskingToBuy":{"customer":"\#(owner)"}}"#)
            while try await world.command(#"{"declinePurchase":{"customer":"\#(owner)"}}"#) {}
        }
        for phone in phones {
            let device = #""customer":"\#(phone.owner)","device":"\#(phone.name)""#
            for command in ["goOnline", "releaseUpdates"] { try await world.command(#"{"\#(command)":{\#(device)}}"#) }
            // What cannot be verified stays so until the app is installed anew; nobody presses the button here.
            await phone.reinstall()
            try await world.command(#"{"installApp":{\#(device)}}"#)
            await phone.heal()
            await phone.signIn(phone.owner == anna ? annasAccount : bertsAccount)
            await phone.launch()
        }
    }

    /// Opens every app, and says what is still to come.
    package func remaining() async throws -> [String] {
        var remaining: [String] = []
        for phone in phones {
            let unfinished = await phone.unfinished
            // What a guest bought waits for the guest.
            let owner = phone.owner == anna ? annasAccount : bertsAccount
            let waiting = unfinished.compactMap { $0.appAccountToken?.uuidString.lowercased() }
            let account = waiting.isEmpty || waiting.contains(owner) ? owner : waiting[0]
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

    /// Where the server does not say what the store says.
    private func differences() async throws -> [String] {
        var differences: [String] = []
        var sold: [DeviceTransaction] = []
        for owner in [anna, bert] { sold += try await world.transactions(of: owner) }
        for (owner, account) in [(anna, annasAccount), (bert, bertsAccount)] {
            let known = try await world.customer(account)
            let own = sold.filter { $0.appAccountToken?.uuidString.lowercased() == account }
            let ids = Set(own.map { String($0.originalID) })
            let subscriptions = known["subscriptions"]?.list ?? []
            let purchases = known["purchases"]?.list ?? []
            let found = Set((subscriptions + purchases).compactMap { $0["original_transaction_id"]?.string })
            if ids != found {
                differences.append("\(account) bought \(ids.sorted()), the server has \(found.sorted())")
            }
            let truth = try await world.state(of: owner)
            for subscription in truth["subscriptions"]?.list ?? [] {
                let id = subscription["originalTransactionId"]
                let same = subscriptions.first { $0["original_transaction_id"] == id }
                if same?["has_access"] != subscription["hasAccess"] || same?["status"] != subscription["status"] {
                    differences.append("the server says \(same ?? .null) of \(subscription)")
                }
            }
            let coins = own.filter { $0.kind == .consumable }
            let balance = (known["consumables"]?.list ?? []).compactMap { $0["purchases"]?.number }.reduce(0, +)
            if Int(balance) != coins.count {
                differences.append("\(coins.count) consumables, the server counts \(balance)")
            }
            let given = await findings.deliveries
            for coin in coins where coin.revocationDate == nil && given[coin.id]?.contains(account) != true {
                differences.append("\(coin.id) was paid by \(account) and delivered to \(given[coin.id] ?? [])")
            }
        }
        return differences
    }

    /// What was wrong at any time: looked at when nothing is to come any more.
    package func violations() async throws -> [String] {
        var violations = await findings.violations
        var accounts: [UInt64: String] = [:]
        for owner in [anna, bert] {
            for transaction in try await world.transactions(of: owner) {
                accounts[transaction.id] = transaction.appAccountToken?.uuidString.lowercased()
            }
        }
        for (id, given) in await findings.deliveries where Set(given) != [accounts[id] ?? ""] {
            violations.append("\(id) of \(accounts[id] ?? "nobody") was delivered to \(given)")
        }
        for account in [annasAccount, bertsAccount] {
            let moved = try await world.timeline(of: account).filter { $0["type"]?.string == "purchase.transferred" }
            if !moved.isEmpty { violations.append("purchases moved and nobody pressed the button: \(moved)") }
        }
        return violations
    }
}

extension Life {
    /// Lives several lives side by side, in one store and with one server.
    ///
    /// - Returns: What was wrong, by the seed of the life.
    package static func live(_ seeds: some Collection<UInt64>) async throws -> [UInt64: [String]] {
        let world = try await StoreAndServer()
        let result: Result<[UInt64: [String]], any Error>
        do { result = .success(try await live(Array(seeds), in: world)) } catch { result = .failure(error) }
        await world.stop()
        return try result.get()
    }

    /// Whether each day is told while it is lived.
    private static let isTraced = ProcessInfo.processInfo.environment["CLIENT_WHOLE_TRACE"] != nil

    private static func trace(_ text: @autoclosure () -> String) {
        if isTraced { FileHandle.standardError.write(Data((text() + "\n").utf8)) }
    }

    private static func live(_ seeds: [UInt64], in world: StoreAndServer) async throws -> [UInt64: [String]] {
        var lives: [Life] = []
        for seed in seeds { lives.append(try await Life(seed, in: world)) }
        var random = SeededGenerator(seed: seeds.reduce(0) { $0 &* 31 &+ $1 })
        let end = await world.now.addingTimeInterval(396 * 86_400)
        while await world.now < end {
            let date = await world.now
            trace("\(date)")
            for index in lives.indices { try await lives[index].happen() }
            switch Int.random(in: 0..<20, using: &random) {
            case 0: await world.killServer()
            case 1, 2: try await world.fail("notification:*", #"{"drop":{}}"#, count: 3)
            case 3: try await world.fail("route:*", #"{"status":{"code":500}}"#, count: 2)
            default: try await world.startServer()
            }
            // What was begun goes on for a while, and the two seconds for which a buy button may wait pass.
            try await pass(1, lives, in: world)
            try await pass(3, lives, in: world)
            try await pass(Double.random(in: 1...20, using: &random) * 86_400, lives, in: world)
        }
        return try await settle(lives, in: world)
    }

    private static func pass(_ seconds: TimeInterval, _ lives: [Life], in world: StoreAndServer) async throws {
        for life in lives { await life.pause() }
        try await world.advance(by: seconds)
        for life in lives { await life.pass(seconds) }
    }

    private static func settle(_ lives: [Life], in world: StoreAndServer) async throws -> [UInt64: [String]] {
        try await world.startServer()
        try await world.stopFailing()
        for life in lives { try await life.heal() }
        var wrong: [UInt64: [String]] = [:]
        // Notifications come again for 157 hours, and a client waits for a quarter of an hour at most.
        for round in 0..<60 {
            try await pass(round < 10 ? 1800 : 6 * 3600, lives, in: world)
            wrong = [:]
            for life in lives {
                let remaining = try await life.remaining()
                if !remaining.isEmpty { wrong[life.seed] = remaining }
            }
            trace("\(wrong)")
            if wrong.isEmpty { break }
        }
        for life in lives {
            wrong[life.seed, default: []] += try await life.violations()
            for phone in life.phones { await phone.kill() }
            if wrong[life.seed]?.isEmpty == false { wrong[life.seed]?.append(await life.findings.story) }
        }
        return wrong.filter { !$0.value.isEmpty }
    }
}
