import AppStoreTrust
import Basics
import Foundation
import StoreSimulator
import TestSupport
import Testing

/// Checks refusals of the command.
enum Refused {
    /// Expects a refusal with this code: as text on standard error and, with `--json`, also as one object.
    static func check(
        _ arguments: [String], stdin: Data = Data(), code: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let person = try await Command.run(arguments, stdin: stdin)
        #expect(person.status == 1, sourceLocation: sourceLocation)
        #expect(person.output.isEmpty, sourceLocation: sourceLocation)
        #expect(person.errors.hasPrefix("refused \(code): "), "\(person.errors)", sourceLocation: sourceLocation)
        let program = try await Command.run(arguments + ["--json"], stdin: stdin)
        #expect(program.status == 1, sourceLocation: sourceLocation)
        // Both messages are equal except for the instant of the verification.
        let digits = #/\d/#
        #expect(
            program.errors.replacing(digits, with: "0") == person.errors.replacing(digits, with: "0"),
            sourceLocation: sourceLocation)
        let object = try program.object()
        #expect(object["object"] as? String == "error", sourceLocation: sourceLocation)
        #expect(object["valid"] as? Bool == false, sourceLocation: sourceLocation)
        #expect(object["code"] as? String == code, sourceLocation: sourceLocation)
        #expect(object["message"] is String, sourceLocation: sourceLocation)
    }
}

@Suite struct `Command line usage` {
    @Test(arguments: [
        ("", "malformed_compact_form", "malformed_receipt"), ("\n", "malformed_compact_form", "malformed_receipt"),
        ("a.b.c", "bad_base64url", "bad_base64url"), ("e30.e30.e30", "bad_json", "bad_base64url"),
        ("{", "malformed_compact_form", "malformed_receipt"),
        ("\0\0\0\0", "malformed_compact_form", "bad_base64url"),
    ])
    func `A text that is neither signed data nor a receipt is refused`(_ text: String, _ jws: String, _ receipt: String)
        async throws
    {
        try await Refused.check(["verify", "-"], stdin: Data(text.utf8), code: jws)
        try await Refused.check(["receipt", "-"], stdin: Data(text.utf8), code: receipt)
    }

    @Test(arguments: ["30", "3080", "30820100", "7b", "ff", "fffe4d00", "c080"])
    func `Random bytes are refused with status 1`(_ start: String) async throws {
        var random = SeededGenerator(seed: 1)
        let start = try #require([UInt8](hexadecimal: start))
        let garbage = Data(start) + Data(random.bytes(5000))
        for input in [Data(start), garbage] {
            for command in ["verify", "receipt"] {
                let outcome = try await Command.run([command, "-"], stdin: input)
                #expect(outcome.status == 1)
                #expect(outcome.output.isEmpty)
                #expect(outcome.errors.hasPrefix("refused "))
            }
        }
    }

    @Test(arguments: [
        "verify none.jws", "receipt none.b64", "server check none.yaml",
        "server run --config none.yaml", "server keys list --config none.yaml",
        "server recover --config none.yaml", "server import none.txt", "ledger rebuild --config none.yaml",
        "ledger export --config none.yaml", "ledger import none.jsonl", "ledger restore none.sqlite",
        "simulator scenario run none.yaml", "simulator --catalogue none.yaml", "verify - --root none.pem",
    ])
    func `A missing file is reported with status 2 and its name`(_ line: String) async throws {
        let outcome = try await Command.run(line.split(separator: " ").map(String.init))
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(outcome.output.isEmpty && outcome.errors.contains("none."))
    }

    @Test(arguments: [
        "ledger backup --output -", "ledger restore -", "ledger rebuild --config -", "server check -",
        "server import -",
        "server run --config -", "simulator --catalogue -",
        "sign token --private-key - --key-id K --issuer-id i --app com.example",
    ])
    func `A command that does not use standard input or output asks for a file instead of a dash`(_ line: String)
        async throws
    {
        let outcome = try await Command.run(line.split(separator: " ").map(String.init))
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("Error: Name a file instead of -"), "\(outcome.errors)")
    }

    @Test(arguments: [
        "verify /", "receipt /", "server check /", "server run --config /", "server import /", "ledger import /",
        "ledger restore /", "simulator scenario run /", "simulator --catalogue /",
    ])
    func `A folder is refused with a request for a file in it`(_ line: String) async throws {
        let outcome = try await Command.run(line.split(separator: " ").map(String.init))
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("Error: / is a folder; name a file in it."), "\(outcome.errors)")
    }

    @Test(arguments: [
        ("verify none.jws", "verify"), ("server check none.yaml", "server check"),
        ("ledger restore none.sqlite", "ledger restore"), ("api none", "api"),
    ])
    func `Wrong usage prints the usage of the subcommand`(_ line: String, _ command: String)
        async throws
    {
        let outcome = try await Command.run(line.split(separator: " ").map(String.init))
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("\nUsage: counterfoil \(command) "), "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix("  See 'counterfoil \(command) --help' for more information.\n"))
    }

    @Test func `The manual page has the help of all commands, with examples that can be copied`() async throws {
        try await Tool.inTemporaryFolder { folder in
            // The script installs a small program that runs the command.
            let command = folder.appending(path: "command")
            try Data("#!/bin/sh\nexec '\(Tool.executable().path)' \"$@\"\n".utf8).write(to: command)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: command.path)
            let script = #""$0" "$1" "$2" >/dev/null && gzip -dc "$2/share/man/man1/counterfoil.1.gz""#
            let install = Fixtures.package.appending(path: "Scripts/install")
            let page = try await Command.run(
                URL(filePath: "/bin/sh"), ["-c", script, install.path, command.path, folder.path],
                environment: ["PATH": "/usr/bin:/bin"])
            #expect(page.status == 0, "\(page.errors)")
            let lines = page.output.split(separator: "\n")
            #expect(lines.contains(".SH \"counterfoil simulator clock advance\""))
            #expect(lines.contains(#"  counterfoil simulator do \(aq{"cancel":{"customer":"anna"}}\(aq"#))
            // Groff prints these characters as hyphens and quotation marks, unless they are escaped.
            for line in lines where !line.hasPrefix(".") {
                #expect(!line.replacing(#"\-"#, with: "").contains { "-'`".contains($0) }, "\(line)")
            }
        }
    }

    @Test(arguments: [
        ("verify none.jws", 2, "usage"), ("simulator status --simulator /nowhere", 1, "no_simulator"),
        ("simulator status --simulator http://127.0.0.1:1", 1, "no_answer"),
        // The highest price of a catalogue is accepted.
        ("simulator raise-price p 1000000000 --simulator http://127.0.0.1:1", 1, "no_answer"),
        ("server segments --url http://127.0.0.1:1 --key KEY", 1, "no_answer"),
        ("server get /v1/audit --url http://127.0.0.1:1 --key KEY", 1, "no_answer"),
        ("server get /v1/audit --url http://127.0.0.1:1 --key /dev/null", 2, "usage"),
        ("api transaction 1 --simulator /nowhere", 1, "no_simulator"),
        ("sign promotional-offer --product p --offer o --private-key none.p8 --key-id K --app a", 2, "usage"),
        ("simulator listen --simulator /nowhere", 1, "no_simulator"),
    ])
    func `With --json, every failure is printed as an error object`(_ line: String, _ status: Int32, _ code: String)
        async throws
    {
        try await Tool.inTemporaryFolder { folder in
            let key = folder.appending(path: "key.txt")
            try Data("cfk_key\n".utf8).write(to: key)
            let words = line.split(separator: " ").map { $0 == "KEY" ? key.path : String($0) }
            let outcome = try await Command.run(words + ["--json"])
            let object = try outcome.object()
            #expect(outcome.status == status && object["object"] as? String == "error")
            #expect(object["code"] as? String == code && object["message"] as? String != "")
            #expect(!outcome.errors.isEmpty)
        }
    }

    @Test func `The contents of a file that is not a key are not printed`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "key.txt")
            try Data("cfk_hidden\ncfk_another\n".utf8).write(to: file)
            let outcome = try await Command.run([
                "server", "get", "/v1/audit", "--url", "http://127.0.0.1:1", "--key", file.path,
            ])
            #expect(outcome.status == 2 && outcome.errors.contains("key.txt is not a key"), "\(outcome.errors)")
            #expect(!outcome.text.contains("hidden"))
        }
    }

    @Test(arguments: ["production", "Production", "PRODUCTION"])
    func `Environments are accepted in any case`(_ name: String) async throws {
        let outcome = try await Command.run(["verify", "-", "--environment", name], stdin: Data("x".utf8))
        #expect(outcome.status == 1)
    }

    @Test func `An input of 13 MB is refused as too large`() async throws {
        let input = Data(repeating: UInt8(ascii: "M"), count: 13_000_000)
        try await Refused.check(["verify", "-"], stdin: input, code: "too_large")
        try await Refused.check(["receipt", "-"], stdin: input, code: "too_large")
    }

    @Test func `The options --plain and --json exclude each other`() async throws {
        let outcome = try await Command.run([
            "sign", "promotional-offer-v2", "--product", "p", "--offer", "o", "--private-key", "k", "--key-id", "K",
            "--issuer-id", "i", "--app", "a", "--plain", "--json",
        ])
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("Error: --plain and --json exclude each other."))
    }

    @Test(arguments: ["--root", "--xcode-certificate"])
    func `A file without a certificate is refused`(_ option: String) async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "x.pem")
            for contents in [
                "", "no certificate", "0\u{1}", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
            ] {
                try Data(contents.utf8).write(to: file)
                for command in ["verify", "receipt"] {
                    let outcome = try await Command.run([command, "-", option, file.path])
                    #expect(outcome.status == 2 && outcome.output.isEmpty)
                    #expect(outcome.errors.hasPrefix("Error: \(option): "), "\(outcome.errors)")
                }
            }
        }
    }

    @Test(arguments: [
        (
            "verify",
            ["--app", "--app-apple-id", "--environment", "--revocation"]
        ),
        (
            "receipt",
            [
                "--app", "--app-version", "--environment", "--device-id", "--intermediate",
                "--transaction-id", "--verify-receipt",
            ]
        ),
    ])
    func `The help of verify and receipt explains every option`(_ command: String, _ options: [String]) async throws {
        let outcome = try await Command.run([command, "--help"])
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        for option in options + ["--root", "--as-of", "--xcode-certificate", "--json", "--help", "<file>"] {
            #expect(outcome.output.contains("  \(option)") || outcome.output.contains(", \(option)"), "\(option)")
        }
        #expect(outcome.output.contains("Exit status: 0 valid, 1 refused, 2 wrong usage."))
        #expect(try await Command.run(["--help"]).output.contains("  \(command) "))
    }
}
