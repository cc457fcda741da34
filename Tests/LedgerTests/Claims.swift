import Ledger

// Short forms for the tests of claims.

func take(_ instant: Milliseconds, _ customer: String) -> ClaimEvent { ClaimEvent(at: instant, .take, customer) }
func join(_ instant: Milliseconds, _ customer: String) -> ClaimEvent { ClaimEvent(at: instant, .join, customer) }

func ownership(
    _ claims: [ClaimEvent] = [], named: String? = nil, account: [ClaimEvent] = []
) -> Ownership {
    Ownership(claims: ClaimHistory(claims), named: named, account: ClaimHistory(account))
}
