import Ledger
import Testing

@Suite struct `Texts in the inbox` {
    @Test(
        arguments: [
            (.notification(1), 1, 1, nil), (.notification(.max), .max, Int64.max, nil), (.otherText(1), -1, nil, 1),
            (.otherText(.max), -Int64.max, nil, Int64.max), (.notification(.min), .min, Int64.min, nil),
        ] as [(InboxText, Int64, Int64?, Int64?)])
    func `A text is encoded as one number and decoded from it`(
        _ text: InboxText, _ code: Int64, _ notification: Int64?, _ otherText: Int64?
    ) {
        #expect(text.code == code)
        #expect(InboxText(code: code) == text)
        #expect(text.notification == notification)
        #expect(text.otherText == otherText)
    }
}
