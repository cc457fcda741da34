import Basics
import Testing

/// 2026-05-03T12:00:00Z.
private let noon: Int64 = 1_777_809_600_000

@Suite struct `Instants as people write them` {
    @Test(arguments: [
        ("1777809600000", noon), ("2026-05-03T12:00:00Z", noon), ("2026-05-03T12:00:00.250Z", noon + 250),
        ("2026-05-03T14:00:00+02:00", noon), ("2026-05-03T14:00:00 02:00", noon), ("-1", -1),
    ])
    func `are read with a zone, with a fraction, or as milliseconds`(_ text: String, _ expected: Int64) {
        #expect(InstantText.milliseconds(text) == expected)
        #expect(InstantText.milliseconds(text, acceptsDays: true) == expected)
    }

    @Test(arguments: [
        ("2026-05-03", noon - 43_200_000), ("2026-05-03T12:00", noon), ("2026-05-03 12:00", noon),
        ("2026-05-03T12:00:00", noon), ("2026-05-03 12:00:00 UTC", noon), ("2026-05-03 12:00:00.250 UTC", noon + 250),
    ])
    func `are read as days and times in UTC where that is accepted`(_ text: String, _ expected: Int64) {
        #expect(InstantText.milliseconds(text, acceptsDays: true) == expected)
        #expect(InstantText.milliseconds(text) == nil)
    }

    @Test(arguments: [
        "", " ", "today", "1e3", "9223372036854775807", "99999999999999999999", "2026-13-01", "2026-05-03T25:00:00Z",
        "03.05.2026", String(repeating: "1", count: 41),
    ])
    func `are nothing else`(_ text: String) {
        #expect(InstantText.milliseconds(text, acceptsDays: true) == nil)
    }
}
