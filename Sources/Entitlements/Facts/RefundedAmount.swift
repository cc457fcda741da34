extension Int64 {
    /// Returns the refunded part of a price, rounded to a thousandth of the currency.
    ///
    /// - Parameter percentage: The refunded share in thousandths of a percent; nil for the whole price.
    package func refundedAmount(percentage: Int32?) -> Int64 {
        let share = Int128(Swift.min(Swift.max(percentage ?? 100_000, 0), 100_000))
        return Int64(clamping: (Int128(self) * share + 50_000) / 100_000)
    }
}
