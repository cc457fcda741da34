import AppStoreServer
import AppStoreTrust
import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import CounterfoilServer
@testable import Ledger
@testable import LedgerServices

@Suite struct `Configuration during key replacement` {
    private static func app(_ key: String) -> String {
        """
        apps:
          - bundle_id: com.example.app
            apple_id: 1234567890
            key: \(key)

        """
    }

    private static let environment = ["NEW": TestConfiguration.privateKey, "OLD": TestConfiguration.privateKey]
    private static let newer = "{issuer_id: i, key_id: NEW, private_key: {environment: NEW}}"
    private static let older = "{issuer_id: i, key_id: OLD, private_key: {environment: OLD}}"

    @Test func `Two keys are read with the newer first, and a note names the one being replaced`() throws {
        let loaded = try TestConfiguration.read(
            Self.app("[\(Self.newer), \(Self.older)]"), environment: Self.environment)
        let key = try #require(loaded.configuration.apps.first?.key)
        #expect(key.signingKey.keyID == "NEW" && key.formerKey?.keyID == "OLD")
        let settings = EffectiveConfiguration(loaded.configuration).settings
        #expect(settings.first { $0.path == "apps[0].offers" }?.value == "NEW")
        #expect(loaded.warnings.contains { $0.path == "apps[0].key[1]" && $0.message.contains("being replaced") })
        let one = try TestConfiguration.read(Self.app("[\(Self.newer)]"), environment: Self.environment)
        #expect(one.configuration.apps.first?.key?.signingKey.keyID == "NEW")
        #expect(one.configuration.apps.first?.key?.formerKey == nil)
    }

    @Test(arguments: [
        ("[]", "should be one key, or two"), ("[\(newer), \(older), \(newer)]", "should be one key, or two"),
        ("[\(newer), \(newer)]", "is the same as that of the newer key"),
        ("[\(newer), \(older.replacing("issuer_id: i", with: "issuer_id: j"))]", "differs from that of the newer key"),
        ("[\(newer), x]", "apps[0].key[1]"),
    ])
    func `Invalid lists of keys are refused`(_ key: String, _ words: String) {
        let problems = TestConfiguration.problems(Self.app(key), environment: Self.environment)
        #expect(problems.contains { $0.contains(words) }, "\(problems)")
    }

    @Test func `Two secrets of customer tokens are read with the newer first, and a note names the other`() throws {
        let (newer, former) = (String(repeating: "n", count: 32), String(repeating: "o", count: 32))
        func read(_ value: String) throws -> LoadedConfiguration {
            let text = TestConfiguration.smallest + "    customer_token_secret: \(value)\n"
            return try TestConfiguration.read(text, environment: ["NEW": newer, "OLD": former])
        }
        let two = try read("[{environment: NEW}, {environment: OLD}]")
        let app = try #require(two.configuration.apps.first)
        #expect(app.customerTokenSecrets.map(\.revealed) == [newer, former])
        #expect(app.customerTokenSecret?.revealed == newer)
        let path = "apps[0].customer_token_secret[1]"
        #expect(two.warnings.contains { $0.path == path && $0.message.contains("being replaced") }, "\(two.warnings)")
        let one = try read("{environment: NEW}")
        #expect(one.configuration.apps.first?.customerTokenSecrets.map(\.revealed) == [newer])
        #expect(!one.warnings.contains { $0.message.contains("being replaced") })
    }

    private static func root(_ name: String, until end: Date) throws -> String {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName(name) }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: end - 86_400 * 3650,
            notValidAfter: end, issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            }, issuerPrivateKey: .init(key))
        return try certificate.serializeAsPEM().pemString
    }

    @Test func `Apple's roots and files can be combined, with notes about other roots and those that expire`() throws {
        let end = try Date("2031-03-01T00:00:00Z", strategy: .iso8601)
        let loaded = try TestConfiguration.read(
            TestConfiguration.smallest + "trust: {anchors: [apple, next.pem]}\n",
            files: ["/etc/counterfoil/next.pem": TestConfiguration.file(try Self.root("Next Root", until: end))])
        let anchors = loaded.configuration.trust.anchors
        #expect(anchors.expirations.map(\.name) == ["Next Root"] + TrustAnchors.apple.expirations.map(\.name))
        #expect(loaded.configuration.trust.receiptAnchors == anchors)
        let warnings = loaded.warnings.filter { $0.path == "trust.anchors" }.map(\.message)
        #expect(warnings == ["roots other than Apple's are trusted"])
        func notes(_ days: Double) -> [String] {
            loaded.addingExpirationWarnings(at: end - days * 86_400).warnings.filter { $0.path == "trust" }.map(
                \.message)
        }
        #expect(notes(400).isEmpty)
        #expect(notes(300).count == 1 && notes(300).allSatisfy { $0.contains("Next Root expires on 2031-03-01") })
        #expect(notes(-1).count == 1)
    }

    @Test func `A reload applies keys, secrets, webhooks and public offers, and names what needs a restart`() throws {
        let old = try TestConfiguration.read(Self.app(Self.older), environment: Self.environment).configuration
        let changed = try TestConfiguration.read(
            Self.app("[\(Self.newer), \(Self.older)]") + """
                    public_offers: [save20]
                    customer_token_secret: {environment: TOKENS}
                    restore_policy: share
                keys: [{name: k, secret: {environment: KEY}, scopes: [all]}]
                webhooks: [{name: crm, url: "https://example.com/hook", secrets: [{environment: HOOK}]}]
                storage: {cache_mib: 64}
                listen: {port: 9}

                """,
            environment: Self.environment.merging(
                [
                    "TOKENS": String(repeating: "t", count: 32), "KEY": String(repeating: "k", count: 24),
                    "HOOK": "whsec_" + Data(repeating: 1, count: 24).base64EncodedString(),
                ]) { $1 }
        ).configuration
        let (applied, pending) = old.applying(changed)
        #expect(applied.apps[0].key?.signingKey.keyID == "NEW" && applied.apps[0].key?.formerKey?.keyID == "OLD")
        #expect(applied.apps[0].publicOffers == ["save20"] && applied.apps[0].customerTokenSecret != nil)
        #expect(applied.keys.count == 1 && applied.apps[0].restorePolicy == .transfer)
        #expect(old.webhooks.isEmpty && applied.webhooks.map(\.name) == ["crm"])
        #expect(applied.storage == old.storage && applied.listen == old.listen)
        #expect(pending == ["apps com.example.app", "listen", "storage"])
        #expect(old.applying(old).pending.isEmpty)
        // The client of the App Store is created at the start only.
        let without = try TestConfiguration.read(TestConfiguration.smallest).configuration
        #expect(without.applying(old).applied.apps[0].key == nil)
        #expect(without.applying(old).pending == ["apps com.example.app"])
        let other = try TestConfiguration.read(
            Self.app(Self.newer.replacing("issuer_id: i", with: "issuer_id: j")), environment: Self.environment)
        #expect(old.applying(other.configuration).applied.apps[0].key?.issuerID == "i")
        #expect(old.applying(other.configuration).pending == ["apps com.example.app"])
    }
}
