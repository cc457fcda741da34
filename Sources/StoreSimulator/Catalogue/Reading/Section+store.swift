internal import AppStoreModels
internal import ConfigurationReading

extension Section {
    /// Returns a price in thousandths of the currency.
    mutating func price(_ key: String) -> Int64? {
        guard let text = text(key) else { return nil }
        do {
            return try PriceParser.read(text)
        } catch {
            problem(key, error.message)
            return nil
        }
    }

    /// Returns a period in ISO 8601.
    mutating func period(_ key: String) -> Period? {
        parse(key, orProblem: "is not a period such as P3D, P1W, P1M or P1Y") { Period(iso8601: $0) }
    }
}
