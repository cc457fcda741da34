import AppStoreModels
import Foundation
import TestSupport
import Testing

@testable import LedgerServices

@Suite struct `Fetches of the history of one Apple account` {
    /// What a request is about, such as the extension of a subscription, may be missing in an earlier fetch.
    @Test func `A request does not use a fetch that began before it, and those that wait share the next one`()
        async throws
    {
        let coordinator = HistoryFetchCoordinator()
        let account = HistoryFetchCoordinator.Account(scope: 1, identifier: ExactText("account"))
        let (begun, gate) = (Gate(), Gate())
        let now = Date(timeIntervalSince1970: 1_750_000_000)
        @Sendable func fetchedNumber() async throws -> UInt64 {
            try await coordinator.outcome(about: account, of: ["1"], notOlderThan: 0, now: { now }) {
                begun.open()
                await gate.pass()
                return AccountHistory(state: .complete, of: ["1"], at: now)
            }.number
        }
        async let first = fetchedNumber()
        await begun.pass()
        async let second = fetchedNumber()
        async let third = fetchedNumber()
        // Otherwise the first request would not end if the others do not wait.
        defer { gate.open() }
        try await waitUntil("two requests wait") { coordinator.waiting(for: account) == 2 }
        gate.open()
        let numbers = try await [first, second, third]
        #expect(numbers == [1, 2, 2])
        // No other fetch began.
        #expect(coordinator.begin() == 3)
    }
}
