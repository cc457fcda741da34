import Ledger
import Testing

@Suite struct `The decision whether a delivery is late` {
    @Test func `A delivery is late if it arrives half an hour or more after signing`() {
        #expect(!LateDelivery.isLate(signed: 0, received: LateDelivery.limit - 1, .delivered))
        #expect(LateDelivery.isLate(signed: 0, received: LateDelivery.limit, .delivered))
        #expect(!LateDelivery.isLate(signed: 0, received: LateDelivery.limit + 1, .recovered))
        #expect(!LateDelivery.isLate(signed: .min, received: .max, .delivered))
    }
}
