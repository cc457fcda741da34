import AppStoreModels
import Basics
import Entitlements
import Foundation
import Testing
import WebConsole

@testable import CounterfoilServer

@Suite struct `Figures of the console` {
    private let engine = EntitlementEngine(catalogue: ProductCatalogue())

    private static func text(_ kept: Int, _ lag: Double, _ count: Int, _ waiting: Int) -> String {
        """
        # HELP counterfoil_notifications_total x
        counterfoil_notifications_total{result="kept",code=""} \(kept)
        counterfoil_notifications_total{result="refused",code="bad signature"} 1
        counterfoil_processing_lag_seconds_bucket{le="1"} 9
        counterfoil_processing_lag_seconds_sum \(lag)
        counterfoil_processing_lag_seconds_count \(count)
        counterfoil_inbox_backlog \(waiting)
        """
    }

    @Test func `Charts show a counter's increase per minute, a gauge's maximum, and a histogram's mean`() throws {
        let history = MetricHistory()
        history.record(Self.text(10, 2, 10, 5), at: 30)
        history.record(Self.text(12, 3, 12, 9), at: 65)
        history.record(Self.text(30, 6, 15, 1), at: 115)
        let charts = Dictionary(history.charts.map { ($0.title, $0.values) }) { first, _ in first }
        #expect(charts["Notifications"] == [20])
        #expect(charts["Waiting to be processed"] == [5, 9])
        #expect(charts["From received to processed"] == [4.0 / 5])
    }

    @Test func `The sentence of a chart has a short time as it is, not as zero`() throws {
        let history = MetricHistory()
        history.record(Self.text(10, 2, 10, 5), at: 30)
        history.record(Self.text(12, 2.01, 12, 9), at: 65)
        let chart = try #require(history.charts.first { $0.title == "From received to processed" })
        #expect(chart.sentence == "0.005 s on average now, 0.005 at most")
    }

    @Test func `A minute without a value is a gap in the chart of a mean, not zero`() throws {
        let history = MetricHistory()
        let recorded: [(lag: Double, count: Int)] = [(2, 10), (6, 12), (6, 12), (7, 13), (7, 13)]
        for (minute, sum) in recorded.enumerated() {
            history.record(Self.text(10, sum.lag, sum.count, 5), at: minute * 60)
        }
        let chart = try #require(history.charts.first { $0.title == "From received to processed" })
        #expect(chart.values == [2, nil, 1, nil])
        #expect(chart.sentence == "no value now, 2 s on average at most")
        let html = try PageLibrary(["page": "{{#a}}{{>drawing}}{{/a}}"]).render("page", ["a": .drawing(chart.drawing)])
        #expect(html.matches(of: /<polyline\b/).count == 2)
        let empty = try #require(history.charts.first { $0.title == "Acknowledgement" })
        #expect(empty.sentence == "no value in this hour")
    }

    @Test func `A minute without a value is null in the API`() async throws {
        try await World.withConsole { world, _ in
            let history = try world.server.core.history
            for minute in 100...102 {
                history.record("counterfoil_processing_lag_seconds_count 0", at: minute * 60)
            }
            let charts = try await world.api.get("/v1/operations/metrics").items
            let chart = try #require(charts.first { $0["title"] as? String == "From received to processed" })
            let values = try #require(chart["values"] as? [Any])
            #expect(values.contains { $0 is NSNull })
        }
    }

    @Test func `A chart without a value above zero has a line at the bottom, and zero as its maximum`() throws {
        let history = MetricHistory()
        for minute in 0..<2 { history.record(Self.text(10, 2, 10, 0), at: minute * 60) }
        let chart = try #require(history.charts.first { $0.title == "Waiting to be processed" })
        let html = try PageLibrary(["page": "{{#a}}{{>drawing}}{{/a}}"]).render("page", ["a": .drawing(chart.drawing)])
        #expect(html.contains(">0 notifications<") && html.contains(",90 100,90\"/>"))
    }

    @Test func `Charts show the last hour`() throws {
        let history = MetricHistory()
        for minute in 0..<200 { history.record(Self.text(minute, 0, 0, minute), at: minute * 60) }
        let charts = Dictionary(history.charts.map { ($0.title, $0.values) }) { first, _ in first }
        #expect(charts["Waiting to be processed"] == (140..<200).map { Optional(Double($0)) })
        #expect(charts["Notifications"] == Array(repeating: 1, count: 60))
    }

    @Test
    func `A subscription has a bar for each period, grace period and retry period, and none ends before it starts`()
        throws
    {
        let start = Date(timeIntervalSince1970: 1_750_000_000)
        func bought(_ days: Double, _ change: (inout TransactionFact) -> Void = { _ in }) -> TransactionFact {
            var fact = TransactionFact(
                transactionID: "\(days)", originalTransactionID: "1", productID: "monthly",
                type: .autoRenewableSubscription,
                purchaseDate: start + days * 86_400, expiresDate: start + (days + 30) * 86_400, signedDate: start)
            change(&fact)
            return fact
        }
        var facts = CustomerFacts()
        facts.transactions = [
            bought(90), bought(0) { $0.offerDiscountType = .freeTrial }, bought(30) { $0.isUpgraded = true },
            bought(60) { $0.revocationDate = start },
        ]
        var renewal = RenewalFact(
            originalTransactionID: "1", productID: "monthly", autoRenewProductID: "monthly", willRenew: true,
            signedDate: start + 120 * 86_400)
        (renewal.isInBillingRetry, renewal.gracePeriodExpiresDate) = (true, start + 126 * 86_400)
        facts.renewals = [renewal]
        var json = JSONWriter()
        let states = engine.state(of: facts, asOf: start + 300 * 86_400)
        json.array(PurchasePeriods.all(of: facts, states)) { $1.write(to: &$0) }
        let rows = PeriodRows.rows(of: APIValue(json: Data(json.bytes)).items)
        #expect(rows.map(\.label) == ["monthly"])
        let bars = try #require(rows.first?.bars)
        #expect(bars.map(\.kind) == [.trial, .upgraded, .refunded, .paid, .grace, .retry])
        #expect(bars.allSatisfy { $0.start < $0.end ?? .distantFuture })
        // The App Store gives up after sixty days.
        #expect(bars.last?.end == start + 180 * 86_400)
    }

    @Test(arguments: [
        (3_542_400.0019999743, "3542400.002"), (4.4808889999999995, "4.481"), (0.00025, "0.00025"),
        (12_063_392.0, "12,063,392"),
    ])
    func `Values of metrics are shown with at most three digits after the point`(value: Double, text: String) {
        #expect(OperationsPage.text(of: value) == text)
    }

    @Test func `A purchase shows its last hundred periods and the number of omitted ones`() throws {
        let start = Date(timeIntervalSince1970: 1_600_000_000)
        var facts = CustomerFacts()
        facts.transactions = (0..<130).map { week in
            TransactionFact(
                transactionID: "\(week)", originalTransactionID: "0", productID: "weekly",
                type: .autoRenewableSubscription, purchaseDate: start + Double(week) * 604_800,
                expiresDate: start + Double(week + 1) * 604_800, signedDate: start)
        }
        let all = PurchasePeriods.all(of: facts, engine.state(of: facts, asOf: start))
        #expect(all.map(\.omitted) == [30])
        #expect(all.map(\.periods.count) == [100])
        #expect(all.first?.periods.first?.start == start + 30 * 604_800)
        #expect(all.first?.periods.last?.end == start + 130 * 604_800)
    }
}
