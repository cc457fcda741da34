import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Foundation
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerServices

@Suite struct `A file of customers` {
    @Test func `An import skips faulty lines, lists them, and continues after an interruption`() async throws {
        try await World.run(simulator: { $0.createsReceiptAuthorityAtStart = true }) { world in
            let simulator = world.simulator
            try simulator.add(Fault("notification:*", .drop))
            var lines: [String] = []
            for number in 0..<70 {
                let outcome = try await simulator.perform(
                    .purchase(customer: "customer-\(number)", product: "com.example.premium.monthly"))
                lines.append(try #require(outcome.originalTransactionID))
            }
            let receipt = try simulator.receipt(of: "customer-7")
            lines.insert(contentsOf: ["", receipt, "bm8gcmVjZWlwdA==", "2000000000000000999"], at: 0)
            let file = world.folder.appending(path: "customers.txt")
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            try await world.stopServer()
            // The App Store fails during the second batch. The first batch stays imported.
            let failure = await #expect(throws: AppStoreServerError.self) {
                try await world.importCustomers(file) { _ in
                    do { try simulator.add(Fault("route:subscription-statuses", .status(code: 418))) } catch {}
                }
            }
            #expect(failure?.status == 418)
            try simulator.removeFault()
            let batches = Mutex(0)
            let progress = try await world.importCustomers(file) { _ in batches.withLock { $0 += 1 } }
            #expect(batches.withLock { $0 } == 1)
            #expect(progress.lines == 74)
            #expect(progress.failed == 2)
            let failures = try String(contentsOf: file.appendingPathExtension("failed"), encoding: .utf8)
            #expect(failures.split(separator: "\n").map { $0.prefix(2) } == ["3\t", "4\t"])
            for suffix in [".failed", ".progress"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: file.path + suffix)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
            }
            // The progress file is truncated.
            try Data(#"{"size":"#.utf8).write(to: file.appendingPathExtension("progress"))
            #expect(try await world.importCustomers(file).lines == 74)
            try await world.startServer()
            let core = try world.server.core
            for line in lines.dropFirst(4) {
                #expect(try await core.storage.lineage(line, in: world.appEnvironment().id)?.renewal != nil)
            }
        }
    }

    /// Returns the identifier of a purchase for the file of an import.
    static func purchase(by customer: String = "anna", in world: World) async throws -> String {
        let outcome = try await world.simulator.perform(
            .purchase(customer: customer, product: "com.example.premium.monthly"))
        return try #require(outcome.originalTransactionID)
    }

    /// Returns a transaction receipt in base64. Like genuine ones it lacks the certificate of its signer's issuer; its
    /// signature is not valid.
    private static func transactionReceipt(of transaction: String, app: String) throws -> String {
        let info = """
            {"bid" = "\(app)"; "product-id" = "com.example.premium.monthly"; "transaction-id" = "\(transaction)";
            "purchase-date-ms" = "1650000000123";}
            """
        let certificate = try TestStore.authority().leaf.der
        let length = withUnsafeBytes(of: UInt32(certificate.count).bigEndian) { Array($0) }
        let signature: [UInt8] = [3] + Array(repeating: 1, count: 256) + length + certificate
        let list = """
            {"signature" = "\(Data(signature).base64EncodedString())";
            "purchase-info" = "\(Data(info.utf8).base64EncodedString())";}
            """
        return Data(list.utf8).base64EncodedString()
    }

    /// Every one of them failed, because they cannot be verified.
    @Test func `An import takes transaction receipts, which only say whose history to request`() async throws {
        try await World.run { world in
            try world.simulator.add(Fault("notification:*", .drop))
            let bought = try await Self.purchase(in: world)
            let lines = try [world.simulator.information.bundleID, "com.example.another"].map { app in
                try Self.transactionReceipt(of: bought, app: app)
            }
            let file = world.folder.appending(path: "customers.txt")
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            try await world.stopServer()
            let progress = try await world.importCustomers(file)
            #expect(progress.lines == 2 && progress.failed == 1)
            let failures = try String(contentsOf: file.appendingPathExtension("failed"), encoding: .utf8)
            #expect(failures.hasPrefix("2\tunknown_environment\t"))
            try await world.startServer()
            let core = try world.server.core
            #expect(try await core.storage.lineage(bought, in: world.appEnvironment().id)?.renewal != nil)
        }
    }

    @Test func `An import lists a line that is too long, and customers for whom no environment is chosen`() async throws
    {
        try await World.run { world in
            let file = world.folder.appending(path: "customers.txt")
            let long = String(repeating: "x", count: 8 << 20 + 1)
            try Data([long, "2000000000000001"].joined(separator: "\n").utf8).write(to: file)
            try await world.stopServer()
            let progress = try await world.importCustomers(file, in: [])
            #expect(progress.lines == 2 && progress.failed == 2)
            let failures = try String(contentsOf: file.appendingPathExtension("failed"), encoding: .utf8)
            #expect(
                failures == """
                    1\ttoo_large\tthe line is too long\t
                    2\tunknown_environment\tno configured app and environment with an API key matches\t2000000000000001

                    """)
        }
    }

    /// It counted as an imported customer, also if the customer had bought since.
    @Test func `An import lists receipts without purchases, and says which environment a receipt needs`() async throws {
        try await World.run(simulator: { $0.createsReceiptAuthorityAtStart = true }) { world in
            let simulator = world.simulator
            try simulator.add(Fault("notification:*", .drop))
            try await simulator.perform(.createCustomer(customer: "ben"))
            let lines = try await [simulator.receipt(of: "ben"), Self.purchase(in: world)]
            let file = world.folder.appending(path: "customers.txt")
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            try await world.stopServer()
            let progress = try await world.importCustomers(file)
            #expect(progress.lines == 2 && progress.failed == 0 && progress.withoutPurchases == 1)
            let failures = file.appendingPathExtension("failed")
            let beginning = lines[0].prefix(64)
            #expect(
                try String(contentsOf: failures, encoding: .utf8)
                    == "1\tno_purchases\tthe receipt lists no purchase\t\(beginning)\n")
            let sandbox = try await world.importCustomers(file, in: [.sandbox])
            #expect(sandbox.failed == 2 && sandbox.withoutPurchases == nil)
            let reason = "1\tunknown_environment\tthe receipt is of \(simulator.information.bundleID) in Production: "
            #expect(try String(contentsOf: failures, encoding: .utf8).hasPrefix(reason))
        }
    }

    /// A byte order mark made the first line fail.
    @Test func `An import accepts the byte order mark and line ends of Windows, and explains a line of a table`()
        async throws
    {
        try await World.run { world in
            let bought = try await Self.purchase(in: world)
            let file = world.folder.appending(path: "customers.txt")
            try Data("\u{FEFF}\(bought)\r\n\(bought),anna\u{1B}[2J\tx\r\n".utf8).write(to: file)
            try await world.stopServer()
            let progress = try await world.importCustomers(file)
            #expect(progress.lines == 2 && progress.failed == 1)
            let failures = try String(contentsOf: file.appendingPathExtension("failed"), encoding: .utf8)
            let reason =
                "2\tbad_base64url\tneither a transaction ID nor a receipt in base64; "
                + "a line has no header, quotation marks or columns"
            #expect(failures == "\(reason)\t\(bought),anna\\u{1b}[2J\\u{9}x\n")
        }
    }

    @Test func `An import reads few long receipts at once`() async throws {
        try await World.run { world in
            let file = world.folder.appending(path: "customers.txt")
            let line = String(repeating: "A", count: 6 << 20)
            try Data([line, line, line].joined(separator: "\n").utf8).write(to: file)
            try await world.stopServer()
            let counts = Mutex<[Int]>([])
            let progress = try await world.importCustomers(file) { step in counts.withLock { $0.append(step.lines) } }
            #expect(progress.failed == 3)
            #expect(counts.withLock(\.self) == [2, 3])
        }
    }
}
