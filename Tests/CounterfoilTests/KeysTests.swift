import CounterfoilServer
import Foundation
import TestSupport
import Testing

@Suite struct `counterfoil server keys` {
    private static let configuration = """
        apps:
          - bundle_id: com.example.app
            apple_id: 1
        keys:

        """

    @Test func `A created key works with the printed lines in a configuration`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "c.yaml")
            let made = try await Command.run([
                "keys", "create", "--name", "backend", "--scope", "customers:read", "--scope", "offers:sign", "--app",
                "com.example.app", "--json",
            ]).object()
            let key = try #require(made["key"] as? String)
            let yaml = try #require(made["yaml"] as? String)
            #expect(key.hasPrefix("cfk_"))
            #expect(!yaml.contains(key))
            #expect(made["sha256"] as? String == APIKeyText.hexadecimalHash(of: key))
            try Data((Self.configuration + yaml + "\n").utf8).write(to: file)
            let listed = try await Command.run(["server", "keys", "list", "--config", file.path])
            #expect(listed.output == "backend  customers:read, offers:sign; com.example.app\n")
            let line = try await Command.run(["server", "keys", "list", "--config", file.path, "--json"]).object()
            #expect(line["name"] as? String == "backend" && line["public"] as? Bool == false)
            let again = try await Command.run([
                "keys", "create", "--name", "backend", "--scope", "all", "--config", file.path,
            ])
            #expect(again.status == 1)
            #expect(again.errors.contains("already has a key named backend"))
            #expect(again.output.isEmpty)
            let text = try await Command.run([
                "server", "keys", "create", "--name", "x", "--scope", "all", "--config", file.path,
            ])
            #expect(text.status == 0)
            #expect(text.output.contains("Authorization: Bearer cfk_"))
            #expect(text.output.contains("  - name: x\n    secret: {sha256: "))
        }
    }

    @Test(arguments: ["null", "-", "--", "1.5", "true"])
    func `A key may have a name that means something else in YAML`(_ name: String) async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "c.yaml")
            let made = try await Command.run([
                "server", "keys", "create", "--name=\(name)", "--scope", "customers:read", "--json",
            ]).object()
            let yaml = try #require(made["yaml"] as? String)
            try Data((Self.configuration + yaml + "\n").utf8).write(to: file)
            let listed = try await Command.run(["server", "keys", "list", "--config", file.path, "--json"])
            #expect(try listed.object()["name"] as? String == name, "\(listed.errors)")
        }
    }

    @Test func `A created key can be limited to environments`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "c.yaml").path
            var keys = ""
            for (name, environments) in [("staging", ["sandbox"]), ("both", ["production", "Sandbox"])] {
                let options = environments.flatMap { ["--environment", $0] }
                let made = try await Command.run(
                    ["server", "keys", "create", "--name", name, "--scope", "all", "--json"] + options
                ).object()
                keys += try #require(made["yaml"] as? String) + "\n"
            }
            try Data((Self.configuration + keys).utf8).write(to: URL(filePath: file))
            let listed = try await Command.run(["server", "keys", "list", "--config", file])
            #expect(listed.output == "staging  all; Sandbox\nboth     all; Production, Sandbox\n", "\(listed.errors)")
        }
    }

    @Test func `A public key for an app without customer_token_secret is refused with advice`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "c.yaml")
            try Data("apps: [{bundle_id: com.example.app, environments: [Sandbox]}]\n".utf8).write(to: file)
            let arguments = ["server", "keys", "create", "--name", "app", "--scope", "customers:read", "--public"]
            let refused = try await Command.run(arguments + ["--config", file.path])
            #expect(refused.status == 1 && refused.output.isEmpty)
            #expect(refused.errors.hasPrefix("refused no_customer_token_secret: com.example.app has no"))
            #expect(refused.errors.contains("add customer_token_secret: {file: FILE} to the app"), "\(refused.errors)")
            let advised = try #require(refused.errors.firstMatch(of: /openssl rand -base64 32 > FILE/)).output
            let command = String(advised).replacing("FILE", with: "secret")
            let script = "cd '\(folder.path)' && umask 077 && \(command)"
            #expect(try await Command.run(URL(filePath: "/bin/sh"), ["-c", script]).status == 0)
            let text = """
                apps:
                  - {bundle_id: com.example.app, environments: [Sandbox], customer_token_secret: {file: secret}}

                """
            try Data(text.utf8).write(to: file)
            let made = try await Command.run(arguments + ["--config", file.path])
            #expect(made.status == 0, "\(made.errors)")
        }
    }
}
