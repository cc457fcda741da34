public import AppStoreModels
public import Foundation

/// How fast subscriptions renew: in real time, or accelerated as in the App Store sandbox and Xcode.
///
/// The raw value is the rate's name in files and on the command line, such as `monthlyEvery5Minutes`.
public struct RenewalRate: Sendable, Hashable, Codable {
    /// How durations are scaled.
    private enum Scale: Hashable {
        case real
        /// A week and a month last this many seconds; multiples of a month are proportional.
        case monthly(week: Double, month: Double)
        /// Every period lasts this many seconds.
        case fixed(Double)
        /// Every day lasts this many seconds.
        case daily(Double)
    }

    /// The name of the rate.
    public let rawValue: String
    /// The rate's number in `.storekit` files and `SKTestSession.TimeRate`; nil if Xcode does not have the rate.
    package let storeKitValue: Int?
    private let scale: Scale

    private init(_ name: String, _ storeKitValue: Int?, _ scale: Scale) {
        rawValue = name
        self.storeKitValue = storeKitValue
        self.scale = scale
    }

    /// Real time, as in production.
    public static let realTime = Self("realTime", 0, .real)
    /// A month lasts an hour; sandbox and Xcode.
    public static let monthlyEveryHour = Self("monthlyEveryHour", 10, .monthly(week: 900, month: 3600))
    /// A month lasts 30 minutes; sandbox and Xcode.
    public static let monthlyEvery30Minutes = Self("monthlyEvery30Minutes", 11, .monthly(week: 600, month: 1800))
    /// A month lasts 15 minutes; sandbox and Xcode.
    public static let monthlyEvery15Minutes = Self("monthlyEvery15Minutes", 12, .monthly(week: 300, month: 900))
    /// A month lasts 5 minutes; Xcode, and the sandbox's default.
    public static let monthlyEvery5Minutes = Self("monthlyEvery5Minutes", 13, .monthly(week: 180, month: 300))
    /// A month lasts 3 minutes; sandbox only.
    public static let monthlyEvery3Minutes = Self("monthlyEvery3Minutes", nil, .monthly(week: 180, month: 180))
    /// A month lasts 30 seconds; Xcode only.
    public static let monthlyEvery30Seconds = Self("monthlyEvery30Seconds", 15, .monthly(week: 10, month: 30))
    /// Every period lasts a day; TestFlight only. Use ``StoreSettings/testFlight`` for its other settings.
    public static let anyEveryDay = Self("anyEveryDay", nil, .fixed(86_400))
    /// Every period lasts 15 minutes; Xcode only, as are the following.
    public static let anyEvery15Minutes = Self("anyEvery15Minutes", 1000, .fixed(900))
    /// Every period lasts 5 minutes.
    public static let anyEvery5Minutes = Self("anyEvery5Minutes", 1001, .fixed(300))
    /// Every period lasts a minute.
    public static let anyEveryMinute = Self("anyEveryMinute", 1002, .fixed(60))
    /// Every period lasts 30 seconds.
    public static let anyEvery30Seconds = Self("anyEvery30Seconds", 1003, .fixed(30))
    /// Every period lasts 10 seconds.
    public static let anyEvery10Seconds = Self("anyEvery10Seconds", 1004, .fixed(10))
    /// Every period lasts 2 seconds.
    public static let anyEvery2Seconds = Self("anyEvery2Seconds", 1005, .fixed(2))
    /// A day lasts an hour; deprecated in Xcode, as are the following.
    public static let dayEveryHour = Self("dayEveryHour", 1, .daily(3600))
    /// A day lasts 30 minutes.
    public static let dayEvery30Minutes = Self("dayEvery30Minutes", 2, .daily(1800))
    /// A day lasts 5 minutes.
    public static let dayEvery5Minutes = Self("dayEvery5Minutes", 3, .daily(300))
    /// A day lasts a minute.
    public static let dayEveryMinute = Self("dayEveryMinute", 4, .daily(60))
    /// A day lasts 30 seconds.
    public static let dayEvery30Seconds = Self("dayEvery30Seconds", 5, .daily(30))
    /// A day lasts a second.
    public static let dayEverySecond = Self("dayEverySecond", 6, .daily(1))

    /// The rates available to sandbox testers, the fastest first.
    public static let sandbox: [Self] = [
        .monthlyEvery3Minutes, .monthlyEvery5Minutes, .monthlyEvery15Minutes, .monthlyEvery30Minutes, .monthlyEveryHour,
    ]

    /// All rates.
    public static let all: [Self] =
        [.realTime] + sandbox + [
            .monthlyEvery30Seconds, .anyEveryDay, .anyEvery15Minutes, .anyEvery5Minutes, .anyEveryMinute,
            .anyEvery30Seconds, .anyEvery10Seconds, .anyEvery2Seconds, .dayEveryHour, .dayEvery30Minutes,
            .dayEvery5Minutes, .dayEveryMinute, .dayEvery30Seconds, .dayEverySecond,
        ]
}

extension RenewalRate: RawRepresentable, CustomStringConvertible {
    /// The name of the rate.
    public var description: String { rawValue }

    /// Returns the rate with this name; nil if there is none.
    public init?(rawValue: String) {
        guard let rate = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = rate
    }

    /// Decodes the name of a rate.
    public init(from decoder: any Decoder) throws { self = try decoder.value(among: Self.all) }

    /// Returns the rate with this number in `.storekit` files and `SKTestSession.TimeRate`; nil if there is none.
    package init?(storeKitValue: Int) {
        guard let rate = Self.all.first(where: { $0.storeKitValue == storeKitValue }) else { return nil }
        self = rate
    }
}

// MARK: - Periods

extension RenewalRate {
    /// Returns the end of a period that starts at `start`.
    ///
    /// Weeks and multiples of a month last as long as in Apple's tables, which list no other lengths. For other
    /// lengths, the monthly rates interpolate linearly: from 0 to a week, and from a week to a month of 30 days. Beyond
    /// a month, lengths are proportional. The result is rounded up to whole minutes (whole seconds at the 30-second
    /// rate). The daily rates scale every length proportionally, with calendar months.
    public func end(of period: Period, from start: Date) -> Date {
        switch scale {
        case .real: period.date(after: start)
        case .monthly(let week, let month): start + Self.length(of: period, week: week, month: month)
        case .fixed(let seconds): start + seconds
        case .daily(let seconds): start + period.date(after: start).timeIntervalSince(start) / 86_400 * seconds
        }
    }

    private static func length(of period: Period, week: Double, month: Double) -> TimeInterval {
        let days: Double
        switch period.unit {
        case .month: return Double(period.count) * month
        case .year: return Double(period.count) * 12 * month
        case .week: days = Double(period.count) * 7
        case .day: days = Double(period.count)
        }
        let seconds =
            switch days {
            case ...7: days / 7 * week
            case ...30: week + (days - 7) / 23 * (month - week)
            default: days / 30 * month
            }
        let step = step(month: month)
        return (seconds / step).rounded(.up) * step
    }

    /// The rounding step. Minutes are too coarse if a month is shorter than a minute.
    private static func step(month: Double) -> TimeInterval { month < 60 ? 1 : 60 }
}

// MARK: - Failed renewals, extensions

extension RenewalRate {
    /// Returns the length of the grace period after a failed renewal.
    ///
    /// In real time a subscription shorter than four weeks has 3 or 6 days, a longer one the configured period. At
    /// other rates only the rate matters: six sevenths of a week, half a month, or one period.
    public func gracePeriod(_ configured: BillingGracePeriod, for period: Period) -> TimeInterval {
        guard configured != .off else { return 0 }
        let isWeekly = period.isShorterThanFourWeeks
        let days: Double =
            switch configured {
            case .off: 0
            case .threeDays: 3
            case .sixteenDays: isWeekly ? 6 : 16
            case .twentyEightDays: isWeekly ? 6 : 28
            }
        return switch scale {
        case .real: days * 86_400
        case .monthly(let week, let month): isWeekly ? (week * 6 / 7).rounded() : month / 2
        case .fixed(let seconds): seconds
        case .daily(let seconds): days * seconds
        }
    }

    /// The duration of billing retry after a failed renewal. The grace period is its first part.
    public var billingRetryPeriod: TimeInterval {
        switch scale {
        case .real: 60 * 86_400
        case .monthly(_, let month): 2 * month
        case .fixed(let seconds): 2 * seconds
        case .daily(let seconds): 60 * seconds
        }
    }

    /// The longest lapse that `recentSubscriptionStartDate` ignores: 60 days in real time, 10 minutes at the sandbox's
    /// rates, ``billingRetryPeriod`` at the others.
    package var maximumIgnoredLapse: TimeInterval { Self.sandbox.contains(self) ? 600 : billingRetryPeriod }

    /// Returns a real-time duration scaled to this rate, in proportion to a month of 30 days.
    func shortened(_ seconds: TimeInterval) -> TimeInterval {
        switch scale {
        case .real: seconds
        case .monthly(_, let month): seconds / (30 * 86_400) * month
        case .fixed(let period): seconds / (30 * 86_400) * period
        case .daily(let day): seconds / 86_400 * day
        }
    }

    /// Returns how far an extension of `days` moves a renewal date. At the monthly rates each day counts as a thirtieth
    /// of a month, and the result is rounded down to whole minutes (whole seconds at the 30-second rate), so that a few
    /// days may result in 0. If every period has the same length, that length counts as a month, and the result is
    /// rounded down to whole seconds.
    package func scaled(days: Int) -> TimeInterval {
        let days = Double(max(0, days))
        return switch scale {
        case .real: days * 86_400
        case .monthly(_, let month):
            (days / 30 * month / Self.step(month: month)).rounded(.down) * Self.step(month: month)
        case .fixed(let seconds): (days / 30 * seconds).rounded(.down)
        case .daily(let seconds): days * seconds
        }
    }
}

extension Period {
    /// Whether the App Store treats a subscription with this period as weekly.
    fileprivate var isShorterThanFourWeeks: Bool {
        switch unit {
        case .day: count < 28
        case .week: count < 4
        case .month, .year: false
        }
    }
}

/// The billing grace period of an app in App Store Connect: how long subscriptions stay active after a failed renewal.
@nonexhaustive
public enum BillingGracePeriod: String, Sendable, Hashable, Codable, CaseIterable {
    /// No grace period.
    case off
    /// Three days.
    case threeDays
    /// Sixteen days; six for weekly subscriptions.
    case sixteenDays
    /// Twenty-eight days; six for weekly subscriptions.
    case twentyEightDays

    /// Decodes a name.
    public init(from decoder: any Decoder) throws { self = try decoder.value(among: Self.allCases) }
}
