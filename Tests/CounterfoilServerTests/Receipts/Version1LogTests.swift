import CounterfoilServer
import Foundation
import MemoryLedger
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Refused notifications of version 1 in the log` {
    @Test func `Refusals from many senders do not fill the log`() async throws {
        try await World.run(server: { $0.apps[0].sharedSecrets = [Secret("known to everybody")] }) { world in
            let (core, log) = (try world.server.core, LogCapture())
            let receiver = NotificationV1Receiver(
                storage: MemoryLedger(), apps: core.apps, scopes: core.scopes, purchaseVerifier: core.purchaseVerifier,
                clock: core.clock, logger: log.logger(ServerConfiguration.Log()))
            let body: [String: Any] = [
                "notification_type": "DID_RENEW", "password": "known to everybody",
                "unified_receipt": ["latest_receipt": "bm90aGluZw=="],
            ]
            let data = try JSONSerialization.data(withJSONObject: body)
            let notification = try #require(NotificationV1.read(Array(data)))
            for number in 1...20 {
                await #expect(throws: ServiceFailure.self) {
                    try await receiver.receive(notification, from: "192.0.2.\(number)")
                }
            }
            #expect(log.text.isEmpty)
        }
    }
}
