import Basics
import Testing

@Suite struct `Nouns after a number` {
    @Test(arguments: [
        (0, "hours", "deliveries wait"), (1, "hour", "delivery waits"), (2, "hours", "deliveries wait"),
        (-1, "hours", "deliveries wait"), (21, "hours", "deliveries wait"),
    ])
    func `Only 1 has the singular`(_ number: Int, _ regular: String, _ irregular: String) {
        #expect(number.noun("hour") == regular)
        #expect(number.noun("delivery waits", "deliveries wait") == irregular)
    }
}
