internal import AppStoreModels
import Foundation
import StoreSimulator
import Testing

@Suite struct `Renewal rates` {
    /// A row of Apple's tables, in seconds: a week, 1, 2, 3, 6 and 12 months, the weekly and the other grace period,
    /// billing retry.
    struct Row: CustomTestStringConvertible {
        let rate: RenewalRate
        let periods: [Double]
        let grace: (weekly: Double, other: Double)
        let retry: Double
        var testDescription: String { rate.rawValue }

        init(_ rate: RenewalRate, _ periods: [Double], _ weekly: Double, _ other: Double, _ retry: Double) {
            (self.rate, self.periods, grace, self.retry) = (rate, periods, (weekly, other), retry)
        }
    }

    static let rows: [Row] = [
        Row(.monthlyEvery3Minutes, [3, 3, 6, 9, 18, 36].map { $0 * 60 }, 154, 90, 360),
        Row(.monthlyEvery5Minutes, [3, 5, 10, 15, 30, 60].map { $0 * 60 }, 154, 150, 600),
        Row(.monthlyEvery15Minutes, [5, 15, 30, 45, 90, 180].map { $0 * 60 }, 257, 450, 1800),
        Row(.monthlyEvery30Minutes, [10, 30, 60, 90, 180, 360].map { $0 * 60 }, 514, 900, 3600),
        Row(.monthlyEveryHour, [15, 60, 120, 180, 360, 720].map { $0 * 60 }, 771, 1800, 7200),
        Row(.monthlyEvery30Seconds, [10, 30, 60, 90, 180, 360], 9, 15, 60),
        Row(.anyEvery15Minutes, [Double](repeating: 900, count: 6), 900, 900, 1800),
        Row(.anyEvery5Minutes, [Double](repeating: 300, count: 6), 300, 300, 600),
        Row(.anyEveryMinute, [Double](repeating: 60, count: 6), 60, 60, 120),
        Row(.anyEvery30Seconds, [Double](repeating: 30, count: 6), 30, 30, 60),
        Row(.anyEvery10Seconds, [Double](repeating: 10, count: 6), 10, 10, 20),
        Row(.anyEvery2Seconds, [Double](repeating: 2, count: 6), 2, 2, 4),
    ]
    static let start = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(arguments: rows)
    func `Periods, grace period and billing retry of a renewal rate match Apple's tables`(_ row: Row) throws {
        let periods = try ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"].map { try #require(Period(iso8601: $0)) }
        let lengths = periods.map { row.rate.end(of: $0, from: Self.start).timeIntervalSince(Self.start) }
        #expect(lengths == row.periods)
        for configured in BillingGracePeriod.allCases where configured != .off {
            #expect(row.rate.gracePeriod(configured, for: .week) == row.grace.weekly)
            #expect(row.rate.gracePeriod(configured, for: .month) == row.grace.other)
            #expect(row.rate.gracePeriod(configured, for: .year) == row.grace.other)
        }
        #expect(row.rate.gracePeriod(.off, for: .month) == 0)
        #expect(row.rate.billingRetryPeriod == row.retry)
    }

    @Test(arguments: [
        (BillingGracePeriod.off, "P1M", 0), (.threeDays, "P1W", 3), (.sixteenDays, "P1W", 6),
        (.twentyEightDays, "P1W", 6), (.threeDays, "P1M", 3), (.sixteenDays, "P1M", 16),
        (.twentyEightDays, "P1M", 28),
        (.sixteenDays, "P1Y", 16), (.sixteenDays, "P4W", 16), (.sixteenDays, "P2W", 6),
    ])
    func `In real time the configured grace period applies, with at most six days for short periods`(
        _ configured: BillingGracePeriod, _ period: String, _ days: Double
    ) throws {
        let period = try #require(Period(iso8601: period))
        #expect(RenewalRate.realTime.gracePeriod(configured, for: period) == days * 86_400)
    }

    @Test func `The real-time rate does not shorten periods`() {
        #expect(RenewalRate.realTime.end(of: .month, from: Self.start) == Period.month.date(after: Self.start))
        #expect(RenewalRate.realTime.billingRetryPeriod == 60 * 86_400)
        #expect(RenewalRate.realTime.maximumIgnoredLapse == 60 * 86_400)
        #expect(RenewalRate.realTime.scaled(days: 90) == 90 * 86_400)
    }

    @Test(arguments: ["plus", "plus.yearly"])
    func `TestFlight renews a subscription daily, six times`(_ product: String) throws {
        var shop = Shop(.sandbox) {
            ($0.rate, $0.renewalCap) = (StoreSettings.testFlight.rate, StoreSettings.testFlight.renewalCap)
        }
        try shop.buy(product)
        shop.wait(days: 6.5)
        // In the last period, only the simulator's own description says that the subscription ends.
        #expect(try shop.state().autoRenewStatus == .on)
        #expect(shop.store.upcoming?.event == "\(product) ends (anna)")
        shop.wait(days: 1.5)
        let renewals = Array(repeating: "DID_RENEW", count: 6)
        #expect(shop.newNotifications() == ["SUBSCRIBED/INITIAL_BUY"] + renewals + ["EXPIRED/VOLUNTARY"])
        #expect(try shop.last().transaction.expiresDate == Shop.start + 7 * 86_400)
    }

    @Test(arguments: [
        (RenewalRate.monthlyEvery5Minutes, "P3D", 120.0), (.monthlyEvery5Minutes, "P1D", 60),
        (.monthlyEvery5Minutes, "P7D", 180), (.monthlyEvery5Minutes, "P2W", 240),
        (.monthlyEvery5Minutes, "P30D", 300),
        (.monthlyEvery5Minutes, "P60D", 600), (.monthlyEvery5Minutes, "P5M", 1500),
        (.monthlyEvery5Minutes, "P2Y", 7200), (.monthlyEvery3Minutes, "P2W", 180), (.monthlyEveryHour, "P3D", 420),
        (.monthlyEvery30Seconds, "P3D", 5), (.anyEvery10Seconds, "P3D", 10), (.dayEverySecond, "P3D", 3),
        (.dayEveryMinute, "P1W", 420),
    ])
    func `A period that Apple's tables lack has an interpolated length`(
        _ rate: RenewalRate, _ period: String, _ seconds: Double
    ) throws {
        let period = try #require(Period(iso8601: period))
        #expect(rate.end(of: period, from: Self.start).timeIntervalSince(Self.start) == seconds)
    }

    @Test(arguments: RenewalRate.all)
    func `A longer period never ends earlier, at any renewal rate`(_ rate: RenewalRate) throws {
        var last = Self.start
        for days in 1...400 {
            let end = rate.end(of: try #require(Period(days, .day)), from: Self.start)
            #expect(end >= last)
            last = end
        }
        #expect(rate.end(of: .week, from: Self.start) > Self.start)
    }

    @Test(arguments: [
        (RenewalRate.monthlyEvery5Minutes, 90, 900.0), (.monthlyEvery5Minutes, 5, 0),
        (.monthlyEvery5Minutes, 6, 60),
        (.monthlyEveryHour, 1, 120), (.monthlyEvery30Seconds, 1, 1), (.anyEvery2Seconds, 90, 6),
        (.dayEverySecond, 10, 10), (.realTime, -3, 0), (.realTime, .max, Double(Int.max) * 86_400),
    ])
    func `The days of an extension scale with the renewal rate`(_ rate: RenewalRate, _ days: Int, _ seconds: Double) {
        #expect(rate.scaled(days: days) == seconds)
    }

    @Test(arguments: RenewalRate.sandbox)
    func `A lapse of up to 600 seconds is ignored at every sandbox rate`(_ rate: RenewalRate) {
        #expect(rate.maximumIgnoredLapse == 600)
    }

    @Test func `A lapse of up to the billing retry period is ignored at a rate that only Xcode has`() {
        #expect(RenewalRate.anyEvery2Seconds.maximumIgnoredLapse == 4)
        #expect(RenewalRate.dayEveryMinute.maximumIgnoredLapse == 3600)
    }

    @Test(arguments: [
        (0, RenewalRate.realTime), (1, .dayEveryHour), (2, .dayEvery30Minutes), (3, .dayEvery5Minutes),
        (4, .dayEveryMinute), (5, .dayEvery30Seconds), (6, .dayEverySecond), (10, .monthlyEveryHour),
        (11, .monthlyEvery30Minutes), (12, .monthlyEvery15Minutes), (13, .monthlyEvery5Minutes),
        (15, .monthlyEvery30Seconds), (1000, .anyEvery15Minutes), (1001, .anyEvery5Minutes),
        (1002, .anyEveryMinute),
        (1003, .anyEvery30Seconds), (1004, .anyEvery10Seconds), (1005, .anyEvery2Seconds),
    ])
    func `Each StoreKit time rate number maps to its renewal rate`(_ number: Int, _ rate: RenewalRate) {
        #expect(RenewalRate(storeKitValue: number) == rate)
    }

    @Test func `A renewal rate is decoded from its name, and unknown names and numbers are refused`() throws {
        for rate in RenewalRate.all {
            #expect(RenewalRate(rawValue: rate.rawValue) == rate)
            #expect(try JSONDecoder().decode([RenewalRate].self, from: JSONEncoder().encode([rate])) == [rate])
        }
        #expect(Set(RenewalRate.all.map(\.rawValue)).count == RenewalRate.all.count)
        #expect(RenewalRate(rawValue: "weekly") == nil)
        #expect(RenewalRate(storeKitValue: 14) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([RenewalRate].self, from: Data(#"["fast"]"#.utf8))
        }
    }
}
