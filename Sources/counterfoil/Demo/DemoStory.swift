internal import Ledger
internal import Basics
import AppStoreModels
import Foundation
import StoreSimulator

/// What happens in the demo, month by month.
struct DemoStory {
    /// The month, counted from 1, in which everything goes wrong.
    private static let troubled = 7
    private static let months = 13

    let world: DemoWorld
    private let cast: DemoCast
    let teller: DemoTeller
    private var report = DemoReport()
    private var next = 0
    /// What everybody had while the server was down.
    private var outage: (date: Date, states: [CustomerState])?
    /// Whose timeline is told.
    private(set) var protagonist: DemoCast.Customer

    init(_ world: DemoWorld, _ cast: DemoCast, _ teller: DemoTeller) {
        (self.world, self.cast, self.teller) = (world, cast, teller)
        protagonist = cast.customers[0]
    }

    mutating func tell() async throws -> DemoReport {
        let begin = ContinuousClock.now
        (report.customers, report.months) = (cast.customers.count, Self.months)
        teller.chapter("An App Store and a server, over HTTP on this machine")
        teller.line("App Store  \(world.simulator.information.baseURLs.production)")
        teller.line("server     \(world.url), ledger in \(world.database)")
        teller.chapter("\(cast.customers.count) customers live \(Self.months) months")
        teller.line(teller.faint("month      customers  paying  notifications  arrived"))
        for month in 1...Self.months {
            if month == Self.troubled { try await liveThroughTrouble() } else { try await live(until: month) }
            if month == Self.troubled { try await closeTheGap() }
        }
        try await finish()
        report.seconds = begin.duration(to: .now).seconds
        teller.line()
        teller.line("\(Self.months) months in \(Self.text(report.seconds)) seconds")
        return report
    }

    // MARK: - Time passes

    /// The first day after a month.
    private func end(of month: Int) -> Date { Period(month, .month)?.after(DemoWorld.start) ?? DemoWorld.start }

    private mutating func live(until month: Int) async throws {
        try await live(to: end(of: month))
        tellMonth(month)
    }

    /// Everybody does what they do until then.
    private mutating func live(to date: Date) async throws {
        while next < cast.deeds.count, DemoWorld.start + cast.deeds[next].time <= date {
            let deed = cast.deeds[next]
            next += 1
            try await world.simulator.advance(to: max(world.simulator.now, DemoWorld.start + deed.time))
            // Some cannot do what they want: fate does not know what they have, and a server that is down signs nothing.
            do { try await world.simulator.perform(signed(deed.command)) } catch is StoreError {} catch is Refusal {}
        }
        try await world.simulator.advance(to: max(world.simulator.now, date))
    }

    private struct OfferRequest: Encodable {
        var product_id: String
        var offer_id: String
    }

    private struct OfferAnswer: Decodable { var jws: String }

    /// The command, with what the server has to sign for it.
    private func signed(_ command: StoreCommand) async throws -> StoreCommand {
        guard case .purchase(let customer, let product, _, let offer?, _, let account?, _, _, _, _, _) = command,
            let id = account.id
        else { return command }
        try await world.settle()
        let answer: OfferAnswer = try await world.client.post(
            "/v1/customers/\(id.uuidString.lowercased())/offers/promotional",
            OfferRequest(product_id: product, offer_id: offer))
        return .purchase(
            customer: customer, product: product, offer: offer, appAccountToken: account, signature: .jws(answer.jws))
    }

    private func tellMonth(_ month: Int, _ remark: String = "") {
        let name = Self.month(end(of: month - 1))
        let states = world.simulator.states()
        let paying = states.count { $0.subscriptions.contains(where: \.hasAccess) }
        let (signed, arrived) = counts
        let columns = [states.count, paying, signed, arrived].map(String.init)
        let widths = [9, 6, 13, 7]
        let numbers = zip(columns, widths).map { String(repeating: " ", count: max(0, $1 - $0.count)) + $0 }
        teller.line("\(name)   \(numbers.joined(separator: "  "))\(remark.isEmpty ? "" : "  " + remark)")
    }

    private var counts: (signed: Int, arrived: Int) {
        world.simulator.core.read(.production) { store, _ in
            (store.notifications.count, store.notifications.count(where: \.isDelivered))
        }
    }

    private static func month(_ date: Date) -> String { String(date.readable.prefix(7)) + " " }

    private static func text(_ seconds: Double) -> String { String(format: "%.1f", seconds) }
}

// MARK: - Trouble

extension DemoStory {
    /// A tenth of the notifications get lost on the way, and for three days the server is down.
    private mutating func liveThroughTrouble() async throws {
        let fault = try world.simulator.add(Fault("notification:*", .drop, probability: 0.1))
        let begin = end(of: Self.troubled - 1) + 12 * 86_400
        try await live(to: begin)
        try await world.stopServer()
        try await live(to: begin + 1.5 * 86_400)
        outage = (world.simulator.now, world.simulator.states())
        try await live(to: begin + 3 * 86_400)
        try await world.startServer()
        try await live(to: end(of: Self.troubled))
        try world.simulator.removeFault(fault)
        try await claimSharedPurchases()
        tellMonth(Self.troubled, teller.bad("server down for 3 days, 1 in 10 lost"))
    }

    private mutating func closeTheGap() async throws {
        try await world.settle()
        let agreement = DemoAgreement(cast: cast, client: world.client)
        let truth = world.simulator.states()
        let before = try await agreement.differences(truth)
        report.wrongBeforeRecovery = before.count
        teller.line()
        teller.line("Of \(before.count) customers the server does not know what the App Store knows.")
        if let example = before.first {
            teller.line(teller.faint("  \(example.customer), by the App Store: \(example.truth)"))
            teller.line(teller.faint("  \(example.customer), by the server:    \(example.known)"))
        }
        let begin = ContinuousClock.now
        try await world.recover()
        report.recoverySeconds = begin.duration(to: .now).seconds
        report.recovered = try await recovered()
        try await claimSharedPurchases()
        let after = try await agreement.differences(truth)
        report.wrongAfterRecovery = after.count
        let verdict = after.isEmpty ? teller.good("none") : teller.bad("\(after.count)")
        teller.line(
            "It asks for the history: \(report.recovered) notifications were missing, found in "
                + "\(Self.text(report.recoverySeconds)) seconds. Now it is \(verdict).")
        tell(after)
        teller.line()
    }

    private struct Run: Decodable { var new: Int }

    private func recovered() async throws -> Int {
        let runs: DemoList<Run> = try await world.client.get("/v1/recoveries")
        return runs.items.reduce(0) { $0 + $1.new }
    }

    private struct Purchases: Decodable { var signedTransactions: [String] }
    private struct Report: Encodable { var signed_transactions: [String] }
    private struct Customer: Decodable { var id: String }

    /// What the family shares names no account of the app. The member's app sends what it finds on the device.
    private func claimSharedPurchases() async throws {
        let customers = Dictionary(cast.customers.map { ($0.name, $0) }) { first, _ in first }
        let control = ControlClient(world.simulator.information)
        for state in world.simulator.states() where state.hasSharedPurchases {
            guard let customer = customers[state.customer] else { continue }
            let purchases: Purchases = try await control.call(
                "GET", ["production", "customers", state.customer, "purchases"])
            let report = Report(signed_transactions: purchases.signedTransactions)
            let _: Customer = try await world.client.post("/v1/customers/\(customer.id)/purchases", report)
        }
    }

    private func tell(_ differences: [DemoAgreement.Difference]) {
        for difference in differences.prefix(5) {
            teller.line(teller.bad(difference.customer))
            teller.line("  by the App Store: \(difference.truth)")
            teller.line("  by the server:    \(difference.known)")
        }
    }
}

extension CustomerState {
    fileprivate var hasSharedPurchases: Bool {
        subscriptions.contains { $0.inAppOwnershipType == .familyShared }
            || purchases.contains { $0.inAppOwnershipType == .familyShared }
    }
}

// MARK: - The end

extension DemoStory {
    private mutating func finish() async throws {
        try await world.recover()
        try await world.settle()
        try await claimSharedPurchases()
        chooseProtagonist()
        try await tellTimeline()
        try await explain()
        try await tellCompleteness()
        try await prove()
    }

    /// Who has lived through the most, best of all something of which the server did not hear in time.
    private mutating func chooseProtagonist() {
        let lives = world.simulator.core.read(.production) { store, _ in
            store.notifications.reduce(into: [String: Set<String>]()) { lives, record in
                guard let customer = record.customer else { return }
                lives[customer, default: []].insert("\(record.type.rawValue) \(record.subtype?.rawValue ?? "")")
                if !record.isDelivered { lives[customer, default: []].formUnion(["lost", "and", "found"]) }
            }
        }
        let most = cast.customers.max { (lives[$0.name]?.count ?? 0) < (lives[$1.name]?.count ?? 0) }
        if let most { protagonist = most }
    }

    private struct Entry: Decodable {
        var occurredAt: Int64
        var sentence: String
        var origin: String?
    }

    private func tellTimeline() async throws {
        teller.chapter("What the server remembers of \(protagonist.name)")
        teller.line(teller.faint("GET /v1/customers/\(protagonist.id)/timeline"))
        let entries: DemoList<Entry> = try await world.client.get("/v1/customers/\(protagonist.id)/timeline?limit=100")
        for entry in entries.items.reversed().suffix(18) {
            let mark = entry.origin == "recovered" ? "  " + teller.good("recovered") : ""
            let day = Date(milliseconds: entry.occurredAt).readable.prefix(10)
            teller.line("\(teller.faint(String(day)))  \(entry.sentence.printable)\(mark)")
        }
    }

    private struct Explanation: Decodable {
        struct Fact: Decodable {
            var kind: String
            var identifier: String
            var role: String
            var origin: String?
        }

        var isActive: Bool
        var rule: String
        var sentence: String
        var facts: [Fact]
    }

    private func explain() async throws {
        let product = try world.simulator.state(of: protagonist.name).subscriptions.last?.productID
        guard let name = product?.split(separator: ".").dropFirst(2).first else { return }
        teller.chapter("Why \(protagonist.name) has \(name), or has not")
        let path = "/v1/customers/\(protagonist.id)/entitlements/\(name)/explain"
        teller.line(teller.faint("GET " + path))
        let answer: Explanation = try await world.client.get(path)
        teller.line(
            "\(answer.isActive ? teller.good("yes") : teller.bad("no")) \(answer.rule): \(answer.sentence.printable)")
        for fact in answer.facts where fact.role == "decides" {
            let origin = fact.origin.map { ", \($0)" } ?? ""
            teller.line("decided by \(fact.kind) \(fact.identifier.printable)\(origin), of \(answer.facts.count) facts")
        }
    }

    private struct Completeness: Decodable {
        var environment: String
        var state: String
        var completeUntil: Int64?
    }

    private func tellCompleteness() async throws {
        teller.chapter("Is anything missing?")
        teller.line(teller.faint("GET /v1/completeness"))
        let list: DemoList<Completeness> = try await world.client.get("/v1/completeness")
        for item in list.items {
            let until = item.completeUntil.map { " until " + Date(milliseconds: $0).readable } ?? ""
            let state = item.state == "complete" ? teller.good(item.state) : item.state
            teller.line("\(item.environment.padded(to: 11)) \(state)\(until)")
        }
    }

    /// Asks about everybody, now, and about every tenth as of the middle of the outage.
    private mutating func prove() async throws {
        teller.chapter("Do they agree?")
        let agreement = DemoAgreement(cast: cast, client: world.client)
        let truth = world.simulator.states()
        let wrong = try await agreement.differences(truth)
        report.wrongAtTheEnd = wrong.count
        tell(wrong, "now", of: truth.count)
        if let outage {
            let some = outage.states.enumerated().filter { $0.offset.isMultiple(of: 10) }.map(\.element)
            let past = try await agreement.differences(some, at: outage.date)
            (report.askedInThePast, report.wrongInThePast) = (some.count, past.count)
            tell(past, "on \(outage.date.readable.prefix(16)), while the server was down", of: some.count)
        }
        let (signed, arrived) = counts
        (report.notifications, report.lost) = (signed, signed - arrived)
        report.agreed =
            report.wrongAfterRecovery + report.wrongAtTheEnd + report.wrongInThePast == 0
            && truth.count == cast.customers.count
        report.newDeviceHasEverything = try await tellDevices()
        report.agreed = report.agreed && report.newDeviceHasEverything
    }

    private func tell(_ wrong: [DemoAgreement.Difference], _ when: String, of count: Int) {
        let verdict = wrong.isEmpty ? teller.good("yes") : teller.bad("no")
        teller.line("\(verdict)  \(count - wrong.count) of \(count) customers, \(when)")
        tell(wrong)
    }
}
