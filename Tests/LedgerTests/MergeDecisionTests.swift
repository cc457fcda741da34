import Ledger
import Testing

@Suite struct `Merge decisions` {
    @Test func `A merge moves one customer's share and leaves the other owners`() {
        let shared = Ownership(
            claims: ClaimHistory([
                ClaimEvent(at: 5, .join, "anna"), ClaimEvent(at: 6, .join, "ben"),
            ]), named: nil, account: ClaimHistory([]))
        var after = shared
        guard case .moves(let events, let from) = ClaimDecision.merge(shared, from: "anna", into: "cleo", at: 9)
        else {
            Issue.record("nothing moves")
            return
        }
        after.claims = ClaimHistory(shared.claims.events + events)
        #expect(after.owners == ["ben", "cleo"] && from == ["anna"])
        #expect(after.owners(at: 8) == ["anna", "ben"])
        #expect(ClaimDecision.merge(after, from: "anna", into: "cleo", at: 9) == .isRefused)
        #expect(ClaimDecision.merge(account: ClaimHistory([]), from: "anna", into: "cleo", at: 9) == .isRefused)
    }

    @Test(arguments: [(99, true), (100, false)])
    func `What changed its owner a hundred times within a day stays in a merge`(_ count: Int, _ moves: Bool) {
        let owners = ["anna", "ben"]
        // The last owner is anna.
        let events = (0..<count).map { ClaimEvent(at: Milliseconds($0), .take, owners[(count - 1 - $0) % 2]) }
        let history = ClaimHistory(events)
        let purchase = Ownership(claims: history, named: nil, account: ClaimHistory([]))
        #expect(purchase.owners == ["anna"])
        let decision = ClaimDecision.merge(purchase, from: "anna", into: "cleo", at: 1000)
        #expect((decision != .isRefused) == moves)
        let account = ClaimDecision.merge(account: history, from: "anna", into: "cleo", at: 1000)
        #expect((account != .isRefused) == moves, "an Apple account")
    }
}
