import AppStoreModels
internal import Basics
import Foundation
import StoreSimulator

/// Runs the demo, month by month, and prints its progress.
struct DemoRun {
    /// The month, counted from 1, with the outage and the lost notifications.
    private static let outageMonth = 7
    private static let months = 13

    let services: DemoServices
    private let plan: DemoPlan
    let output: DemoOutput
    private var report = DemoReport()
    private var nextCommand = 0
    /// The customers' states in the App Store at an instant of the outage.
    private var outage: (date: Date, states: [CustomerState])?
    /// The customer whose timeline and entitlement are printed.
    private(set) var featuredCustomer: DemoPlan.Customer

    init(_ services: DemoServices, _ plan: DemoPlan, _ output: DemoOutput) {
        (self.services, self.plan, self.output) = (services, plan, output)
        featuredCustomer = plan.customers[0]
    }

    mutating func run() async throws -> DemoReport {
        let begin = ContinuousClock.now
        (report.customers, report.months) = (plan.customers.count, Self.months)
        output.heading("An App Store and a server, over HTTP on this machine")
        output.line("App Store  \(services.simulator.information.baseURLs.production)")
        output.line("server     \(services.url), ledger in \(services.database)")
        output.heading("\(plan.customers.count) customers, \(Self.months) months")
        output.line(output.faint("month      customers  paying  notifications  arrived"))
        for month in 1...Self.months {
            if month == Self.outageMonth { try await simulateOutage() } else { try await simulate(month: month) }
            if month == Self.outageMonth { try await recoverAndCompare() }
        }
        try await finish()
        report.seconds = begin.duration(to: .now).seconds
        output.line()
        output.line("\(Self.months) months in \(Self.text(report.seconds)) seconds")
        return report
    }

    // MARK: - Simulated months

    /// The instant at which a month ends, counted from 1.
    private func end(of month: Int) -> Date {
        Period(month, .month)?.date(after: DemoServices.start) ?? DemoServices.start
    }

    private mutating func simulate(month: Int) async throws {
        try await simulate(until: end(of: month))
        printMonth(month)
    }

    /// Advances the App Store's clock to `date` and performs the commands that are due.
    private mutating func simulate(until date: Date) async throws {
        while nextCommand < plan.commands.count, DemoServices.start + plan.commands[nextCommand].time <= date {
            let scheduled = plan.commands[nextCommand]
            nextCommand += 1
            try await services.simulator.advance(to: max(services.simulator.now, DemoServices.start + scheduled.time))
            // Ignore failures: the plan does not know what a customer has, and a stopped server signs no offers.
            do {
                try await services.simulator.perform(withSignature(scheduled.command))
            } catch is StoreError {} catch is Refusal {}
        }
        try await services.simulator.advance(to: max(services.simulator.now, date))
    }

    /// Returns the command with the server's signature if it redeems a promotional offer, otherwise unchanged.
    private func withSignature(_ command: StoreCommand) async throws -> StoreCommand {
        guard case .purchase(let customer, let product, _, let offer?, _, let account?, _, _, _, _, _) = command,
            let id = account.id
        else { return command }
        try await services.waitUntilIdle()
        let response: OfferResponse = try await services.client.post(
            "/v1/customers/\(id.text)/offers/promotional",
            OfferRequest(product_id: product, offer_id: offer))
        return .purchase(
            customer: customer, product: product, offer: offer, appAccountToken: account, signature: .jws(response.jws))
    }

    private func printMonth(_ month: Int, _ remark: String = "") {
        let name = Self.month(end(of: month - 1))
        let states = services.simulator.states()
        let paying = states.count { $0.subscriptions.contains(where: \.hasAccess) }
        let (signed, arrived) = notificationCounts
        let columns = [(states.count, 9), (paying, 6), (signed, 13), (arrived, 7)]
        let numbers = columns.map { number, width in "\(number)".leftPadded(to: width) }
        output.line("\(name)   \(numbers.joined(separator: "  "))\(remark.isEmpty ? "" : "  " + remark)")
    }

    private var notificationCounts: (signed: Int, arrived: Int) {
        services.simulator.core.read(.production) { store, _ in
            (store.notifications.count, store.notifications.count(where: \.isDelivered))
        }
    }

    private static func month(_ date: Date) -> String { String(date.readable.prefix(7)) + " " }

    private static func text(_ seconds: Double) -> String { String(format: "%.1f", seconds) }
}

// MARK: - Outage and recovery

extension DemoRun {
    /// Simulates a month in which a tenth of the notifications is lost and the server is down for three days.
    private mutating func simulateOutage() async throws {
        let fault = try services.simulator.add(Fault("notification:*", .drop, probability: 0.1))
        let begin = end(of: Self.outageMonth - 1) + 12 * 86_400
        try await simulate(until: begin)
        try await services.stopServer()
        try await simulate(until: begin + 1.5 * 86_400)
        outage = (services.simulator.now, services.simulator.states())
        try await simulate(until: begin + 3 * 86_400)
        try await services.startServer()
        try await simulate(until: end(of: Self.outageMonth))
        try services.simulator.removeFault(fault)
        try await claimSharedPurchases()
        printMonth(Self.outageMonth, output.bad("server down for 3 days, 1 in 10 lost"))
    }

    private mutating func recoverAndCompare() async throws {
        try await services.waitUntilIdle()
        let comparison = DemoComparison(plan: plan, client: services.client)
        let truth = services.simulator.states()
        let before = try await comparison.differences(truth)
        report.wrongBeforeRecovery = before.count
        output.line()
        output.line(
            "Before recovery, the server's data is wrong for \(before.count) \(before.count.noun("customer")).")
        if let example = before.first {
            output.line(output.faint("  \(example.customer), App Store: \(example.appStore)"))
            output.line(output.faint("  \(example.customer), server:    \(example.server)"))
        }
        let begin = ContinuousClock.now
        try await services.recover()
        report.recoverySeconds = begin.duration(to: .now).seconds
        report.recovered = try await recovered()
        try await claimSharedPurchases()
        let after = try await comparison.differences(truth)
        report.wrongAfterRecovery = after.count
        let verdict = after.isEmpty ? output.good("none") : output.bad("\(after.count)")
        output.line(
            "Recovery fetched \(report.recovered) missed notifications from the App Store's history in "
                + "\(Self.text(report.recoverySeconds)) seconds. Customers with wrong data now: \(verdict).")
        printDifferences(after)
        output.line()
    }

    private struct Run: Decodable { var new: Int }

    private func recovered() async throws -> Int {
        let runs: ListPage<Run> = try await services.client.get("/v1/recoveries")
        return runs.items.reduce(0) { $0 + $1.new }
    }

    private struct Purchases: Decodable { var signedTransactions: [String] }
    private struct Customer: Decodable { var id: String }

    /// Reports shared purchases to the server, as the family member's app does: they have no app account token.
    private func claimSharedPurchases() async throws {
        let customers = Dictionary(plan.customers.map { ($0.name, $0) }) { first, _ in first }
        let control = ControlClient(services.simulator.information)
        for state in services.simulator.states() where state.hasSharedPurchases {
            guard let customer = customers[state.customer] else { continue }
            let purchases: Purchases = try await control.call(
                "GET", ["production", "customers", state.customer, "purchases"])
            let report = DeviceReport(signed_transactions: purchases.signedTransactions)
            let _: Customer = try await services.client.post("/v1/customers/\(customer.id)/purchases", report)
        }
    }

    private func printDifferences(_ differences: [DemoComparison.Difference]) {
        for difference in differences.prefix(5) {
            output.line(output.bad(difference.customer))
            output.line("  App Store: \(difference.appStore)")
            output.line("  server:    \(difference.server)")
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

extension DemoRun {
    private mutating func finish() async throws {
        try await services.recover()
        try await services.waitUntilIdle()
        try await claimSharedPurchases()
        chooseFeaturedCustomer()
        try await printTimeline()
        try await printExplanation()
        try await printCompleteness()
        try await compareAtEnd()
    }

    /// Chooses the customer with the most kinds of notifications. A lost notification counts as three more kinds.
    private mutating func chooseFeaturedCustomer() {
        let kinds = services.simulator.core.read(.production) { store, _ in
            store.notifications.reduce(into: [String: Set<String>]()) { kinds, record in
                guard let customer = record.customer else { return }
                kinds[customer, default: []].insert("\(record.type.rawValue) \(record.subtype?.rawValue ?? "")")
                if !record.isDelivered { kinds[customer, default: []].formUnion(["lost", "and", "found"]) }
            }
        }
        let most = plan.customers.max { (kinds[$0.name]?.count ?? 0) < (kinds[$1.name]?.count ?? 0) }
        if let most { featuredCustomer = most }
    }

    /// Compares all customers now, and every tenth customer at an instant of the outage.
    private mutating func compareAtEnd() async throws {
        output.heading("Do the App Store and the server agree?")
        let comparison = DemoComparison(plan: plan, client: services.client)
        let truth = services.simulator.states()
        let wrong = try await comparison.differences(truth)
        report.wrongAtTheEnd = wrong.count
        printVerdict(wrong, "now", of: truth.count)
        if let outage {
            let some = outage.states.enumerated().filter { $0.offset.isMultiple(of: 10) }.map(\.element)
            let past = try await comparison.differences(some, at: outage.date)
            (report.askedInThePast, report.wrongInThePast) = (some.count, past.count)
            printVerdict(past, "on \(outage.date.readable.prefix(16)), while the server was down", of: some.count)
        }
        let (signed, arrived) = notificationCounts
        (report.notifications, report.lost) = (signed, signed - arrived)
        report.newDeviceHasEverything = try await simulateNewDevice()
        report.agreed =
            report.wrongAfterRecovery + report.wrongAtTheEnd + report.wrongInThePast == 0
            && truth.count == plan.customers.count && report.newDeviceHasEverything
    }

    private func printVerdict(_ wrong: [DemoComparison.Difference], _ when: String, of count: Int) {
        let verdict = wrong.isEmpty ? output.good("yes") : output.bad("no")
        output.line("\(verdict)  \(count - wrong.count) of \(count) customers, \(when)")
        printDifferences(wrong)
    }
}
