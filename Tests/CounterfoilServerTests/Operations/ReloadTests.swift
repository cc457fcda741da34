import AppStoreModels
import AppStoreServer
import AppStoreTrust
import CounterfoilServer
import Crypto
import Foundation
import Logging
import StoreSimulator
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `Configuration reload` {
    private static let first = "cfk_the-first-key-of-the-tests-here"
    private static let second = "cfk_the-second-key-of-the-tests-it"

    private static func key(_ text: String) -> ServerConfiguration.Key {
        .init(name: "k", hash: APIKeyText.hash(of: text), scopes: Set(APIScope.all))
    }

    private static func status(_ world: World, _ key: String) async throws -> Int {
        var api = world.api
        api.key = key
        return try await api.get("/v1/customers/anna").status
    }

    @Test func `A reload applies new keys and webhooks`() async throws {
        try await WebhookReceiver.run { receiver in
            let (one, two) = ("/one", "/two")
            try await World.run(server: { configuration in
                configuration.keys = [Self.key(Self.first)]
                configuration.webhooks = [World.webhook("one", receiver.url + one)]
            }) { world in
                _ = try await world.buy("anna")
                try await world.deliverWebhooks()
                #expect(receiver.take().map(\.path) == [one])
                var changed = try world.configuration()
                changed.keys = [Self.key(Self.second)]
                changed.webhooks = [World.webhook("two", receiver.url + two)]
                let reloaded = changed
                try await world.server.reload { reloaded }
                #expect(try await Self.status(world, Self.first) == 401)
                #expect(try await Self.status(world, Self.second) == 200)
                _ = try await world.buy("ben")
                try await world.deliverWebhooks()
                #expect(receiver.take().map(\.path) == [two])
            }
        }
    }

    @Test func `A reload removes a key while the ledger cannot be written`() async throws {
        try await World.run(server: { configuration in
            configuration.keys = [Self.key(Self.first)]
            configuration.webhooks = [World.webhook("backend", "http://127.0.0.1:9")]
        }) { world in
            var changed = try world.configuration()
            changed.keys = [Self.key(Self.second)]
            let reloaded = changed
            try await world.withReadOnlyLedger {
                try await world.server.reload { reloaded }
                #expect(try await Self.status(world, Self.first) == 401)
                #expect(try await Self.status(world, Self.second) == 200)
            }
        }
    }

    /// The reload would wait for the change, which waits for the reload.
    @Test(.timeLimit(.minutes(5))) func `A reload removes a key while a change of an endpoint waits`() async throws {
        try await World.run(server: { configuration in
            configuration.keys = [Self.key(Self.first)]
            configuration.webhooks = [World.webhook("backend", "http://127.0.0.1:9")]
        }) { world in
            var changed = try world.configuration()
            changed.keys = [Self.key(Self.second)]
            let reloaded = changed
            let server = try world.server
            try await server.core.webhooks.serializeChanges {
                await server.reload { reloaded }
                let (former, new) = (
                    try await Self.status(world, Self.first), try await Self.status(world, Self.second)
                )
                #expect(former == 401 && new == 200)
            }
        }
    }

    @Test func `A reload ends the customer tokens of a removed app`() async throws {
        try await World.withAPI { world in
            let now = Int64(world.simulator.now.timeIntervalSince1970)
            var api = world.api
            api.key = TestAPIClient.publicKey
            api.token = TestAPIClient.token(claims: #"{"sub":"anna","iat":\#(now),"exp":\#(now + 600)}"#)
            let client = api
            func status() async throws -> Int { try await client.get("/v1/customers/anna").status }
            #expect(try await status() == 200)
            var changed = try world.configuration()
            let app = changed.apps[0].bundleID
            changed.apps[0] = ServerConfiguration.App(bundleID: "com.example.other", environments: [.sandbox])
            let reloaded = changed
            try await world.server.reload { reloaded }
            #expect(try world.server.core.configuration.app(app)?.key != nil)
            #expect(try await status() == 401)
        }
    }

    @Test(.timeLimit(.minutes(10))) func `A delivery that is under way during a reload is delivered once`() async throws
    {
        try await WebhookReceiver.run { receiver in
            let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
            let (delay, answer) = AsyncStream.makeStream(of: Void.self)
            receiver.answer { _ in
                arrival.yield()
                return WebhookReceiver.Answer(status: 200, delay: delay)
            }
            try await World.run(server: { configuration in
                configuration.keys = [Self.key(Self.first)]
                configuration.webhooks = [World.webhook("one", receiver.url + "/one")]
            }) { world in
                _ = try await world.buy("anna")
                async let delivered: Void = world.deliverWebhooks()
                for await _ in arrivals { break }
                var changed = try world.configuration()
                changed.keys = [Self.key(Self.second)]
                let reloaded = changed
                try await world.server.reload { reloaded }
                #expect(try await Self.status(world, Self.second) == 200)
                answer.finish()
                try await delivered
                let states = try await world.deliveries("one").map(\.state)
                #expect(states == [.delivered])
                #expect(receiver.take().map(\.path) == ["/one"])
            }
        }
    }

    @Test
    func `An unusable configuration is not applied, and the log names the reason and the keys that need a restart`()
        async throws
    {
        let lines = LogCapture()
        var log = ServerConfiguration.Log()
        log.level = .notice
        try await World.run(
            server: { $0.keys = [Self.key(Self.first)] }, logger: lines.logger(log)
        ) { world in
            try await world.server.reload {
                try LoadedConfiguration(contentsOf: URL(filePath: "/nowhere/counterfoil.yaml")).configuration
            }
            #expect(lines.text.contains("the configuration was not applied") && lines.text.contains("/nowhere/"))
            #expect(try await Self.status(world, Self.first) == 200)
            var changed = try world.configuration()
            changed.keys = [Self.key(Self.second)]
            changed.limits.requestsPerSecond = 5
            changed.apps[0].restorePolicy = .share
            let reloaded = changed
            try await world.server.reload { reloaded }
            #expect(try await Self.status(world, Self.second) == 200)
            #expect(lines.text.contains("take effect only after a restart") && lines.text.contains("limits"))
            #expect(try world.server.core.configuration.apps[0].restorePolicy == .transfer)
        }
    }

    // MARK: - Keys of the App Store Server API

    private static func signingKey(_ world: World) throws -> SigningKey {
        let information = world.simulator.information
        return try SigningKey(
            pem: String(contentsOfFile: information.privateKey, encoding: .utf8), keyID: information.keyID)
    }

    private static func keyID(of jws: String?) throws -> String? {
        let header = try JSONSerialization.jsonObject(with: try #require(jws).jwsPart(0))
        return (header as? [String: Any])?["kid"] as? String
    }

    @Test func `Requests to the App Store succeed during the replacement of a signing key`() async throws {
        try await World.run(server: { $0.keys = [World.backend] }) { world in
            let old = try Self.signingKey(world)
            let new = try SigningKey(pem: world.simulator.addAPIKey("NEWKEY0001"), keyID: "NEWKEY0001")
            let transaction = try #require(
                try await world.simulator.perform(.purchase(customer: "anna", product: World.monthly)).transactionID)
            func keyIDOfRequest() async throws -> String? {
                _ = try await world.signedTransactions(of: transaction)
                return try Self.keyID(of: try world.appStoreClient().tokens.token().text)
            }
            func offer() async throws -> String {
                let answer = try await world.call(
                    .POST, "/v1/customers/anna/offers/promotional",
                    ["product_id": World.monthly, "offer_id": "save20", "force": true])
                return try #require(answer.text("jws"))
            }
            func isProven(_ text: String) async throws -> Bool? {
                try await world.call(.POST, "/v1/decode", data: Data(text.utf8)).flag("is_proven")
            }
            #expect(try await keyIDOfRequest() == old.keyID)
            let former = try await offer()
            var changed = try world.configuration()
            changed.apps[0].key?.signingKey = new
            changed.apps[0].key?.formerKey = old
            changed.apps[0].offerKey = new
            let reloaded = changed
            try await world.server.reload { reloaded }
            #expect(try await keyIDOfRequest() == new.keyID)
            let fresh = try await offer()
            #expect(try Self.keyID(of: fresh) == new.keyID)
            for text in [fresh, former] { #expect(try await isProven(text) == true) }
            // Revoking the old key changes nothing.
            world.simulator.revokeAPIKey(old.keyID)
            #expect(try await keyIDOfRequest() == new.keyID)
        }
    }

    @Test func `The server uses the former key if the App Store refuses the new one`() async throws {
        try await World.run { world in
            let old = try Self.signingKey(world)
            let new = try SigningKey(pem: world.simulator.addAPIKey("NEWKEY0002"), keyID: "NEWKEY0002")
            let transaction = try #require(
                try await world.simulator.perform(.purchase(customer: "anna", product: World.monthly)).transactionID)
            var changed = try world.configuration()
            changed.apps[0].key?.signingKey = new
            changed.apps[0].key?.formerKey = old
            let reloaded = changed
            try await world.server.reload { reloaded }
            #expect(try await world.signedTransactions(of: transaction).count == 1)
            world.simulator.revokeAPIKey(new.keyID)
            #expect(try await world.signedTransactions(of: transaction).count == 1)
            #expect(try Self.keyID(of: try world.appStoreClient().tokens.token().text) == old.keyID)
            // With both keys revoked, the request fails.
            world.simulator.revokeAPIKey(old.keyID)
            let error = await #expect(throws: AppStoreServerError.self) {
                try await world.signedTransactions(of: transaction)
            }
            #expect(error?.code == .unauthorized)
        }
    }

    // MARK: - A process

    @Test func `A server process reads its configuration again on SIGHUP`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            func write(_ key: String, more: String = "") throws {
                let hash = APIKeyText.hexadecimalHash(of: key)
                try Data(
                    """
                    apps: [{bundle_id: com.example.app, apple_id: 1234567890}]
                    recovery: {enabled: false}
                    keys: [{name: k, secret: {sha256: \(hash)}, scopes: [all]}]
                    \(more)
                    """.utf8
                ).write(to: file)
            }
            try write(Self.first)
            let log = folder.appending(path: "log.txt")
            let server = try await ServerProcess(configuration: file, log: log)
            func status(_ key: String) async throws -> Int {
                try await TestAPIClient(url: server.url, key: key).get("/v1/customers/anna").status
            }
            func wait(for words: String) async throws {
                try await waitUntil("the log contains: \(words)") {
                    try String(contentsOf: log, encoding: .utf8).contains(words)
                }
            }
            #expect(try await status(Self.first) == 200)
            let note = "certificates that have expired are accepted"
            #expect(try !String(contentsOf: log, encoding: .utf8).contains(note))
            try write(Self.second, more: "trust: {certificates_valid_at: signing_date}")
            server.hangUp()
            try await wait(for: "the configuration was read again")
            #expect(try String(contentsOf: log, encoding: .utf8).contains(note))
            #expect(try await status(Self.second) == 200)
            #expect(try await status(Self.first) == 401)
            try write(Self.first, more: "nonsense: 1")
            server.hangUp()
            try await wait(for: "the configuration was not applied")
            #expect(try String(contentsOf: log, encoding: .utf8).contains("nonsense"))
            #expect(try await status(Self.second) == 200)
            #expect(await server.stop() == 0)
        }
    }
}
