import Basics
import Testing

/// 2026-05-03T12:00:00Z.
private let noon: Int64 = 1_777_809_600_000

@Suite struct `Instants in text` {
    @Test(arguments: [
        ("1777809600000", noon), ("2026-05-03T12:00:00Z", noon), ("2026-05-03T12:00:00.250Z", noon + 250),
        ("2026-05-03T14:00:00+02:00", noon), ("2026-05-03T14:00:00 02:00", noon), ("-1", -1),
        ("2026-05-03T06:30:00-0530", noon), ("2026-05-03T14:00:00+02", noon), ("2026-05-03T12:00:00z", noon),
        ("2026-05-03T12:00:00.2509Z", noon + 250), ("1969-12-31T23:59:59.9Z", -100),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ])
    func `An instant is read with a time zone, with a fraction, or as milliseconds`(_ text: String, _ expected: Int64) {
        #expect(InstantText.milliseconds(text) == expected)
        #expect(InstantText.milliseconds(text, acceptsDays: true) == expected)
    }

    @Test(arguments: [
        (noon, "2026-05-03T12:00:00.000Z"), (noon + 1, "2026-05-03T12:00:00.001Z"),
        (noon + 999, "2026-05-03T12:00:00.999Z"), (-100, "1969-12-31T23:59:59.900Z"),
        (-1000, "1969-12-31T23:59:59.000Z"),
    ])
    func `An instant is written with its milliseconds`(_ instant: Int64, _ expected: String) {
        #expect(InstantText.text(instant) == expected)
        #expect(InstantText.milliseconds(expected) == instant)
    }

    @Test func `Every millisecond of a second is written as it is`() {
        for instant in noon..<noon + 1000 {
            #expect(InstantText.milliseconds(InstantText.text(instant)) == instant)
            #expect(InstantText.milliseconds(InstantText.shortText(instant)) == instant)
        }
    }

    @Test(arguments: [
        (noon, "2026-05-03T12:00:00Z"), (noon + 288, "2026-05-03T12:00:00.288Z"), (-1000, "1969-12-31T23:59:59Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
    ])
    func `A whole second is written without a fraction in the short form`(_ instant: Int64, _ expected: String) {
        #expect(InstantText.shortText(instant) == expected)
    }

    @Test(arguments: [
        ("2026-05-03", noon - 43_200_000), ("2026-05-03T12:00", noon), ("2026-05-03 12:00", noon),
        ("2026-05-03T12:00:00", noon), ("2026-05-03 12:00:00 UTC", noon), ("2026-05-03 12:00:00.250 UTC", noon + 250),
        ("2024-02-29", 1_709_164_800_000),
    ])
    func `A day or a time without a zone is read as UTC only where that is accepted`(_ text: String, _ expected: Int64)
    {
        #expect(InstantText.milliseconds(text, acceptsDays: true) == expected)
        #expect(InstantText.milliseconds(text) == nil)
    }

    @Test(arguments: [
        "", " ", "today", "1e3", "9223372036854775807", "99999999999999999999", "2026-13-01", "2026-05-03T25:00:00Z",
        "03.05.2026", String(repeating: "1", count: 41),
        // Foundation would read another instant from each of these.
        "2026-02-30", "2025-02-29", "2026-04-31T12:00:00Z", "2026-05-00T12:00:00Z", "2026-05-03T24:00:00Z",
        "2026-05-03T12:60:00Z", "2026-05-03T12:00:60Z", "2026-05-03T12:00:00Zx", "2026-05-03T12:00:00Z2026",
        "2026-05-03T12:00:00+02:00 or so", "2026-05-03T12:00:00+2", "2026-5-3T12:00:00Z", "0000-05-03",
    ])
    func `A text that is not an instant is refused`(_ text: String) {
        #expect(InstantText.milliseconds(text, acceptsDays: true) == nil)
    }
}
