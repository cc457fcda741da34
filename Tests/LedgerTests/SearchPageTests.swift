import Ledger
import Testing

@Suite struct `A page of several searches` {
    private struct Row: Sendable, Hashable, Identifiable {
        var id: Int64
    }

    @Test(
        arguments: [
            ([], [], [], nil), ([], [4], [], 4), ([3, 9, 7], [], [9, 7, 3], nil), ([9, 7, 5, 3], [5], [9, 7, 5], 5),
            ([9, 7, 5, 3], [3, 7], [9, 7], 7), ([9, 7, 5, 3], [7, 3], [9, 7], 7), ([9, 7, 5, 3], [], [9, 7, 5], 5),
            ([9, 7, 5, 3], [3], [9, 7, 5], 5),
        ] as [([Int64], [Int64], [Int64], Int64?)])
    func `Rows older than the end of a search that stopped at its limit wait for the next page`(
        _ found: [Int64], _ ends: [Int64], _ items: [Int64], _ next: Int64?
    ) {
        let page = SearchPage(found: found.map { Row(id: $0) }, ends: ends, limit: 3)
        #expect(page.items.map(\.id) == items)
        #expect(page.next == next)
    }
}
