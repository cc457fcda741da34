public import Foundation

/// TEMPORARY: the real one replaces it.
public struct RenewalRate: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let realTime = Self(rawValue: "real_time")
    public func end(of period: Period, from start: Date) -> Date { period.after(start) }
    public func gracePeriod(_ configured: BillingGracePeriod, for period: Period) -> TimeInterval { 16 * 86_400 }
    public var billingRetry: TimeInterval { 60 * 86_400 }
    public func scaled(days: Int) -> TimeInterval { Double(days) * 86_400 }
    public var streakGap: TimeInterval { 60 * 86_400 }
}
public enum BillingGracePeriod: String, Sendable, Hashable, Codable { case off, threeDays, sixteenDays, twentyEightDays }
