internal import AppStoreModels
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `Periods` {
    @Test func `A period is equal after encoding and decoding`() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<500 {
            let unit = try #require(Period.Unit.allCases.randomElement(using: &random))
            let period = try #require(Period(Int.random(in: 1...10_000, using: &random), unit))
            #expect(Period(iso8601: period.iso8601) == period)
            #expect(try JSONDecoder().decode(Period.self, from: JSONEncoder().encode(period)) == period)
        }
    }

    @Test(arguments: [
        "", "P", "PM", "1M", "P1", "P1m", "p1M", "P0M", "P-1M", "P+1M", "P1.5M", "P1M1D", "PT1H", "P10001D", " P1M",
        "P1M ", "P٣M", "P99999999999999999999M", "P1MM",
    ])
    func `A malformed ISO 8601 period is refused`(_ text: String) { #expect(Period(iso8601: text) == nil) }

    @Test func `A longer or later period ends later`() throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<300 {
            let unit = try #require(Period.Unit.allCases.randomElement(using: &random))
            let count = Int.random(in: 1...100, using: &random)
            let (shorter, longer) = (try #require(Period(count, unit)), try #require(Period(count + 1, unit)))
            let start = Date(timeIntervalSince1970: Double(Int.random(in: 0...4_000_000_000, using: &random)))
            #expect(start < shorter.date(after: start))
            #expect(shorter.date(after: start) < longer.date(after: start))
            #expect(shorter.date(after: start) < shorter.date(after: start + 4 * 86_400))
        }
    }

    @Test(arguments: [
        ("2023-01-31T12:00:00Z", "P1M", "2023-02-28T12:00:00Z"),
        ("2024-01-31T12:00:00Z", "P1M", "2024-02-29T12:00:00Z"),
        ("2024-02-29T00:00:00Z", "P1Y", "2025-02-28T00:00:00Z"),
        ("2023-10-31T23:59:59Z", "P6M", "2024-04-30T23:59:59Z"),
        ("2023-12-15T08:00:00Z", "P2M", "2024-02-15T08:00:00Z"),
        ("2024-03-30T01:30:00Z", "P1W", "2024-04-06T01:30:00Z"),
        ("2024-02-28T00:00:00Z", "P3D", "2024-03-02T00:00:00Z"),
    ])
    func `A period of months ends on the last day of a shorter month`(_ start: String, _ period: String, _ end: String)
        throws
    {
        let period = try #require(Period(iso8601: period))
        #expect(try period.date(after: Date(start, strategy: .iso8601)) == Date(end, strategy: .iso8601))
    }

    @Test func `Multiplying a period returns nil outside 1 to 10,000 units`() {
        #expect(Period.month.multiplied(by: 3) == Period(3, .month))
        #expect(Period.month.multiplied(by: 0) == nil)
        #expect(Period.month.multiplied(by: .max) == nil)
        #expect(Period(10_000, .day)?.multiplied(by: 2) == nil)
    }
}
