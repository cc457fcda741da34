import Foundation
import StoreSimulator
import TestSupport
import Testing

/// Expects that the invariants of a store hold at `now`, after everything due by then has happened.
func expectConsistent(_ store: Store, at now: Date, _ location: SourceLocation = #_sourceLocation) throws {
    let wrong = invariantViolations(of: store, at: now)
    try #require(wrong.isEmpty, "\(wrong.joined(separator: "\n"))", sourceLocation: location)
}
