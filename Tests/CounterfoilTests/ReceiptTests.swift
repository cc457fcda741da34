import AppStoreReceipts
import Foundation
import StoreSimulator
import TestSupport
import Testing

@Suite struct `counterfoil receipt` {
    static let folder = Fixtures.folder.appending(path: "receipts")
    static let exist = ConditionTrait.enabled(
        if: FileManager.default.fileExists(atPath: folder.path), Comment(rawValue: Fixtures.absence))

    @Test(
        exist,
        arguments: [
            ("sandbox-sha256-2025", "dev.bonzer.weeka.app", "Sandbox", 2),
            ("sandbox-sha1-2020", "com.revenuecat.sampleapp", "Sandbox", 9),
            ("sandbox-sha1-g7-2023", "com.hannesoid.PurchasingExperiments", "Sandbox", 2),
            ("production-macos-sha256-2023", "com.ideasoncanvas.mindnode.macos", "Production", 3),
            ("production-macos-sha1-2017", "com.ideasoncanvas.MindNodeMac", "Production", 0),
            ("xcode-2023-one-purchase", "com.example.naturelab.backyardbirds.example", "Xcode", 1),
            ("xcode-2023-empty", "com.example.naturelab.backyardbirds.example", "Xcode", 0),
            ("legacy-v2-sandbox-2012", "com.mindmobapp.MindMob", "Sandbox", 1),
        ])
    func `A genuine receipt is printed as text and JSON`(
        _ name: String, _ bundleID: String, _ environment: String, _ count: Int
    ) async throws {
        let file = Self.folder.appending(path: name + ".b64").path
        let certificates = Self.folder.appending(path: "certs")
        var options = ["--intermediate", certificates.appending(path: "AppleITunesStoreCA.cer").path]
        options += ["--xcode-certificate", certificates.appending(path: "StoreKitTestCertificate.cer").path]
        let outcome = try await Command.run(["receipt", file, "--json"] + options)
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        let object = try outcome.object()
        #expect(Set(object.keys) == ["valid", "receipt", "trace"])
        let receipt = try #require(object["receipt"] as? [String: Any])
        #expect(receipt["bundle_id"] as? String == bundleID)
        #expect(receipt["environment"] as? String == environment)
        let purchases = try #require(receipt["in_app"] as? [[String: Any]])
        #expect(purchases.count == count)
        #expect(purchases.allSatisfy { $0["purchase_date_ms"] is Int && $0["transaction_id"] is String })
        let person = try await Command.run(["receipt", file] + options)
        #expect(person.status == 0)
        #expect(person.output.hasPrefix("valid "))
        #expect(person.output.contains(bundleID))
    }

    @Test(exist)
    func `A genuine receipt is verified for its device`() async throws {
        let file = Self.folder.appending(path: "production-macos-sha256-2023.b64").path
        for identifier in ["f8ffc21e9182", "F8:FF:C2:1E:91:82"] {
            #expect(try await Command.run(["receipt", file, "--device-id", identifier]).status == 0)
        }
        try await Refused.check(["receipt", file, "--device-id", "f8ffc21e9183"], code: "wrong_device")
        try await Refused.check(["receipt", file, "--as-of", "now"], code: "expired_or_not_yet_valid")
    }

    @Test func `A valid receipt is printed as text and JSON, from base64 and from bytes`() async throws {
        let testData = try SignedTestData.shared.get()
        let bytes = try testData.receipt()
        let options = [
            "--root", testData.receiptRoot.path, "--app", TestStore.bundleId, "--app-version", "1.2",
            "--environment", "production", "--device-id", SignedTestData.device,
        ]
        let person = try await Command.run(["receipt", "-"] + options, stdin: bytes)
        #expect(person.status == 0)
        #expect(person.output.hasPrefix("valid app receipt, signed under Test Root CA\n"))
        #expect(person.output.contains("monthly  2"))
        #expect(!person.output.contains("\u{1B}"), "no colour where no terminal is")
        let text = bytes.base64EncodedData(options: [.lineLength64Characters])
        let program = try await Command.run(["receipt", "-", "--json"] + options, stdin: text + Data("\n".utf8))
        #expect(program.status == 0)
        #expect(try program.object()["valid"] as? Bool == true)
    }

    @Test(
        arguments: [
            ([], "untrusted_root"), (["ROOT", "--app", "com.example.other"], "wrong_app"),
            (["ROOT", "--app-version", "1.3"], "wrong_version"),
            (["ROOT", "--environment", "sandbox"], "wrong_environment"),
            (["ROOT", "--device-id", "000000000000"], "wrong_device"),
            (["ROOT", "--as-of", "2001-01-01T00:00:00.5Z"], "expired_or_not_yet_valid"),
        ] as [([String], String)])
    func `A receipt is refused with a reason and status 1`(_ options: [String], _ reason: String) async throws {
        let testData = try SignedTestData.shared.get()
        let options = options.flatMap { $0 == "ROOT" ? ["--root", testData.receiptRoot.path] : [$0] }
        try await Refused.check(["receipt", "-"] + options, stdin: try testData.receipt(), code: reason)
    }

    @Test(exist) func `A transaction receipt without its intermediate certificate is refused with advice`() async throws
    {
        let file = Self.folder.appending(path: "legacy-v2-sandbox-2012.b64").path
        try await Refused.check(["receipt", file], code: "chain_length")
        let outcome = try await Command.run(["receipt", file])
        #expect(outcome.errors.contains("; --intermediate adds certificates"), "\(outcome.errors)")
    }

    @Test func `Certificates are verified as of the receipt's creation by default`() async throws {
        let testData = try SignedTestData.shared.get()
        let bytes = try testData.receipt(created: SignedTestData.now - 3 * 365 * 86_400)
        let root = ["--root", testData.receiptRoot.path]
        try await Refused.check(["receipt", "-"] + root, stdin: bytes, code: "expired_or_not_yet_valid")
        #expect(try await Command.run(["receipt", "-", "--as-of", "now"] + root, stdin: bytes).status == 0)
    }

    @Test func `An Xcode receipt is accepted only with its certificate`() async throws {
        let testData = try SignedTestData.shared.get()
        let bytes = try testData.receipt(type: .xcode)
        try await Refused.check(["receipt", "-"], stdin: bytes, code: "not_enrolled")
        let options = ["--xcode-certificate", testData.xcode.path]
        for environment in ["production", "sandbox"] {
            let named = ["receipt", "-", "--environment", environment] + options
            try await Refused.check(named, stdin: bytes, code: "wrong_environment")
        }
        let outcome = try await Command.run(["receipt", "-", "--json"] + options, stdin: bytes)
        #expect(outcome.status == 0)
        #expect((try outcome.object()["receipt"] as? [String: Any])?["environment"] as? String == "Xcode")
    }

    @Test func `A receipt's signing certificate in a folder of roots is not taken for Xcode's`()
        async throws
    {
        let testData = try SignedTestData.shared.get()
        try await Tool.inTemporaryFolder { folder in
            for (name, issued) in [
                ("root", testData.receipts.root), ("intermediate", testData.receipts.intermediate),
                ("leaf", testData.receipts.leaf), ("xcode", testData.receipts.xcode),
            ] { try Data(issued.der).write(to: folder.appending(path: name + ".cer")) }
            let options = ["receipt", "-", "--root", folder.path]
            for type in [ReceiptType.production, .productionSandbox, .xcode] {
                #expect(try await Command.run(options, stdin: try testData.receipt(type: type)).status == 0)
            }
        }
    }

    @Test func `A receipt with an unknown type is refused in every output format`() async throws {
        let testData = try SignedTestData.shared.get()
        let options = ["--root", testData.receiptRoot.path]
        let bytes = try testData.receipt(type: ReceiptType(rawValue: "Moon"))
        try await Refused.check(["receipt", "-"] + options, stdin: bytes, code: "wrong_environment")
        let outcome = try await Command.run(["receipt", "-", "--verify-receipt"] + options, stdin: bytes)
        #expect(outcome.status == 1)
        #expect(outcome.output == "{\"status\":21002}\n")
        #expect(outcome.errors == "refused wrong_environment: the receipt's environment is not known\n")
    }

    @Test func `Control characters in a receipt are escaped`() async throws {
        let testData = try SignedTestData.shared.get()
        let hostile = "\u{1B}[2Jgone\u{9B}31m\u{202E}"
        let bytes = try testData.receipt(bundleID: hostile, product: hostile, transactions: [hostile])
        for options in [["--root", testData.receiptRoot.path], ["--transaction-id"]] {
            let outcome = try await Command.run(["receipt", "-"] + options, stdin: bytes)
            #expect(outcome.status == 0)
            #expect(outcome.output.contains("\\u{1b}[2Jgone\\u{9b}31m\\u{202e}"))
            #expect(!outcome.output.unicodeScalars.contains { ["\u{1B}", "\u{9B}", "\u{202E}"].contains($0) })
        }
        let program = try await Command.run(
            ["receipt", "-", "--json", "--root", testData.receiptRoot.path], stdin: bytes)
        #expect(!program.output.contains("\u{1B}"))
        #expect((try program.object()["receipt"] as? [String: Any])?["bundle_id"] as? String == hostile)
    }

    @Test func `The transaction identifier is printed without verification, and nothing if there is none`() async throws
    {
        let testData = try SignedTestData.shared.get()
        let found = try await Command.run(["receipt", "-", "--transaction-id"], stdin: try testData.receipt())
        #expect(found.status == 0)
        #expect(found.output == "2\n")
        let empty = try testData.receipt(transactions: [])
        let none = try await Command.run(["receipt", "-", "--transaction-id"], stdin: empty)
        #expect(none.status == 0)
        #expect(none.output.isEmpty)
        #expect(!none.errors.isEmpty)
        let program = try await Command.run(["receipt", "-", "--transaction-id", "--json"], stdin: empty)
        #expect(program.status == 0)
        #expect(program.output == "{\"verified\":false,\"transaction_id\":null}\n")
        try await Refused.check(
            ["receipt", "-", "--transaction-id"], stdin: Data("no receipt".utf8), code: "bad_base64url")
    }

    @Test(
        arguments: [
            (["ROOT"], 0, 0), (["ROOT", "--environment", "production"], 0, 0),
            (["ROOT", "--environment", "production", "--environment", "sandbox"], 0, 0),
            (["ROOT", "--environment", "sandbox"], 21008, 1), ([], 21003, 1),
        ] as [([String], Int, Int32)])
    func `A verifyReceipt response is printed, with exit status 0 for status 0`(
        _ options: [String], _ answer: Int, _ status: Int32
    )
        async throws
    {
        let testData = try SignedTestData.shared.get()
        let options = options.flatMap { $0 == "ROOT" ? ["--root", testData.receiptRoot.path] : [$0] }
        let outcome = try await Command.run(
            ["receipt", "-", "--verify-receipt"] + options, stdin: try testData.receipt())
        #expect(outcome.status == status)
        let object = try outcome.object()
        #expect(object["status"] as? Int == answer)
        #expect((object["receipt"] == nil) == (answer != 0))
    }
}
