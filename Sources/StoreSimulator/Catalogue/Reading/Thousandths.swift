internal import ConfigurationReading

/// Amounts of money as the App Store counts them: in thousandths of the currency.
enum Thousandths {
    /// The highest price, ten figures before the decimal point. Products of it with any number of periods fit.
    static let maximum: Int64 = 1_000_000_000_000

    /// Why a text is no price.
    struct Unreadable: Error {
        let message: String
    }

    /// Reads a decimal number such as `9.99`, exactly.
    static func read(_ text: String) throws(Unreadable) -> Int64 {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }),
            let whole = parts.first
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

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
