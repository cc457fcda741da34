extension Int64 {
    /// What of a price was refunded, rounded to a thousandth of its currency.
    ///
    /// - Parameter percentage: In thousandths of a percent; nil for all of it.
    package func refundedPart(_ percentage: Int32?) -> Int64 {
        let share = Int128(Swift.min(Swift.max(percentage ?? 100_000, 0), 100_000))
        return Int64(clamping: (Int128(self) * share + 50_000) / 100_000)
    }
}
