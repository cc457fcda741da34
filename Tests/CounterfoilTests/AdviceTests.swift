import Foundation
import TestSupport
import Testing

@Suite struct `A refusal says what to do` {
    @Test(arguments: [
        ("verify", #"{"signedPayload":"eyJ.eyJ.c"}"#, "the signedPayload of a notification"),
        ("verify", "MIIQuAYJKoZIhvcNAQcCoIIQqTCCEKUCAQEx", "counterfoil receipt"),
        ("receipt", "eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ.AAAA", "counterfoil verify"),
    ])
    func `where a text is for another command, or has the signed one in it`(
        _ command: String, _ text: String, _ advice: String
    ) async throws {
        let outcome = try await Command.run([command, "-"], stdin: Data(text.utf8))
        #expect(outcome.status == 1 && outcome.errors.contains(advice), "\(outcome.errors)")
        // A program branches on the code, and the message is the verifier's own.
        let object = try await Command.run([command, "-", "--json"], stdin: Data(text.utf8)).object()
        #expect((object["message"] as? String)?.contains("counterfoil") == false)
    }

    @Test(arguments: [
        (["simulator", "--catalogue"], "products:\n  - id: a\n"),
        (["simulator", "scenario", "run", "--alone"], "name: x\nsteps:\n  - frob: 1\n  - turn: 3\n"),
    ])
    func `on one line, with everything that is wrong`(_ arguments: [String], _ text: String) async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "wrong.yaml")
            try Data(text.utf8).write(to: file)
            let outcome = try await Command.run(arguments + [file.path])
            #expect(outcome.status == 1 && outcome.errors.contains("; "), "\(outcome.errors)")
            #expect(outcome.errors.count(where: { $0 == "\n" }) == 1 && !outcome.errors.contains("u{a}"))
        }
    }

    @Test func `with the option that is wrong, and not with another one`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "key.p8")
            try Data("anything".utf8).write(to: file)
            let outcome = try await Command.run([
                "sign", "token", "--private-key", file.path, "--key-id", "", "--issuer-id", "i", "--app", "a",
            ])
            #expect(outcome.status == 2 && outcome.errors.hasPrefix("Error: --key-id: "), "\(outcome.errors)")
        }
    }
}
