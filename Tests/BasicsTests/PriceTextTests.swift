import Basics
import Testing

@Suite struct `The text of a price` {
    @Test(arguments: [
        (9990, "USD", "9.99 USD"), (9900, "USD", "9.90 USD"), (10_000, "EUR", "10.00 EUR"), (0, "USD", "0.00 USD"),
        (50, "USD", "0.05 USD"), (-500, "USD", "-0.50 USD"), (-1000, "EUR", "-1.00 EUR"),
        (1_500_000, "JPY", "1500 JPY"),
        (995, "KWD", "0.995 KWD"), (1234, "KWD", "1.234 KWD"), (Int64.min, "EUR", "-9223372036854775.808 EUR"),
    ])
    func `A price has the decimals of its currency`(thousandths: Int64, currency: String, text: String) {
        #expect(PriceText.price(thousandths, currency) == text)
    }
}
