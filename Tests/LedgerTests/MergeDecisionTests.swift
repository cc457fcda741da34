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
        else { return #expect(Bool(false), "nothing moves") }
        after.claims = ClaimHistory(shared.claims.events + events)
        #expect(after.owners == ["ben", "cleo"] && from == ["anna"])
        #expect(after.owners(at: 8) == ["anna", "ben"])
        #expect(ClaimDecision.merge(after, from: "anna", into: "cleo", at: 9) == .isRefused)
        #expect(ClaimDecision.merge(account: ClaimHistory([]), from: "anna", into: "cleo", at: 9) == .isRefused)
    }
}
