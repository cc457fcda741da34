import Foundation
import StoreSimulator
import TestSupport
import Testing

/// What must be true of a store at any instant, once everything due by then has happened.
func expectSound(_ store: Store, at now: Date, _ place: SourceLocation = #_sourceLocation) throws {
    let wrong = unsoundness(of: store, at: now)
    try #require(wrong.isEmpty, "\(wrong.joined(separator: "\n"))", sourceLocation: place)
}
