extension BinaryInteger {
    /// Returns the noun that follows this number: the singular for 1, otherwise the plural.
    ///
    /// Both may contain a verb, so that it agrees: `"\(count) \(count.noun("event waits", "events wait"))"`.
    ///
    /// - Parameter plural: If nil, the singular with an `s`.
    package func noun(_ singular: String, _ plural: String? = nil) -> String {
        self == 1 ? singular : plural ?? singular + "s"
    }
}
