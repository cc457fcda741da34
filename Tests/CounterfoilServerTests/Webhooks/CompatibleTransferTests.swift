import CounterfoilServer
import Foundation
internal import NIOHTTP1
import StoreSimulator
import Testing

@testable import Ledger

@Suite struct `Transfers in the compatible format` {
    @Test func `A transfer that is sent after an erasure names the owner, or nobody if the owner was erased`()
        async throws
    {
        try await World.runWithWebhooks({ configuration, _ in
            configuration.webhooks[0].payload = .compatible
            configuration.keys[0].scopes = [.webhooksWrite, .customersTransfer, .customersErase]
        }) { world, receiver in
            let former = try await world.buy("anna")
            try await world.deliverWebhooks()
            let original = try #require(receiver.take().first?.json["event"]["original_transaction_id"].text)
            let transfer = try await world.send(
                .POST, "/v1/customers/ben/purchases/\(original)/transfer", #"{"reason": "a test"}"#)
            #expect(transfer.status == 200)
            try await world.deliverWebhooks()
            let first = try #require(receiver.take().first)
            #expect(first.json["event"]["transferred_from"].items.map(\.text) == [former])
            for (erased, owner) in [(former, "ben"), ("ben", "anonymous:" + original)] {
                #expect(try await world.send(.DELETE, "/v1/customers/\(erased)").status == 200)
                _ = try await world.send(.POST, "/v1/webhooks/backend/replay", #"{"event_id": "\#(first.id)"}"#)
                try await world.deliverWebhooks()
                let messages = receiver.take()
                try #require(messages.count == 1)
                let event = try #require(messages.first?.json["event"])
                #expect(event["type"].text == "TRANSFER")
                #expect(event["transferred_from"].items.isEmpty)
                #expect(event["transferred_to"].items.map(\.text) == [owner])
            }
        }
    }

    @Test func `Another account token for a purchase that nobody claimed is a transfer`() async throws {
        try await World.runWithWebhooks({ configuration, _ in
            configuration.webhooks[0].payload = .compatible
        }) { world, receiver in
            let former = try await world.buy("anna", "com.example.unlock")
            try await world.deliverWebhooks()
            let made = try #require(receiver.take().first?.json["event"])
            try #require(made["type"].text == "NON_RENEWING_PURCHASE" && made["app_user_id"].text == former)
            let account = UUID()
            try await world.simulator.advance(by: 60)
            try await world.simulator.perform(.setAppAccountToken(customer: "anna", appAccountToken: account))
            try await world.simulator.perform(.approveRefund(customer: "anna"))
            try await world.deliverWebhooks()
            let events = receiver.take().map { $0.json["event"] }
            #expect(events.compactMap { $0["type"].text }.sorted() == ["CANCELLATION", "TRANSFER"])
            let transfer = try #require(events.first { $0["type"].text == "TRANSFER" })
            #expect(transfer["original_transaction_id"].text == made["original_transaction_id"].text)
            #expect(transfer["transferred_from"].items.map(\.text) == [former])
            #expect(transfer["transferred_to"].items.map(\.text) == [account.uuidString.lowercased()])
        }
    }
}
