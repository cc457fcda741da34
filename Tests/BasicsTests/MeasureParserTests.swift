import Testing

@testable import Basics

@Suite struct `Numbers with units` {
    @Test(arguments: [
        ("15m", [MeasureParser.Part(count: 15, unit: "m")]),
        ("1h 30m", [.init(count: 1, unit: "h"), .init(count: 30, unit: "m")]),
        (" 2 Days 3h ", [.init(count: 2, unit: "days"), .init(count: 3, unit: "h")]),
        ("1000x", [.init(count: 1000, unit: "x")]), ("0s", [.init(count: 0, unit: "s")]),
    ])
    func `Numbers with units are read part by part`(_ text: String, _ parts: [MeasureParser.Part]) {
        #expect(MeasureParser.parts(of: text, upTo: 1000) == parts)
    }

    @Test(arguments: [
        "", " ", "15", "m", "-1m", "1.5h", "1m 5", "1001x", "99999999999999999999s", "1é", "٣m",
        String(repeating: "1s", count: 51),
    ])
    func `A text that is not a number with a unit is refused`(_ text: String) {
        #expect(MeasureParser.parts(of: text, upTo: 1000) == nil)
    }

    @Test func `Units of time are known by their names and abbreviations`() {
        let names = ["s", "sec", "minutes", "h", "day", "w", "mo", "years"]
        #expect(
            names.map { TimeUnit(name: $0) } == [.second, .second, .minute, .hour, .day, .week, .month, .year])
        #expect(["", "ms", "M", "fortnight"].allSatisfy { TimeUnit(name: $0) == nil })
        #expect(TimeUnit.allCases.map(\.seconds) == [1, 60, 3600, 86_400, 604_800, nil, nil])
    }
}
