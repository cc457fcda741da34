import Basics
import CounterfoilServer
import Foundation
import NIOHTTP1
import Testing

@testable import Ledger
@testable import LedgerServices

/// All addresses of an IPv6 /64 network count as one client.
@Suite struct `Rate limits of IPv6 networks` {
    /// Runs a server that trusts a proxy on loopback, so that a test can have many addresses.
    private static func run(_ body: (World) async throws -> Void) async throws {
        try await World.withAPI(
            server: { configuration in
                configuration.listen.trustedProxies = Network.loopback
                // Without a shared secret the server does not read the body of a receipt.
                for index in configuration.apps.indices { configuration.apps[index].sharedSecrets = [Secret("held")] }
                configuration.limits.requestsPerSecondOfCustomer = 1
            }, body)
    }

    /// Sends concurrent requests, each from another address of one network. Returns how many were refused with 429.
    private static func refusals(
        _ world: World, _ path: String, _ body: String, from addresses: Range<Int>, network: Int = 1
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for address in addresses {
                let headers = [
                    "X-Forwarded-For": "2001:db8:0:\(network)::\(address)",
                    "Authorization": "Bearer \(TestAPIClient.publicKey)",
                ]
                group.addTask { try await world.request(.POST, path, headers: headers, body: body).status }
            }
            return try await group.reduce(0) { $1 == 429 ? $0 + 1 : $0 }
        }
    }

    /// Expects that requests from other networks are not refused.
    private static func expectOthersToPass(_ world: World, _ path: String, _ body: String) async throws {
        var refused = 0
        for network in 2...6 { refused += try await refusals(world, path, body, from: 0..<1, network: network) }
        // Clients whose names have the same hash share a limit, but hardly ever two of these.
        #expect(refused <= 1)
    }

    @Test func `Session requests from one IPv6 network share one rate limit, other networks have their own`()
        async throws
    {
        try await Self.run { world in
            // The limit is one per second: 20 of 40 requests can pass only if all of them take 20 seconds. Repeated,
            // because they may on a busy machine.
            var refusals = 0
            for round in 0..<20 where refusals < 20 {
                refusals = try await Self.refusals(
                    world, "/v1/sessions", "{}", from: (round * 40)..<(round * 40 + 40))
            }
            #expect(refusals >= 20)
            try await Self.expectOthersToPass(world, "/v1/sessions", "{}")
        }
    }

    @Test(arguments: [
        ("/verifyReceipt", "{}"), ("/apple/notifications", #"{"notification_type":"DID_RENEW","password":"held"}"#),
    ])
    func `Receipt requests from one IPv6 network share one rate limit, other networks have their own`(
        path: String, body: String
    ) async throws {
        try await Self.run { world in
            // Repeated, because a busy machine may be too slow for the limit.
            var refusals = 0
            for round in 0..<20 where refusals == 0 {
                refusals = try await Self.refusals(world, path, body, from: (round * 100)..<(round * 100 + 100))
            }
            #expect(refusals > 0)
            try await Self.expectOthersToPass(world, path, body)
        }
    }
}
