import AppStoreTrust
import CounterfoilServer
import Foundation
import Testing

@Suite struct `Configuration warnings` {
    private typealias Test = TestConfiguration

    private func notes(_ text: String, _ files: [String: ConfigurationFiles.File] = [:]) throws -> [String] {
        try Test.read(text, files: files).warnings.map(\.description)
    }

    @Test func `Notes warn of readable secrets, missing TLS and missing keys`() throws {
        let text = """
            listen: {host: 0.0.0.0}
            apps:
              - bundle_id: com.example.app
                environments: [Sandbox]
                shared_secrets: [inline, {file: secret}]
            """
        #expect(
            try notes(text, ["/etc/counterfoil/secret": Test.file("secret", 0o640)])
                == [
                    #"listen: others can reach "0.0.0.0" without TLS; set tls or trusted_proxies, line 1"#,
                    #"apps[0].shared_secrets[1].file: "secret" can be read by others than its owner (640): chmod 600, "#
                        + "line 5",
                    "apps[0]: has no key: no recovery, and no history for restores, line 3",
                    "apps[0]: accepts only the sandbox, line 3",
                    "apps[0].shared_secrets[0]: the secret is in this file; write {file: …} or {environment: …}, line 5",
                    "keys: no key is configured, so nobody can use the API",
                ].sorted { line($0) < line($1) })
    }

    private func line(_ text: String) -> Int { text.split(separator: " ").last.flatMap { Int($0) } ?? .max }

    @Test func `No note about TLS is given behind a proxy or on loopback`() throws {
        for listen in ["host: 0.0.0.0, trusted_proxies: [10.0.0.0/8]", "host: localhost", "host: \"::1\""] {
            #expect(try !notes(Test.smallest + "listen: {\(listen)}").contains { $0.hasPrefix("listen") })
        }
    }

    @Test func `A note says that the console does not work below a path of the public URL`() throws {
        func isNoted(_ url: String, _ console: String = "{enabled: true}") throws -> Bool {
            let text = Test.smallest + "listen: {public_url: \"\(url)\"}\nconsole: \(console)\n"
            return try notes(text).contains {
                $0.hasPrefix("listen.public_url: the console works at the root of a host")
            }
        }
        #expect(try isNoted("https://example.com/purchases"))
        for url in ["https://example.com", "https://example.com/"] { #expect(try !isNoted(url)) }
        for console in ["{enabled: false}", "{enabled: true, listen: {port: 8081}}"] {
            #expect(try !isNoted("https://example.com/purchases", console))
        }
    }

    @Test func `A note names environment variables that look like settings, except those of secrets`() throws {
        let text = Test.smallest + "keys: [{name: a, secret: {environment: COUNTERFOIL_KEY}, scopes: [all]}]"
        let environment = [
            "COUNTERFOIL_KEY": String(repeating: "k", count: 24), "COUNTERFOIL_PROT": "1", "PATH": "/bin",
            "COUNTERFOIL_SIMULATOR": "/store", "COUNTERFOIL_URL": "http://127.0.0.1:8080",
        ]
        let notes = try Test.read(text, environment: environment).warnings.map(\.description)
        #expect(
            notes.filter { $0.contains("variable") } == [
                #"the environment variable "COUNTERFOIL_PROT" is not a setting; did you mean "COUNTERFOIL_PORT"?"#
            ])
    }

    @Test func `A note warns of two apps with the same key for signed responses`() throws {
        func found(_ keys: [String]) throws -> [String] {
            let apps = keys.enumerated().map { index, key in
                "  - {bundle_id: com.example.app\(index), apple_id: 1\(index), answer_key: {file: \(key)}}\n"
            }
            let files = [
                "/etc/counterfoil/one": Test.file(Data(repeating: 1, count: 32).base64EncodedString()),
                "/etc/counterfoil/two": Test.file(Data(repeating: 2, count: 32).base64EncodedString()),
            ]
            return try notes("apps:\n" + apps.joined(), files).filter { $0.contains("answer_key") }
        }
        #expect(try found(["one", "two"]) == [])
        let expected = "is the same as that of another app: each of the two accepts responses about the other"
        #expect(try found(["one", "two", "one"]) == ["apps[2].answer_key: \(expected), line 4"])
    }

    @Test(arguments: [
        ("Com.Example App", true), ("com.example.app ", true), ("com.example_app", true), ("com.exämple.app", true),
        ("Com.Example-2.app", false),
    ])
    func `A note names a bundle ID with characters that Apple does not allow`(_ id: String, _ isNoted: Bool) throws {
        let found = try notes("apps: [{bundle_id: \"\(id)\", apple_id: 1}]").filter { $0.contains("bundle_id") }
        let expected = "is not a bundle ID: expected only letters, digits, hyphens and periods, line 1"
        #expect(found == (isNoted ? ["apps[0].bundle_id: \"\(id)\" \(expected)"] : []))
    }

    @Test func `Notes warn of accepting expired certificates and of a simulator's clock`() throws {
        let found = try notes(
            Test.smallest + "trust: {certificates_valid_at: signing_date}\nclock: http://127.0.0.1:1/")
        #expect(found.contains("trust.certificates_valid_at: certificates that have expired are accepted, line 4"))
        #expect(found.contains(#"clock: the server uses the clock of "127.0.0.1", line 5"#))
    }

    @Test func `An unknown event is reported, while patterns and future notification types are accepted`() throws {
        let secret = Test.file("whsec_\(Data(count: 24).base64EncodedString())")
        let error = #expect(throws: (any Error).self) {
            _ = try notes(
                Test.smallest + """
                    webhooks:
                      - name: hook
                        url: https://example.com
                        secrets: [{file: secret}]
                        events: [subscription.renewd, subscription.*, "*", notification.something_new]
                    """, ["/etc/counterfoil/secret": secret])
        }
        let message = error.map { "\($0)" } ?? ""
        #expect(message.contains(#"events[0]: "subscription.renewd" is not an event"#))
        #expect(message.contains(#"did you mean "subscription.renewed"?"#))
        #expect(!message.contains("events[1]") && !message.contains("events[2]") && !message.contains("events[3]"))
    }
}
