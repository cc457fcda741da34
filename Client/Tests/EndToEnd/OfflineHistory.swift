import ClientWorld
import CounterfoilClient
import CounterfoilClientTesting
import Foundation

/// The random purchases of a family. After each step every device loses the server, and what it shows at later instants
/// is compared with what the server says about them, from the same facts.
package struct OfflineHistory: Sendable {
    package struct Report: Sendable {
        package var differences: [String] = []
        /// The number of comparisons with active entitlements.
        package var comparisons = 0
        /// The number of entitlements that came from the device's transactions.
        package var grants = 0
    }

    private struct Member: Sendable {
        let name: String
        let account = UUID().uuidString.lowercased()
        let phone: SimulatedDevice
        /// The apps that got an earlier response and none since.
        var earlier: [(app: RestartedApp, asOf: Date)] = []
    }

    private let world: StoreAndServer
    private var members: [Member]
    private var random: SeededGenerator
    private var report = Report()

    private static let products = [
        "premium.monthly", "premium.weekly", "basic.monthly", "unlock", "season.pass", "coins.100",
    ]
    /// The age from which a response no longer overrides the device.
    private static let validity = 25 * hour

    private init(_ seed: UInt64, in world: StoreAndServer) async throws {
        self.world = world
        random = SeededGenerator(seed: seed)
        members = ["anna\(seed)", "bert\(seed)"].map { name in
            Member(
                name: name,
                phone: SimulatedDevice(
                    control: world.control, environment: "production", customer: name, device: "phone"))
        }
        for member in members { try await world.command(#"{"createCustomer":{"customer":"\#(member.name)"}}"#) }
    }

    /// Runs histories side by side with one store and one server.
    package static func run(_ seeds: some Collection<UInt64>) async throws -> [UInt64: Report] {
        let world = try await StoreAndServer()
        let result: Result<[UInt64: Report], any Error>
        do { result = .success(try await run(Array(seeds), in: world)) } catch { result = .failure(error) }
        await world.stop()
        return try result.get()
    }

    private static func run(_ seeds: [UInt64], in world: StoreAndServer) async throws -> [UInt64: Report] {
        var histories: [OfflineHistory] = []
        for seed in seeds { histories.append(try await OfflineHistory(seed, in: world)) }
        var random = SeededGenerator(seed: seeds.reduce(0) { $0 &* 31 &+ $1 })
        for _ in 0..<40 {
            for index in histories.indices { try await histories[index].change() }
            // Short pauses find the last day of a period, in which the App Store may charge the renewal.
            let pauses = [1...60, 3600...43_200, 43_200...864_000, 86_400...2_160_000]
            let pause = pauses.randomElement(using: &random) ?? 1...60
            try await world.advance(by: TimeInterval(Int.random(in: pause, using: &random)))
            for index in histories.indices { try await histories[index].compare() }
        }
        return Dictionary(zip(seeds, histories.map(\.report)), uniquingKeysWith: { first, _ in first })
    }

    // MARK: - Changes

    private mutating func change() async throws {
        let index = Int.random(in: 0..<2, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: try await buy(members[index])
        case 4:
            let seconds = TimeInterval(Int.random(in: 1...2_592_000, using: &random))
            let entitlement = Bool.random(using: &random) ? "premium" : "season"
            let end = await world.now.addingTimeInterval(seconds)
            try await world.grant(entitlement, to: members[index].account, until: end)
            // Only the server knows of a grant, so an app knows it from the next response on.
            members[index].earlier = []
        default: try await perform(on: members[index].name)
        }
    }

    private mutating func buy(_ member: Member) async throws {
        let product = "com.example.\(Self.products.randomElement(using: &random) ?? "unlock")"
        let options = #""appAccountToken":"\#(member.account)","device":"phone""#
        try await world.command(#"{"purchase":{"customer":"\#(member.name)","product":"\#(product)",\#(options)}}"#)
    }

    private mutating func perform(on name: String) async throws {
        let customer = #""customer":"\#(name)""#
        let family = #""customer":"\#(members[0].name)","member":"\#(members[1].name)""#
        let commands = [
            #"{"cancel":{\#(customer)}}"#, #"{"resume":{\#(customer)}}"#, #"{"failBilling":{\#(customer)}}"#,
            #"{"failBilling":{\#(customer)}}"#, #"{"fixBilling":{\#(customer)}}"#, #"{"accelerate":{\#(customer)}}"#,
            #"{"approveRefund":{\#(customer)}}"#, #"{"reverseRefund":{\#(customer)}}"#,
            #"{"extendRenewal":{\#(customer),"days":\#(Int.random(in: 1...60, using: &random))}}"#,
            #"{"shareWithFamily":{\#(family)}}"#, #"{"stopSharing":{\#(family)}}"#,
        ]
        try await world.command(commands.randomElement(using: &random) ?? "")
    }

    // MARK: - Comparisons

    private mutating func compare() async throws {
        for index in members.indices { try await compare(index) }
    }

    private mutating func compare(_ index: Int) async throws {
        let (member, now) = (members[index], await world.now)
        let contents = await DeviceContents(of: member.phone)
        // A fresh app reports all transactions and renewal infos, so both sides have the same facts.
        var app = RestartedApp(member.account)
        let backend = HTTPBackend(server: world.server, key: StoreAndServer.publicKey)
        let answered = await app.start(at: now, with: contents, backend)
        guard answered.source == .server else {
            throw StoreAndServer.Unexpected(description: "\(member.name) got no response: \(answered)")
        }
        let known = Value.object(try await world.customer(member.account))
        let last = now + 2 * year
        let ends: [Date] = known.dates + contents.dates + [now, now + Self.validity, last]
        let instants = Set(ends.flatMap { [$0 - 1, $0 + 1] }.filter { $0 > now }).sorted()
        for instant in instants {
            let said = active(in: try await world.customer(member.account, at: instant))
            if !said.isEmpty { report.comparisons += 1 }
            let shown = active(in: await app.offline(at: instant, with: contents))
            expect(shown == said, "\(member.name) at \(now) shows \(shown) for \(instant), the server says \(said)")
            await compare(member.earlier, of: member.name, at: instant, with: contents, said)
        }
        await setClockBack(app, to: now, from: last, with: contents)
        members[index].earlier = Array((member.earlier + [(app: app, asOf: now)]).suffix(3))
    }

    /// Compares apps whose last response is old. They show all that the server says, and what the response said until
    /// its end, although a change of product may have ended it earlier.
    private mutating func compare(
        _ earlier: [(app: RestartedApp, asOf: Date)], of name: String, at instant: Date, with contents: DeviceContents,
        _ said: [String: Int64]
    ) async {
        // Up to a day before a renewal begins, the device may list it instead of the running period.
        guard contents.all.allSatisfy({ $0.purchaseDate <= instant }) else { return }
        for (app, asOf) in earlier where instant.timeIntervalSince(asOf) > Self.validity {
            let shown = await app.offline(at: instant, with: contents)
            let granted = shown.entitlements.filter { $0.isActive && $0.source == .device }.map(\.key)
            report.grants += granted.count
            // If a refund ends what a purchase gave longer, the app does not know until when the grant lasts.
            let known = said.keys.filter { !app.isGranted($0) }
            let isSame = known.allSatisfy { shown.isActive($0) } && granted.allSatisfy { said[$0] != nil }
            let difference = "\(name) shows \(active(in: shown)) for \(instant), granted \(granted)"
            expect(isSame, "\(difference) after a response of \(asOf), the server says \(said)")
        }
    }

    /// An app that has seen a later time continues from there.
    private mutating func setClockBack(
        _ app: RestartedApp, to now: Date, from later: Date, with contents: DeviceContents
    ) async {
        var app = app
        let last = active(in: await app.start(at: later, with: contents, nil))
        let shown = active(in: await app.start(at: now, with: contents, nil))
        expect(shown == last, "after the clock was set back from \(later) to \(now): \(shown) instead of \(last)")
    }

    private mutating func expect(_ condition: Bool, _ difference: String) {
        if !condition { report.differences.append(difference) }
    }

    /// The active entitlements of a device, with their ends in milliseconds.
    private func active(in customer: Customer) -> [String: Int64] {
        var active: [String: Int64] = [:]
        for entitlement in customer.entitlements where entitlement.isActive {
            active[entitlement.key] = entitlement.until?.milliseconds ?? Int64.max
        }
        return active
    }

    /// The active entitlements in the server's document, with their ends in milliseconds.
    private func active(in customer: [String: Value]) -> [String: Int64] {
        var active: [String: Int64] = [:]
        for entitlement in customer["entitlements"]?.list ?? [] where entitlement["is_active"]?.flag == true {
            active[entitlement["key"]?.string ?? ""] = entitlement["until"]?.number.map { Int64($0) } ?? Int64.max
        }
        return active
    }
}

extension Value {
    /// The dates in a document, in which all other numbers are smaller.
    fileprivate var dates: [Date] {
        switch self {
        case .number(let value): value > 1e12 ? [Date(timeIntervalSince1970: value / 1000)] : []
        case .list(let values): values.flatMap(\.dates)
        case .object(let members): members.values.flatMap(\.dates)
        case .text, .bool, .null: []
        }
    }
}
