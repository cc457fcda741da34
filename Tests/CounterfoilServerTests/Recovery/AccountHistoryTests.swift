import AppStoreModels
import Entitlements
import Foundation
import Ledger
import MemoryLedger
import StoreSimulator
import TestSupport
import Testing

@testable import CounterfoilServer
@testable import LedgerServices

@Suite struct `The history of an Apple account` {
    @Test func `Reading a history continues at the stored revision`() async throws {
        try await World.withAPI { world in
            _ = try await world.subscribe("anna")
            try await world.waitUntilIdle()
            let core = try world.server.core
            let appEnvironment = try world.appEnvironment()
            let original = try #require(
                try await core.storage.summaries(after: "", in: appEnvironment.id, limit: 1).first?
                    .originalTransactionID)
            #expect(try await core.storage.historyMark(of: [original], in: appEnvironment.id) == nil)
            let reading = try await core.histories.read(original, in: appEnvironment, origin: .asked)
            #expect(reading.found.map(\.text) == [original])
            let mark = try #require(
                try await core.storage.historyMark(of: ["another", original], in: appEnvironment.id))
            #expect(mark.transactionID == original && mark.revision?.isEmpty == false)
            // A restore needs current data, so it requests the history again. There is nothing new.
            let history = try await core.histories.fetch(about: [original], in: appEnvironment, because: .restore)
            #expect(history.state == .complete)
            #expect(
                try await core.storage.historyMark(of: [original], in: appEnvironment.id)?.revision == mark.revision)
            #expect(try await core.histories.read(original, in: appEnvironment, origin: .asked).newFacts == 0)
            // The lineage is marked as requested, so that no recovery pass requests it again.
            let summary = try await core.storage.summaries(after: "", in: appEnvironment.id, limit: 1).first
            #expect(try #require(summary?.requestedAt) > 0)
        }
    }

    @Test func `A history request stays pending if the App Store refuses the key`() async throws {
        try await World.withAPI { world in
            _ = try await world.subscribe("anna")
            try await world.waitUntilIdle()
            let core = try world.server.core
            let appEnvironment = try world.appEnvironment()
            let original = try #require(
                try await core.storage.summaries(after: "", in: appEnvironment.id, limit: 1).first?
                    .originalTransactionID)
            world.simulator.revokeAPIKey(world.simulator.information.keyID)
            let history = try await core.histories.fetch(about: [original], in: appEnvironment, because: .restore)
            #expect(history.state == .pending)
            #expect(try await core.storage.missingCounts(in: appEnvironment.id).historyRequests == 1)
        }
    }
}
