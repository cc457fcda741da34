/// Formats prices for people.
package enum PriceText {
    /// Returns a price such as `9.99 USD` or `1500 JPY`, from thousandths.
    package static func price(_ thousandths: Int64, _ currency: String) -> String {
        "\(amount(thousandths, in: currency)) \(currency)"
    }

    /// Returns a price without its currency, such as `9.99`, from thousandths.
    package static func amount(_ thousandths: Int64, in currency: String) -> String {
        let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
        var decimals = ""
        if rest != 0 || !currenciesWithoutCents.contains(currency) {
            let digits = String(1000 + rest).dropFirst()
            decimals = "." + (digits.hasSuffix("0") ? digits.dropLast() : digits)
        }
        return "\(thousandths < 0 ? "-" : "")\(whole)\(decimals)"
    }

    private static let currenciesWithoutCents: Set = ["JPY", "KRW", "VND", "CLP", "PYG", "ISK", "UGX", "XAF", "XOF"]
}
