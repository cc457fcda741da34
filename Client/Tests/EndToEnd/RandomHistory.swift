import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation

/// Two customers with three devices and an account each, over thirteen months.
package struct RandomHistory: Sendable {
    package let seed: UInt64
    package let anna: String
    package let bert: String
    /// Their accounts in the app.
    package let annasAccount: String
    package let bertsAccount: String
    package let phones: [TestPhone]
    package let recorder = TestRecorder()
    let world: StoreAndServer
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
            let system = Int.random(in: 0..<4, using: &random) == 0 ? 15 : 18
            phones.append(
                TestPhone(
                    name, of: owner, account: account, system: system, in: world, recorder, seed: random.next(),
                    now: now))
        }
        self.phones = phones
        for phone in phones {
            try await install(phone)
            await phone.launch()
        }
    }

    func install(_ phone: TestPhone) async throws {
        let device = #""customer":"\#(phone.owner)","device":"\#(phone.name)""#
        try await world.command(#"{"installApp":{\#(device),"system":\#(phone.system)}}"#)
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// Performs the random events of one day.
    package mutating func runDay() async throws {
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            guard let phone = phones.randomElement(using: &random) else { return }
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<35: await buy(on: phone)
            case 35..<48: await phone.open()
            case 48..<56: await phone.kill()
            case 56..<64: await phone.launch()
            case 64..<72 where phone.owner == bert:
                await phone.signIn(await phone.account == bertsAccount ? annasAccount : bertsAccount)
            case 72..<76: try await disturb(phone)
            case 76..<80: await phone.restore()
            case 80..<82: await phone.signOut()
            default: try await store(phone)
            }
        }
    }

    private mutating func buy(on phone: TestPhone) async {
        // On another customer's device only consumables can be bought: other products follow the Apple account.
        let isGuest = await phone.account != (phone.owner == anna ? annasAccount : bertsAccount)
        let product = isGuest ? "coins.100" : Self.products.randomElement(using: &random) ?? "coins.100"
        await phone.buy("com.example." + product)
    }

    /// Runs a random command that concerns purchases.
    private mutating func store(_ phone: TestPhone) async throws {
        let customer = #""customer":"\#(phone.owner)""#
        let commands = [
            #"{"cancel":{\#(customer)}}"#, #"{"resume":{\#(customer)}}"#, #"{"failBilling":{\#(customer)}}"#,
            #"{"fixBilling":{\#(customer)}}"#, #"{"fixBilling":{\#(customer)}}"#, #"{"askToBuy":{\#(customer)}}"#,
            #"{"stopAskingToBuy":{\#(customer)}}"#, #"{"approvePurchase":{\#(customer)}}"#,
            #"{"approvePurchase":{\#(customer)}}"#, #"{"declinePurchase":{\#(customer)}}"#,
            #"{"requestRefund":{\#(customer)}}"#, #"{"approveRefund":{\#(customer)}}"#,
            // A family of the two customers, and a seat paid by an organization.
            #"{"shareWithFamily":{"customer":"\#(anna)","member":"\#(bert)"}}"#,
            #"{"stopSharing":{"customer":"\#(anna)","member":"\#(bert)"}}"#,
            #"{"assignSeat":{\#(customer),"product":"com.example.premium.monthly"}}"#,
        ]
        try await world.command(commands.randomElement(using: &random) ?? "")
    }

    /// Runs a random command that disturbs the device.
    private mutating func disturb(_ phone: TestPhone) async throws {
        let device = #""customer":"\#(phone.owner)","device":"\#(phone.name)""#
        let results = ["cancelled", "failed", "interrupted", "unverified"]
        let commands = [
            #"{"goOffline":{\#(device)}}"#, #"{"goOnline":{\#(device)}}"#, #"{"holdUpdates":{\#(device)}}"#,
            #"{"releaseUpdates":{\#(device),"reversed":\#(chance(50))}}"#, #"{"resendUpdate":{\#(device)}}"#,
            #"{"failVerification":{\#(device)}}"#, #"{"hideRenewals":{\#(device)}}"#,
            #"{"setNextPurchaseResult":{\#(device),"result":"\#(results.randomElement(using: &random) ?? "failed")"}}"#,
        ]
        try await world.command(commands.randomElement(using: &random) ?? "")
    }

    /// Pauses the network of all devices, so that time passes for all at once.
    package func pause() async { for phone in phones { await phone.pause() } }

    package func pass(_ seconds: TimeInterval) async {
        for phone in phones {
            await phone.pass(seconds)
            await phone.resume()
        }
    }
}

extension RandomHistory {
    /// Runs several histories side by side with one store and one server.
    ///
    /// - Returns: The problems by the seed of the history.
    package static func run(_ seeds: some Collection<UInt64>) async throws -> [UInt64: [String]] {
        let world = try await StoreAndServer()
        let result: Result<[UInt64: [String]], any Error>
        do { result = .success(try await run(Array(seeds), in: world)) } catch { result = .failure(error) }
        await world.stop()
        return try result.get()
    }

    /// Whether each day is printed.
    private static let isTraced = ProcessInfo.processInfo.environment["CLIENT_END_TO_END_TRACE"] != nil

    private static func trace(_ text: @autoclosure () async throws -> String) async rethrows {
        if isTraced { FileHandle.standardError.write(Data((try await text() + "\n").utf8)) }
    }

    private static func run(_ seeds: [UInt64], in world: StoreAndServer) async throws -> [UInt64: [String]] {
        var histories: [RandomHistory] = []
        for seed in seeds { histories.append(try await RandomHistory(seed, in: world)) }
        var random = SeededGenerator(seed: seeds.reduce(0) { $0 &* 31 &+ $1 })
        let end = await world.now.addingTimeInterval(396 * 86_400)
        while await world.now < end {
            let date = await world.now
            await trace("\(date)")
            for index in histories.indices { try await histories[index].runDay() }
            switch Int.random(in: 0..<20, using: &random) {
            case 0: await world.killServer()
            case 1, 2: try await world.fail("notification:*", #"{"drop":{}}"#, count: 3)
            case 3: try await world.fail("route:*", #"{"status":{"code":500}}"#, count: 2)
            default: try await world.startServer()
            }
            // Let pending work continue, and let the two seconds pass for which a buy button may wait.
            try await pass(1, histories, in: world)
            try await pass(3, histories, in: world)
            try await pass(Double.random(in: 1...20, using: &random) * 86_400, histories, in: world)
        }
        return try await recoverAndCheck(histories, in: world)
    }

    private static func pass(
        _ seconds: TimeInterval, _ histories: [RandomHistory], in world: StoreAndServer
    ) async throws {
        for history in histories { await history.pause() }
        try await world.advance(by: seconds)
        for history in histories { await history.pass(seconds) }
    }

    private static func recoverAndCheck(
        _ histories: [RandomHistory], in world: StoreAndServer
    ) async throws -> [UInt64: [String]] {
        try await world.startServer()
        try await world.stopFailing()
        for history in histories { try await history.repair() }
        var wrong: [UInt64: [String]] = [:]
        // The App Store retries notifications for 157 hours, and a client waits for a quarter of an hour at most.
        for round in 0..<60 {
            try await pass(round < 10 ? 1800 : 6 * 3600, histories, in: world)
            wrong = [:]
            for history in histories {
                let remaining = try await history.pendingProblems(inRound: round)
                if !remaining.isEmpty { wrong[history.seed] = remaining }
            }
            await trace("\(wrong)")
            if wrong.isEmpty { break }
        }
        for history in histories {
            wrong[history.seed, default: []] += try await history.violations()
            try await trace("history \(history.seed): \(try await history.summary())")
            for phone in history.phones { await phone.kill() }
            if wrong[history.seed]?.isEmpty == false {
                wrong[history.seed]?.append(await history.recorder.recentEvents)
            }
        }
        return wrong.filter { !$0.value.isEmpty }
    }
}
