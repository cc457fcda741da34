import Basics
import Testing

@Suite struct `Lengths in words` {
    @Test(
        arguments: [
            (-1, "0 seconds"), (0, "0 seconds"), (1, "1 second"), (60, "1 minute"), (89, "89 seconds"),
            (90, "2 minutes"),
            (3600, "1 hour"), (86_400, "1 day"), (4 * 86_400, "4 days"), (61 * 86_400, "2 months"),
            (2 * 365.25 * 86_400, "2 years"), (1e300, "1000000000 years"),
        ] as [(Double, String)])
    func `A length has the largest unit of which it has at least one and a half, or a day`(
        _ seconds: Double, _ words: String
    ) {
        #expect(seconds.lengthInWords == words)
    }

    @Test(
        arguments: [
            (0, "0 seconds"), (1, "1 second"), (1.5, "1.5 seconds"), (90, "90 seconds"), (5400, "90 minutes"),
            (43_200, "12 hours"), (86_400, "1 day"), (-300, "-5 minutes"), (1e300, "1e+300 seconds"),
            (.infinity, "inf seconds"),
        ] as [(Double, String)])
    func `An exact length has the largest unit of which it is a whole number`(_ seconds: Double, _ words: String) {
        #expect(seconds.exactLengthInWords == words)
    }
}
