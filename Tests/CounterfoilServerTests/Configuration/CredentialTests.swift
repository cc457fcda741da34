import CounterfoilServer
import Testing

@testable import Ledger

@Suite struct `A credential of a systemd unit` {
    private typealias Test = TestConfiguration

    private static let folder = "/run/credentials/counterfoil.service"
    private static let issuer = "69a6de70-03db-47e3-e053-5b8c7c11a4d1"

    /// A configuration in which every secret is a credential.
    private static let text = """
        apps:
          - bundle_id: com.example.shop
            apple_id: 1
            key: {issuer_id: \(issuer), key_id: 2X9R4HXF34, private_key: {file: \(folder)/key.p8}}
            customer_token_secret: {file: \(folder)/tokens}
            entitlements: {premium: [monthly]}
        listen: {tls: {certificate: \(folder)/tls.pem, key: \(folder)/tls.key}}
        keys:
          - {name: backend, secret: {file: \(folder)/backend}, scopes: [all]}
          - {name: app, secret: {file: \(folder)/app}, scopes: ["customers:read"], public: true}
        webhooks: [{name: crm, url: "https://crm.example.com", secrets: [{file: \(folder)/hook}]}]
        console: {enabled: true, secret: {file: \(folder)/console}}
        """

    @Test func `A missing credential is an error in the server and a note in a check before the unit runs`() throws {
        let problems = Test.problems(Self.text)
        #expect(problems.count == 8, "\(problems)")
        #expect(problems.allSatisfy { $0.contains("does not exist: systemd makes it only while the unit runs") })
        let loaded = try Test.read(Self.text, secrets: .present)
        let notes = loaded.warnings.map(\.description)
        #expect(notes.count == 8 && notes.allSatisfy { $0.contains("was not checked") }, "\(notes)")
        #expect(
            notes.first
                == #"apps[0].key.private_key.file: "/run/credentials/counterfoil.service/key.p8" was not checked: it "#
                + "exists only while the unit runs, with LoadCredential=key.p8:… in it, line 4")
        #expect(
            loaded.hasMissingCredential(in: "apps[0].key")
                && loaded.hasMissingCredential(in: "apps[0].customer_token_secret"))
        #expect(!loaded.hasMissingCredential(in: "apps[0].offers") && !loaded.hasMissingCredential(in: "apps[0].k"))
        #expect(loaded.configuration.keys.map(\.name) == ["backend", "app"])
        #expect(loaded.configuration.listen.tls != nil && loaded.configuration.webhooks.map(\.name) == ["crm"])
    }

    @Test func `Credentials are recognised by CREDENTIALS_DIRECTORY`() throws {
        let text = Test.smallest + "    customer_token_secret: {file: /run/user/1000/credentials/c.service/tokens}\n"
        #expect(throws: ConfigurationError.self) { try Test.read(text, secrets: .present) }
        let environment = ["CREDENTIALS_DIRECTORY": "/run/user/1000/credentials/c.service"]
        let loaded = try Test.read(text, environment: environment, secrets: .present)
        #expect(loaded.hasMissingCredential(in: "apps[0].customer_token_secret"))
    }

    @Test(arguments: [("\(folder)/tokens", 0), ("/etc/counterfoil/tokens", 1)])
    func `A credential may be readable by its group without a note, other secret files may not`(
        _ path: String, _ count: Int
    ) throws {
        let file = Test.file(String(repeating: "a", count: 32), 0o440)
        let text = Test.smallest + "    customer_token_secret: {file: \(path)}\n"
        let loaded = try Test.read(text, files: [path: file])
        #expect(loaded.warnings.count { $0.message.contains("can be read by others") } == count, "\(loaded.warnings)")
    }

    @Test func `A missing secret file outside the credentials folder is an error in a check as well`() {
        let text = Test.smallest + "    customer_token_secret: {file: /etc/counterfoil/none}\n"
        #expect(throws: ConfigurationError.self) { try Test.read(text, secrets: .present) }
    }
}
