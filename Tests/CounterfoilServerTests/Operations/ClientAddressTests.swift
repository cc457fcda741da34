import Basics
import CounterfoilServer
import NIOHTTP1
import Testing

@Suite struct `Sender addresses of notifications` {
    @Test func `The sender of a notification is the peer, or the rightmost untrusted address of a trusted proxy`()
        async throws
    {
        try await World.run(
            server: { configuration in
                configuration.listen.trustedProxies = Self.networks("127.0.0.0/8", "10.0.0.0/8")
                configuration.listen.notificationNetworks = Self.networks("17.0.0.0/8", "2620:149::/32")
            }
        ) { world async throws in
            let refused = ["", "18.1.2.3", "17.1.2.3, 18.1.2.3", "17.1.2.3, x", "17.1.2.3,", "10.1.1.1", "::"]
            for text in refused { #expect(try await Self.status(world, text) == 403, "\(text)") }
            let accepted = [
                "17.1.2.3", "18.1.2.3, 17.1.2.3", "x, 17.1.2.3, 10.1.1.1", "17.1.2.3:4711", "2620:149::1",
                "[2620:149::1]:443, 10.1.1.1 , 127.0.0.1",
            ]
            // The body is no notification.
            for text in accepted { #expect(try await Self.status(world, text) == 400, "\(text)") }
        }
    }

    @Test func `The forwarded address of an untrusted peer is ignored`() async throws {
        try await World.run(server: { $0.listen.notificationNetworks = Self.networks("17.0.0.0/8") }) {
            world async throws in
            #expect(try await Self.status(world, "17.1.2.3") == 403)
            #expect(try await world.request(.POST, "/apple/notifications", body: "{}").status == 403)
        }
    }

    private static func networks(_ texts: String...) -> [Network] { texts.compactMap { Network($0) } }

    private static func status(_ world: World, _ forwardedFor: String) async throws -> Int {
        try await world.request(
            .POST, "/apple/notifications", headers: ["X-Forwarded-For": forwardedFor], body: "{}"
        ).status
    }
}
