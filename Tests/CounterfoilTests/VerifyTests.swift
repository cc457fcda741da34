import AppStoreModels
import AppStoreTrust
import Basics
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `counterfoil verify` {
    @Test(.enabled(if: Fixtures.hasSignedData, Comment(rawValue: Fixtures.absence)), arguments: Fixtures.signedData)
    func `Genuine data is printed with the payload as signed`(_ row: GenuineJWS) async throws {
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

    @Test func `Valid data is printed as text and JSON, from a file and from standard input`() async throws {
        let testData = try SignedTestData.shared.get()
        let text = try testData.transaction()
        let options = ["--root", testData.root.path, "--app", TestStore.bundleId, "--environment", "production"]
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

    /// The refusal could not show the mark, which is invisible.
    @Test func `A byte order mark before signed data or a receipt is ignored`() async throws {
        let testData = try SignedTestData.shared.get()
        let mark = Data([0xEF, 0xBB, 0xBF])
        let signed = try await Command.run(
            ["verify", "-", "--root", testData.root.path], stdin: mark + Data(try testData.transaction().utf8))
        #expect(signed.status == 0, "\(signed.errors)")
        let receipt = try await Command.run(
            ["receipt", "-", "--root", testData.receiptRoot.path],
            stdin: mark + (try testData.receipt()).base64EncodedData())
        #expect(receipt.status == 0, "\(receipt.errors)")
    }

    @Test(
        arguments: [
            ([], "untrusted_root"), (["ROOT", "--app", "com.example.other"], "wrong_app"),
            (["ROOT", "--environment", "sandbox"], "wrong_environment"),
            (["ROOT", "--as-of", "2001-01-01T00:00:00Z"], "expired_or_not_yet_valid"),
            (["ROOT", "--as-of", "2001-01-01"], "expired_or_not_yet_valid"),
        ] as [([String], String)])
    func `Signed data is refused with a reason and status 1`(_ options: [String], _ reason: String) async throws {
        let testData = try SignedTestData.shared.get()
        let options = options.flatMap { $0 == "ROOT" ? ["--root", testData.root.path] : [$0] }
        let text = Data(try testData.transaction().utf8)
        try await Refused.check(["verify", "-"] + options, stdin: text, code: reason)
    }

    @Test func `The error for an invalid payload names the member, without Swift types`() async throws {
        let testData = try SignedTestData.shared.get()
        for (members, words) in [
            (["x": "y"], "the App Store signs no payload of this kind"),
            (["transactionId": 1], "transactionId is not a text"),
        ] as [([String: Any], String)] {
            let payload = try JSONSerialization.data(withJSONObject: members)
            let text = try testData.signedData.sign(json: payload)
            let outcome = try await Command.run(["verify", "-", "--root", testData.root.path], stdin: Data(text.utf8))
            #expect(outcome.errors == "refused bad_json: the payload is not the JSON expected: \(words)\n")
        }
    }

    @Test func `Control characters in JSON output are escaped without changing the value`() async throws {
        let testData = try SignedTestData.shared.get()
        let product = "\u{9B}31m\u{202E}\u{F8FF}\u{E0001}é"
        let text = Data(try testData.transaction(product: product).utf8)
        let outcome = try await Command.run(["verify", "-", "--json", "--root", testData.root.path], stdin: text)
        #expect(outcome.output.contains("\\u009b31m\\u202e\\uf8ff\\udb40\\udc01é"))
        #expect((try outcome.object()["payload"] as? [String: Any])?["productId"] as? String == product)
    }

    @Test func `Local test data is accepted only if no environment is named`() async throws {
        let signer = try XcodeSigner.shared()
        try await Tool.inTemporaryFolder { folder in
            let file = folder.appending(path: "xcode.cer")
            try Data(signer.certificate.der).write(to: file)
            let text = Data(try signer.sign(.xcode).text.utf8)
            let now = TestStore.now.formatted(.iso8601)
            let options = ["verify", "-", "--as-of", now, "--xcode-certificate", file.path]
            #expect(try await Command.run(options, stdin: text).status == 0)
            for environment in ["production", "sandbox"] {
                let named = options + ["--environment", environment]
                try await Refused.check(named, stdin: text, code: "wrong_environment")
            }
        }
    }

    @Test func `Booleans in a payload are printed as true or false`() async throws {
        let testData = try SignedTestData.shared.get()
        let text = try testData.signedData.sign(
            JWSRenewalInfoDecodedPayload(
                originalTransactionId: "1", productId: "monthly", autoRenewProductId: "monthly", autoRenewStatus: .off,
                isInBillingRetryPeriod: false, environment: .production, signedDate: SignedTestData.now))
        let outcome = try await Command.run(["verify", "-", "--root", testData.root.path], stdin: Data(text.utf8))
        #expect(outcome.status == 0, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(lines.contains("isInBillingRetryPeriod false"))
        #expect(lines.contains("autoRenewStatus 0"))
    }

    @Test func `Control characters in a payload are escaped`() async throws {
        let testData = try SignedTestData.shared.get()
        let text = try testData.transaction(product: "\u{1B}[2Jgone\u{9B}31m\u{202E}")
        let outcome = try await Command.run(["verify", "-", "--root", testData.root.path], stdin: Data(text.utf8))
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("\\u{1b}[2Jgone\\u{9b}31m\\u{202e}"))
        #expect(!outcome.output.unicodeScalars.contains { ["\u{1B}", "\u{9B}", "\u{202E}"].contains($0) })
    }
}
