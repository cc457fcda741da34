import AppStoreTrust
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite("counterfoil verify")
struct VerifyTests {
    @Test(
        "prints genuine data, the payload byte for byte as it was signed",
        .enabled(if: Fixtures.hasSignedData, Comment(rawValue: Fixtures.absence)), arguments: Fixtures.signedData)
    func genuine(_ row: GenuineJWS) async throws {
        let file = Fixtures.folder.appending(path: "jws/\(row.file)").path
        let outcome = try await Command.run(["verify", file, "--as-of", "signed-date", "--json"])
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        let object = try outcome.object()
        #expect(object["valid"] as? Bool == true)
        let segment = try #require(try row.text().split(separator: ".").dropFirst().first)
        let payload = String(decoding: try #require(Base64.decodeURL(segment)), as: UTF8.self)
        #expect(outcome.output.contains("\"payload\":\(payload),\"trace\":{"))
        let trace = try #require(object["trace"] as? [String: Any])
        #expect((trace["certificates"] as? [Any])?.count == 3)
        #expect(trace["anchor"] as? String == "Apple Root CA - G3")
        for (_, inner) in object["inner"] as? [String: [String: Any]] ?? [:] {
            #expect(inner["valid"] as? Bool == true)
        }
    }

    @Test("says what holds, to a person and to a program, from a file and from standard input")
    func valid() async throws {
        let specimen = try Specimen.shared.get()
        let text = try specimen.transaction()
        let options = ["--root", specimen.root.path, "--bundle-id", TestStore.bundleId, "--environment", "production"]
        let person = try await Command.run(["verify", "-"] + options, stdin: Data((text + "\r\n").utf8))
        #expect(person.status == 0)
        #expect(person.output.hasPrefix("valid transaction, signed under Test Root CA\n"))
        #expect(person.output.contains("productId"))
        #expect(!person.output.contains("\u{1B}"), "no colour where no terminal is")
        #expect(person.errors.isEmpty)
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "a file.jws")
            try Data(text.utf8).write(to: file)
            let program = try await Command.run(["verify", file.path, "--json"] + options)
            #expect(program.status == 0)
            let object = try program.object()
            #expect(object["kind"] as? String == "transaction")
            #expect((object["payload"] as? [String: Any])?["productId"] as? String == "monthly")
        }
    }

    @Test(
        "refuses with a reason and status 1",
        arguments: [
            ([], "untrusted_root"), (["ROOT", "--bundle-id", "com.example.other"], "wrong_app"),
            (["ROOT", "--environment", "sandbox"], "wrong_environment"),
            (["ROOT", "--as-of", "2001-01-01T00:00:00Z"], "expired_or_not_yet_valid"),
            (["ROOT", "--as-of", "2001-01-01"], "expired_or_not_yet_valid"),
        ] as [([String], String)])
    func refused(_ options: [String], _ reason: String) async throws {
        let specimen = try Specimen.shared.get()
        let options = options.flatMap { $0 == "ROOT" ? ["--root", specimen.root.path] : [$0] }
        let text = Data(try specimen.transaction().utf8)
        try await Refused.check(["verify", "-"] + options, stdin: text, reason: reason)
    }

    @Test("makes visible what could move a terminal's cursor")
    func escapes() async throws {
        let specimen = try Specimen.shared.get()
        let text = try specimen.transaction(product: "\u{1B}[2Jgone\u{9B}31m\u{202E}")
        let outcome = try await Command.run(["verify", "-", "--root", specimen.root.path], stdin: Data(text.utf8))
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("\\u{1b}[2Jgone\\u{9b}31m\\u{202e}"))
        #expect(!outcome.output.unicodeScalars.contains { ["\u{1B}", "\u{9B}", "\u{202E}"].contains($0) })
    }
}
