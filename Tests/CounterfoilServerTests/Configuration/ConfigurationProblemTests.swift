import AppStoreTrust
import CounterfoilServer
import Foundation
import Testing

@Suite struct `A wrong configuration` {
    private typealias Test = TestConfiguration

    @Test func `A wrong configuration reports all its problems at once, each with its line`() {
        let text = """
            lisen: {port: 80}
            listen:
              port: 70000
              tls: {certificate: none.pem}
            apps:
              - bundle_id: com.example.app
                restore_polcy: transfer
                key:
                  issuer_id: x
                  key_id: y
                  private_key: {file: missing.p8}
            keys:
              - {name: a b, secret: short, scopes: [everything]}
            webhooks:
              - {name: crm, url: "ftp://example.com", secrets: [{environment: NONE}], apps: [com.example.ap]}
            """
        #expect(
            Test.problems(text) == [
                #"lisen: is not a key of this format; did you mean "listen"?, line 1"#,
                "listen.port: is 70000 and should be between 0 and 65535, line 3",
                "listen.tls.key: is missing, line 4",
                "apps[0].apple_id: is missing; production needs it, App Store Connect shows it under App Information, "
                    + "line 6",
                #"apps[0].restore_polcy: is not a key of this format; did you mean "restore_policy"?, line 7"#,
                #"apps[0].key.private_key.file: "missing.p8" does not exist, line 11"#,
                "keys[0].name: should consist of letters, digits, dots, - and _, at most 100, line 13",
                "keys[0].secret: is shorter than 24 characters; counterfoil server keys create makes a good one, line 13",
                "keys[0].scopes[0]: is none of customers:read, customers:write, customers:transfer, customers:erase, "
                    + "grants:write, offers:sign, "
                    + "support:read, support:write, operations:read, operations:write, webhooks:write, "
                    + "audit:read, console:open, all, line 13",
                "keys[0].secret: the secret is in this file; write {file: …} or {environment: …}, line 13",
                #"webhooks[0].secrets[0].environment: the environment variable "NONE" is not set, line 15"#,
                #"webhooks[0].apps[0]: "com.example.ap" is not one of the apps; did you mean "com.example.app"?, line 15"#,
                #"webhooks[0].url: "ftp://example.com" is not a URL such as https://example.com/hooks, line 15"#,
            ])
    }

    @Test(arguments: refusals)
    func `Each wrong setting is reported with its own reason`(_ text: String, _ reason: String) {
        let files = [
            "text": Test.file("text"), "long": Test.file(String(repeating: "a", count: 32)), "empty": Test.file("\n"),
            "key": Test.file(Test.privateKey),
            "binary": .init(contents: Data([0xFF, 0xFE]), permissions: 0o600),
        ]
        let problems = Test.problems(
            text, files: Dictionary(uniqueKeysWithValues: files.map { ("/etc/counterfoil/" + $0, $1) }))
        #expect(problems.contains { $0.contains(reason) }, "\(problems)")
    }

    /// Texts and their problems. The type is explicit to keep type checking fast.
    private static let refusals: [(String, String)] = [
        ("", "apps: is missing"), ("apps: []", "apps: at least one app is required"),
        ("- a", "is a list and should be a mapping"), ("apps: {", "not YAML"),
        (Test.smallest + "storage: here", "storage: is text and should be a mapping"),
        (Test.smallest + "clock: noon", "neither system nor the URL"),
        (Test.smallest + "recovery: {interval: often}", "is not a duration"),
        (Test.smallest + "recovery: {interval: 1s}", "is not between 10s and 604800s"),
        (Test.smallest + "recovery: {overlap: 0s}", "is not between 60s and 604800s"),
        (Test.smallest + "recovery: {interval: 9999999999999w}", "is not a duration"),
        (Test.smallest + "limits: {request_bytes: 1}", "is not between 65536"),
        (Test.smallest + "limits: {request_bytes: much}", "is not a number of bytes"),
        (Test.smallest + "limits: {request_bytes: 8 MiB, buffered_bytes: 4 MiB}", "is less than request_bytes"),
        (Test.smallest + "limits: {connections_per_address: 0}", "should be between 1 and"),
        (Test.smallest + "listen: {metrics: everybody}", "is none of key, local"),
        (Test.smallest + #"listen: {host: "[::1]"}"#, "listen.host: \"[::1]\" is neither an address nor a name"),
        (Test.smallest + #"listen: {host: "127.0.0.1:80"}"#, "is neither an address nor a name"),
        (Test.smallest + "listen: {host: http://localhost}", "is neither an address nor a name"),
        (Test.smallest + #"console: {listen: {host: " ::1"}}"#, "console.listen.host: \" ::1\" is neither an address"),
        (Test.smallest + "limits: {requests_per_second: 0}", "should be between 1 and"),
        (Test.smallest + #"storage: {path: ""}"#, "storage.path: is empty"),
        (Test.smallest + "trust: {anchors: []}", "is empty, so nothing would be trusted"),
        (Test.smallest + "trust: {anchors: [root.cer]}", #""root.cer" does not exist"#),
        (Test.smallest + "trust: {anchors: [text]}", #""text": no certificate was found"#),
        (Test.smallest + #"trust: {revocation_hosts: ["http://ocsp.example.com"]}"#, "is not a host such as"),
        (Test.smallest + #"trust: {revocation_hosts: ["ocsp.example.com:80"]}"#, "is not a host such as"),
        (Test.smallest + "trust: {revocation_hosts: [ocsp.example.com/status]}", "is not a host such as"),
        (Test.smallest + #"trust: {revocation_hosts: ["*.example.com"]}"#, "is not a host such as"),
        (Test.smallest + "listen: {trusted_proxies: [10.0.0.1/8]}", "is not a network such as"),
        (Test.smallest + "listen: {notification_networks: []}", "is empty; leave it out for everything"),
        (Test.smallest + "listen: {notification_networks: }", "listen.notification_networks: is empty"),
        (Test.smallest + "listen: {public_url: example.com}", "is not a URL such as"),
        (Test.smallest + "listen: {tls: {certificate: text, key: text}}", "contains no PEM"),
        (Test.smallest + "log: {level: loud}", "is none of trace"),
        (Test.smallest + "console: {listen: {port: 0}}", "is 0 and should be between 1 and 65535"),
        (Test.smallest + "console: {enabled: true, listen: {port: 8080}}", "console.listen.port: is also listen.port"),
        (
            Test.smallest + "listen: {host: 0.0.0.0, port: 8090}\nconsole: {enabled: true, listen: {host: 127.0.0.1}}",
            "console.listen.port: is also listen.port"
        ),
        (Test.smallest + Test.smallest.replacing("apps:\n", with: ""), #""com.example.app" is used twice"#),
        (app("apple_id: zero"), "is not a number such as"),
        (app("entitlements: {a b: [c]}"), "should consist of letters"),
        (app("products: {a: {duration: 1M}}"), "is not a period"),
        (app("products: {a: {consumable: true, duration: P1M}}"), "a consumable product has none"),
        (app("products: {a: {consumable: true, group: b}}"), "a consumable product has none"),
        (app("products: {a: {level: 0}}"), "should be between 1 and 1000"),
        (app("shared_secrets: [hidden]"), "the secret is in this file"),
        (app("shared_secrets: [{file: text, environment: A}]"), "should have either file or environment"),
        (app("shared_secrets: [{}]"), "should have either file or environment"),
        (app("shared_secrets: [[a]]"), "is a list and should be"),
        (app("shared_secrets: [{file: empty}]"), "is empty"),
        (app("shared_secrets: [{file: binary}]"), "is not text"),
        (app("customer_token_secret: {file: text}"), "is shorter than 32 bytes"),
        (app("customer_token_secret: [{file: long}, {file: text}]"), "is shorter than 32 bytes"),
        (app("customer_token_secret: [{file: long}, {file: long}, {file: long}]"), "should be one secret, or two"),
        (app("answer_key: {file: text}"), "is not 32 bytes in base64"),
        (
            two("customer_token_secret: {file: long}", "customer_token_secret: {file: long}"),
            "is the same as that of another app"
        ),
        (app("customer_token_secret: {file: long}\n    shared_secrets: {file: long}"), "is also a shared secret"),
        (two("shared_secrets: {file: text}", "shared_secrets: {file: text}"), "belongs in account_shared_secrets"),
        (
            "account_shared_secrets: {file: text}\n" + app("shared_secrets: {file: text}"),
            "belongs in account_shared_secrets"
        ),
        (
            "account_shared_secrets: {file: long}\n" + app("customer_token_secret: {file: long}"),
            "is also a shared secret"
        ),
        ("apps: [{bundle_id: \"com.jose\u{301}\", environments: [Sandbox]}]", "Normalization Form C"),
        (app("key: {issuer_id: a, key_id: b, private_key: api.p8}"), "name a file as {file: …}"),
        (app("key: {issuer_id: a, key_id: b, private_key: {file: text}}"), "not a PEM file with a private key"),
        (app("key: {issuer_id: \"\", key_id: b, private_key: {file: key}}"), "issuer_id: is empty"),
        (app("base_urls: {production: store}"), "not a usable base URL"),
        (
            app("base_urls: {production: 'https://a:b@example.com'}"),
            "production: the value (not shown, since it contains an @) is not a usable base URL"
        ),
        (
            Test.smallest + "trust: {revocation_hosts: ['a:b@example.com']}",
            "revocation_hosts[0]: the value (not shown, since it contains an @) is not a host such as"
        ),
        (app("base_urls: {production: 'https://api.storekit-sandbox.apple.com'}"), "App Store's address for Sandbox"),
        (
            app("base_urls: {production: 'https://proxy.example', sandbox: 'https://proxy.example/'}"),
            "base_urls.sandbox: is the same as the URL for production"
        ),
        (app("base_urls: {sandbox: 'https://API.storekit.itunes.apple.com/'}"), "App Store's address for Production"),
        (app("consumption: {refund_preference: maybe}"), "is none of undeclared"),
        (key("scopes: []"), "scopes: is empty"), (key(""), "scopes: is missing"),
        (
            key("scopes: [all], public: true"),
            "a public key cannot have audit:read, console:open, customers:erase, customers:transfer, grants:write"
        ),
        (
            key("scopes: [customers:read], public: true"),
            "apps[0].customer_token_secret: is missing; the public key at keys[0] needs it"
        ),
        (key("scopes: [all]", secret: "{sha256: 0011}"), "is not 64 hexadecimal digits"),
        (webhook("url: https://example.com"), "secrets: is empty"),
        (webhook("url: http://localhost/"), "is not public"), (webhook("url: \"http://[::1]/\""), "is not public"),
        (webhook("url: https://169.254.169.254/"), "is not public"),
        (
            webhook("url: https://a:b@example.com/"),
            "url: the value (not shown, since it contains an @) is not a URL such as"
        ),
        (webhook("url: https://example.com:0/"), "nothing can be sent to"),
        (webhook("url: https://hooks.example.com./"), "nothing can be sent to"),
        (webhook("url: https://xn--exmple-cua.com/"), "internationalized host names are not supported"),
        (webhook("url: http://2130706433/, allow_private_networks: true"), "nothing can be sent to"),
        (webhook("url: https://example.com, events: [all of them]"), "is not a type such as"),
        (webhook("url: https://example.com, events: []"), "webhooks[0].events: is empty"),
        (webhook("url: https://example.com, events: "), "webhooks[0].events: is empty"),
        (webhook("url: https://example.com, apps: []"), "webhooks[0].apps: is empty"),
        (webhook("url: https://example.com, environments: []"), "webhooks[0].environments: is empty"),
        (app("environments: []"), "apps[0].environments: is empty; leave it out for everything"),
        (key("scopes: [all], apps: "), "keys[0].apps: is empty"),
        (key("scopes: [all], environments: []"), "keys[0].environments: is empty"),
    ]

    private static func app(_ line: String) -> String {
        let lines = line.hasPrefix("apple_id") ? "" : "    apple_id: 1\n"
        return "apps:\n  - bundle_id: com.example.app\n\(lines)    \(line)\n"
    }

    private static func two(_ line: String, _ other: String) -> String {
        app(line) + "  - bundle_id: com.example.other\n    apple_id: 2\n    \(other)\n"
    }

    private static func key(_ members: String, secret: String = "{environment: KEY}") -> String {
        let hash = String(repeating: "0", count: 64)
        let secret = secret == "{environment: KEY}" ? "{sha256: \(hash)}" : secret
        return Test.smallest + "keys: [{name: key, secret: \(secret)\(members.isEmpty ? "" : ", ")\(members)}]\n"
    }

    private static func webhook(_ members: String) -> String {
        Test.smallest + "webhooks: [{name: hook, secrets: [], \(members)}]\n"
    }

    @Test func `The server can listen on addresses and names`() {
        for host in ["127.0.0.1", "::", "::1", "fe80::1%eth0", "localhost", "my_host-1.example.com."] {
            #expect(Test.problems(Test.smallest + "listen: {host: \"\(host)\"}") == [], "\(host)")
        }
    }

    @Test func `A problem about a file shows the end of a long path`() {
        let path = "/srv/" + String(repeating: "folder/", count: 20) + "AuthKey_ABC123DEFG.p8"
        let problems = Test.problems(Test.smallest + "    shared_secrets: [{file: \(path)}]\n")
        let expected = "apps[0].shared_secrets[0].file: …\"\(path.suffix(60))\" does not exist"
        #expect(problems.count == 1 && problems.allSatisfy { $0.hasPrefix(expected) }, "\(problems)")
    }

    @Test func `A secret for customer tokens is reported once for each app, however many public keys need it`() {
        let zeros = String(repeating: "0", count: 63)
        let text =
            Self.two("customer_token_secret: {environment: TOKENS}", "customer_token_secret: []") + """
                keys:
                  - {name: a, public: true, scopes: [customers:read], secret: {sha256: \(zeros)1}}
                  - {name: b, public: true, scopes: [customers:read], secret: {sha256: \(zeros)2}}
                """
        #expect(
            Test.problems(text) == [
                #"apps[0].customer_token_secret.environment: the environment variable "TOKENS" is not set, line 4"#,
                "apps[1].customer_token_secret: is missing; the public key at keys[0] needs it, line 7",
            ])
    }

    @Test func `No problem contains a secret`() {
        let text = """
            apps:
              - bundle_id: com.example.app
                apple_id: 1
                key: {issuer_id: a, key_id: b, private_key: {environment: KEY}}
                shared_secrets: [hunter2]
                customer_token_secret: hunter2
            keys: [{name: a, secret: hunter2, scopes: [all]}]
            webhooks: [{name: a, url: "https://example.com", secrets: [hunter2, {environment: KEY}]}]
            """
        let problems = Test.problems(text, environment: ["KEY": "-----BEGIN PRIVATE KEY-----\nhunter2"])
        #expect(problems.count >= 6)
        #expect(!problems.joined().contains("hunter2"))
    }
}
