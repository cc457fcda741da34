internal import Basics
internal import ConfigurationReading

/// Parses prices to thousandths of the currency, the unit of the App Store.
package enum PriceParser {
    /// The maximum price, ten digits before the decimal point. Multiplying it by any number of periods does not
    /// overflow.
    static let maximum: Int64 = 1_000_000_000_000

    /// The reason why a text is not a price.
    package struct Unreadable: Error {
        package let message: String
    }

    /// Parses a decimal number such as `9.99`, without rounding.
    package static func read(_ text: String) throws(Unreadable) -> Int64 {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ $0.isDigits() }), let whole = parts.first
        else {
            throw Unreadable(
                message: text.hasPrefix("-")
                    ? "a price cannot be negative" : "\(quoted(text)) is not a price such as 9.99")
        }
        var decimals = parts.count == 2 ? parts[1] : ""
        while decimals.last == "0" { decimals.removeLast() }
        guard decimals.utf8.count <= 3 else { throw Unreadable(message: "a price has at most three decimals") }
        let padded = decimals + String(repeating: "0", count: 3 - decimals.utf8.count)
        guard let units = Int64(whole), units <= maximum / 1000, let fraction = Int64(padded),
            case let price = units * 1000 + fraction, price <= maximum
        else { throw Unreadable(message: "a price is at most \(maximum / 1000)") }
        return price
    }

    /// Throws unless the price of a command is from zero to the maximum.
    static func check(_ price: Int64) throws(StoreError) {
        guard (0...maximum).contains(price) else {
            throw StoreError(.invalidArgument, "price must be 0 to 1,000,000,000,000 thousandths of the currency")
        }
    }
}
