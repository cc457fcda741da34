import Ledger
import Testing

@Suite struct `The decision about a known UUID` {
    @Test func `A text is stored once, a failed one is processed again, and a different one is stored too`() {
        #expect(RepeatedNotification(isFirstDamaged: false, same: (id: 1, hasFailed: false)) == .duplicate)
        #expect(RepeatedNotification(isFirstDamaged: false, same: (id: 1, hasFailed: true)) == .retry(1))
        #expect(RepeatedNotification(isFirstDamaged: false, same: (id: -2, hasFailed: false)) == .duplicate)
        #expect(RepeatedNotification(isFirstDamaged: false, same: (id: -2, hasFailed: true)) == .retry(-2))
        #expect(RepeatedNotification(isFirstDamaged: false, same: nil) == .otherText)
    }

    @Test func `A text replaces a damaged one, also if it is known as a different text`() {
        #expect(RepeatedNotification(isFirstDamaged: true, same: nil) == .replacement)
        #expect(RepeatedNotification(isFirstDamaged: true, same: (id: -2, hasFailed: false)) == .replacement)
        #expect(RepeatedNotification(isFirstDamaged: true, same: (id: -2, hasFailed: true)) == .replacement)
    }
}
