/// A page of rows that several searches found, the newest row first.
package struct SearchPage<Row: Sendable & Hashable & Identifiable>: Sendable, Hashable where Row.ID == Int64 {
    package var items: [Row]
    /// The cursor: the next page begins before this row; nil if there are no more.
    package var next: Int64?

    /// Creates a page from the rows that were found.
    ///
    /// - Parameters:
    ///   - found: The matching rows of all searches. They may include rows older than the end of another search.
    ///   - ends: The last row that was read, for each search that stopped at its limit.
    package init(found: [Row], ends: [Int64], limit: Int) {
        // Rows older than the newest end must wait, because rows of the search that stopped there may precede them.
        let end = ends.max()
        let known = found.filter { $0.id >= end ?? .min }.sorted { $0.id > $1.id }
        items = Array(known.prefix(limit))
        next = known.count > limit ? items.last?.id : end
    }
}
