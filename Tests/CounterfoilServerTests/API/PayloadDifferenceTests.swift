import Basics
import Testing

@testable import CounterfoilServer

@Suite struct `Differences between payloads` {
    private func differences(_ kept: Int64, _ shown: Int64) -> [PayloadDifference] {
        PayloadDifference.between(
            Array(#"{"price":1,"signedDate":\#(kept)}"#.utf8), Array(#"{"price":1,"signedDate":\#(shown)}"#.utf8))
    }

    @Test func `Dates that differ by a millisecond are different, and are shown exactly`() {
        for date in Int64(1_780_000_000_000)..<1_780_000_001_000 {
            let expected = PayloadDifference(
                member: "signedDate", kept: InstantText.shortText(date), shown: InstantText.shortText(date + 1))
            #expect(differences(date, date + 1) == [expected])
        }
        #expect(differences(1_780_000_000_288, 1_780_000_000_288) == [])
    }

    @Test func `A number that is no date is shown as the nearest date`() {
        #expect(differences(.min, .max).count == 1)
    }
}
