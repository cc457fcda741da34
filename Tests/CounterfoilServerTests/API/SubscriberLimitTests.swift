@testable import LedgerServices
import Basics
import CounterfoilServer
import Foundation
import NIOHTTP1
import Testing

@testable import Ledger

/// One subscriber of IPv6 has 64 bits of addresses.
@Suite struct `The addresses of one subscriber` {
    /// A server behind a proxy on this machine, so that a test can have many addresses.
    private static func run(_ body: (World) async throws -> Void) async throws {
        try await World.withAPI(
            server: { configuration in
                configuration.listen.trustedProxies = Network.loopback
                // Without one, nobody's receipt is read.
                for index in configuration.apps.indices { configuration.apps[index].sharedSecrets = [Secret("held")] }
                configuration.limits.requestsPerSecondOfCustomer = 1
            }, body)
    }

    /// How many of some requests at once were too many, each from another address of one network.
    private static func refusals(
        _ world: World, _ path: String, _ body: String, from addresses: Range<Int>
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for address in addresses {
                let headers = [
                    "X-Forwarded-For": "2001:db8:0:1::\(address)", "Authorization": "Bearer \(Asker.publicKey)",
                ]
                group.addTask { try await world.ask(.POST, path, headers: headers, body: body).status }
            }
            return try await group.reduce(0) { $1 == 429 ? $0 + 1 : $0 }
        }
    }

    @Test func `begin no more sessions than one address`() async throws {
        try await Self.run { world in
            // One a second: that many could only be let in if all of them took twenty seconds.
            let refusals = try await Self.refusals(world, "/v1/sessions", "{}", from: 0..<40)
            #expect(refusals >= 20)
        }
    }

    @Test(arguments: [
        ("/verifyReceipt", "{}"), ("/apple/notifications", #"{"notification_type":"DID_RENEW","password":"held"}"#),
    ])
    func `send no more receipts than one address`(path: String, body: String) async throws {
        try await Self.run { world in
            // However slow this machine is, it is not always that slow.
            var refusals = 0
            for round in 0..<20 where refusals == 0 {
                refusals = try await Self.refusals(world, path, body, from: (round * 100)..<(round * 100 + 100))
            }
            #expect(refusals > 0)
        }
    }
}
