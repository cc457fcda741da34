import Basics
import Foundation
import TestSupport
import Testing

// server check, with and without --online.
extension `server init and server check` {
    @Test func `server check reports all errors with their lines`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "wrong.yaml")
            try Data("lisen: {}\napps:\n  - bundle_id: com.example.app\n".utf8).write(to: file)
            let outcome = try await Command.run(["server", "check", file.path])
            #expect(outcome.status == 1 && outcome.errors.hasSuffix("wrong.yaml has 2 problems\n"))
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.count == 2 && !outcome.output.contains("\u{1B}"))
            #expect(lines[0].hasSuffix(#"wrong.yaml:1: lisen: is not a key of this format; did you mean "listen"?"#))
            #expect(lines[1].contains("wrong.yaml:3: apps[0].apple_id: is missing"))
            let json = try await Command.run(["server", "check", "--config", file.path, "--json"])
            let object = try json.object()
            #expect(json.status == 1 && object["valid"] as? Bool == false)
            #expect(object["object"] as? String == "error" && object["code"] as? String == "invalid_configuration")
            let problems = try #require(object["problems"] as? [[String: Any]])
            #expect(problems.map { $0["line"] as? Int } == [1, 3])
            let missing = try await Command.run(["server", "check", folder.appending(path: "none").path])
            #expect(missing.status == 2 && missing.errors.contains("does not exist"))
            let twice = try await Command.run(["server", "check", file.path, "--config", file.path])
            #expect(twice.status == 2 && twice.errors.hasPrefix("Error: Name one configuration"), "\(twice.errors)")
        }
    }

    @Test func `server check --online can be limited to an app`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml").path
            let apps = ["a", "b"].map { "  - bundle_id: com.example.\($0)\n    apple_id: 1\n" }
            try Data(("apps:\n" + apps.joined()).utf8).write(to: URL(filePath: file))
            // Without a key it sends no request.
            let one = try await Command.run(["server", "check", file, "--online", "--app", "com.example.b"])
            #expect(one.status == 1)
            #expect(one.output.contains("com.example.b, Production: "), "\(one.output)")
            #expect(!one.output.contains("com.example.a, Production: "), "\(one.output)")
            let unknown = try await Command.run(["server", "check", file, "--online", "--app", "com.example.c"])
            #expect(unknown.status == 1 && unknown.errors.contains("com.example.c is not in the configuration"))
            let without = try await Command.run(["server", "check", file, "--app", "com.example.b"])
            #expect(without.status == 2 && without.errors.contains("--online"), "\(without.errors)")
        }
    }

    @Test func `server check reports a ledger's path that is a folder`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            try Data("apps:\n  - bundle_id: com.example.app\n    apple_id: 1\nstorage: {path: \".\"}\n".utf8).write(
                to: file)
            let outcome = try await Command.run(["server", "check", file.path])
            #expect(outcome.status == 1, "\(outcome.output)")
            #expect(outcome.output.contains("counterfoil.yaml:4: storage.path: "), "\(outcome.output)")
            #expect(outcome.output.contains(" is a folder; name a file in it"), "\(outcome.output)")
        }
    }

    /// The check said nothing, and the next start failed.
    @Test func `server check has a note about a ledger's folder that does not exist`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            for (path, count) in [("none/ledger.sqlite", 1), ("ledger.sqlite", 0)] {
                let text = "apps:\n  - bundle_id: com.example.app\n    apple_id: 1\nstorage: {path: \(path)}\n"
                try Data(text.utf8).write(to: file)
                let outcome = try await Command.run(["server", "check", file.path])
                #expect(outcome.status == 0, "\(outcome.output)")
                let notes = outcome.output.split(separator: "\n").filter {
                    $0.contains("counterfoil.yaml:4: storage.path: the folder ") && $0.contains("does not exist")
                }
                #expect(notes.count == count, "\(outcome.output)")
            }
        }
    }

    @Test func `A configuration for a simulator is valid, and server check prints its contents`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            try await RunningCommand.withSimulator(in: folder, []) { store, _ in
                let write = ["server", "init", "--simulator", store.path, "--output", file.path]
                let written = try await Command.run(write)
                #expect(written.status == 0 && !written.errors.contains("counterfoil.sqlite"), "\(written.errors)")
                try Data().write(to: folder.appending(path: "counterfoil.sqlite"))
                let again = try await Command.run(write + ["--force"])
                #expect(again.errors.contains("counterfoil.sqlite exists; if another simulator filled it"))
            }
            let checked = try await Command.run(["server", "check", file.path])
            #expect(checked.status == 0, "\(checked.output)")
            for text in [
                "valid", "listen      http://127.0.0.1:8080", "app         com.example", "  premium  com.example.",
                "key         first, all", "notes", "roots other than Apple's are trusted", "uses the clock",
            ] {
                #expect(checked.output.contains(text), "\(text)")
            }
            let object = try await Command.run(["server", "check", file.path, "--json"]).object()
            let app = try #require((object["apps"] as? [[String: Any]])?.first)
            #expect(app["has_key"] as? Bool == true)
            #expect((app["entitlements"] as? [String: [String]])?["unlock"] == ["com.example.unlock"])
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.contains(#""com.example.news.weekly": {level: 1, group: "20000002"}"#))
        }
    }

    @Test func `server check --online reports failures with status 1 and advice`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            try await RunningCommand.withSimulator(in: folder, []) { store, _ in
                let written = try await Command.run([
                    "server", "init", "--simulator", store.path, "--output", file.path,
                ])
                #expect(written.status == 0, "\(written.errors)")
                let checked = try await Command.run(["server", "check", file.path, "--online"])
                #expect(checked.status == 1 && checked.errors.contains("2 of 2 checks failed"), "\(checked.errors)")
                #expect(
                    checked.output.contains("no_notification_url  com.example.app, Production: "), "\(checked.output)")
                #expect(checked.output.contains("  set it: App Store Connect"))
                let json = try await Command.run(["server", "check", file.path, "--online", "--json"])
                // The report and the failure.
                let objects = try json.output.split(separator: "\n").map {
                    try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
                }
                #expect(objects.count == 2 && objects.last?["object"] as? String == "error")
                #expect(objects.last?["code"] as? String == "online_check_failed")
                let online = try #require(objects.first?["online"] as? [[String: Any]])
                #expect(json.status == 1 && online.map { $0["environment"] as? String } == ["Production", "Sandbox"])
                #expect(
                    online.allSatisfy { $0["result"] as? String == "no_notification_url" && $0["advice"] is String })
            }
            // Nothing answers, not even the clock.
            let alone = try await Command.run(["server", "check", file.path, "--online"])
            #expect(
                alone.status == 1 && alone.errors.contains("the request to the App Store failed"), "\(alone.errors)")
            #expect(!alone.errors.contains("Error"), "\(alone.errors)")
        }
    }

    /// A key for one app looked like one for all.
    @Test func `server check prints the apps and environments that a key is limited to`() async throws {
        let zeros = String(repeating: "0", count: 64)
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            let text = """
                apps: [{bundle_id: com.example.app, environments: [Sandbox]}]
                keys:
                  - name: support
                    secret: {sha256: \(zeros)}
                    scopes: [support:read]
                    apps: [com.example.app]
                    environments: [Sandbox]
                """
            try Data(text.utf8).write(to: file)
            let checked = try await Command.run(["server", "check", file.path])
            #expect(
                checked.output.contains("key         support, support:read, only com.example.app, Sandbox\n"),
                "\(checked.text)")
            let object = try await Command.run(["server", "check", file.path, "--json"]).object()
            let key = try #require((object["keys"] as? [[String: Any]])?.first)
            #expect(key["apps"] as? [String] == ["com.example.app"])
            #expect(key["environments"] as? [String] == ["Sandbox"])
        }
    }

    @Test func `server check accepts missing systemd credentials, and the server reports them`()
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "counterfoil.yaml")
            let text = """
                apps:
                  - bundle_id: com.example.app
                    apple_id: 1234567890
                    key: {issuer_id: i, key_id: ABC123DEFG, private_key: {file: /run/credentials/none.service/key.p8}}
                keys: [{name: first, secret: {file: /run/credentials/none.service/first}, scopes: [all]}]
                webhooks:
                  - name: chat
                    url: https://93.184.216.34/hooks/hidden
                    secrets: [{file: /run/credentials/none.service/chat}]
                """
            try Data(text.utf8).write(to: file)
            let checked = try await Command.run(["server", "check", file.path])
            #expect(checked.status == 0, "\(checked.text)")
            #expect(checked.output.contains("LoadCredential=key.p8:…") && !checked.output.contains("no key"))
            // The path of a webhook URL can be a secret.
            #expect(checked.output.contains("webhook     chat, https://93.184.216.34/…"))
            let object = try await Command.run(["server", "check", file.path, "--json"]).object()
            #expect((object["apps"] as? [[String: Any]])?.first?["has_key"] as? Bool == true)
            #expect(!"\(object)".contains("hidden"))
            let listed = try await Command.run(["server", "keys", "list", "--config", file.path])
            #expect(listed.output == "first  all\n", "\(listed.text)")
            for words in [
                ["run", "--config", file.path], ["recover", "--config", file.path], ["check", file.path, "--online"],
            ] {
                let outcome = try await Command.run(["server"] + words)
                #expect(outcome.status == 1)
                #expect(outcome.text.contains("systemd makes it only while the unit runs"), "\(outcome.text)")
            }
        }
    }
}
