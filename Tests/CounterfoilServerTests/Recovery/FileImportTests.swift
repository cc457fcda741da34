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
    private static func purchase(by customer: String = "anna", in world: World) async throws -> String {
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

    @Test func `An import that cannot store its progress names the file`() async throws {
        try await World.run { world in
            let bought = try await Self.purchase(in: world)
            // A name of 255 bytes is possible, but not with a suffix.
            let file = world.folder.appending(path: String(repeating: "a", count: 250))
            try Data("\(bought)\n".utf8).write(to: file)
            try await world.stopServer()
            let error = await #expect(throws: (any Error).self) { try await world.importCustomers(file) }
            #expect(error?.logReason.hasPrefix("\(file.path).progress cannot be used: ") == true)
            // A folder has the name of the file.
            let other = world.folder.appending(path: "customers.txt")
            try Data("\(bought)\n".utf8).write(to: other)
            try FileManager.default.createDirectory(
                atPath: other.path + ".progress", withIntermediateDirectories: false)
            let refusal = await #expect(throws: (any Error).self) { try await world.importCustomers(other) }
            #expect(refusal?.logReason.hasPrefix("\(other.path).progress cannot be used: ") == true)
        }
    }

    @Test func `An import starts again, with an empty list of failures, for another ledger or environment`()
        async throws
    {
        try await World.run { world in
            let bought = try await Self.purchase(in: world)
            let file = world.folder.appending(path: "customers.txt")
            try Data("\(bought)\nno number\n".utf8).write(to: file)
            try await world.stopServer()
            let sandbox = try await world.importCustomers(file, in: [.sandbox])
            #expect(sandbox.lines == 2 && sandbox.failed == 2)
            // Lines that failed in the Sandbox are tried again in Production.
            let production = try await world.importCustomers(file, in: [.production])
            #expect(production.lines == 2 && production.failed == 1)
            let failures = try String(contentsOf: file.appendingPathExtension("failed"), encoding: .utf8)
            #expect(failures.split(separator: "\n").map { $0.prefix(2) } == ["2\t"])
            let batches = Mutex(0)
            try await world.importCustomers(file, in: [.production]) { _ in batches.withLock { $0 += 1 } }
            #expect(batches.withLock { $0 } == 0)
            try await world.importCustomers(file, in: [.production], ledger: "another") { _ in
                batches.withLock { $0 += 1 }
            }
            #expect(batches.withLock { $0 } == 1)
        }
    }

    @Test func `An import starts again for another ledger at the same path`() async throws {
        try await World.run { world in
            let bought = try await Self.purchase(in: world)
            let file = world.folder.appending(path: "customers.txt")
            let copy = world.folder.appending(path: "copy.sqlite")
            let ledger = try world.configuration().storage.path
            try Data("\(bought)\nno number\n".utf8).write(to: file)
            try await world.stopServer()
            try world.backUp(to: copy)
            let batches = Mutex(0)
            try await world.importCustomers(file) { _ in batches.withLock { $0 += 1 } }
            try await world.importCustomers(file) { _ in batches.withLock { $0 += 1 } }
            #expect(batches.withLock { $0 } == 1)
            try world.restore(copy)
            let restored = try await world.importCustomers(file) { _ in batches.withLock { $0 += 1 } }
            #expect(batches.withLock { $0 } == 2)
            #expect(restored.lines == 2 && restored.failed == 1)
            for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: ledger + suffix) {
                try FileManager.default.removeItem(atPath: ledger + suffix)
            }
            try await world.importCustomers(file) { _ in batches.withLock { $0 += 1 } }
            #expect(batches.withLock { $0 } == 3)
        }
    }

    /// A newer export with the same first 64 KiB was continued in the middle, and its other new lines were skipped.
    @Test func `An import starts again if earlier lines changed, and continues if lines were appended`() async throws {
        try await World.run { world in
            let simulator = world.simulator
            try await world.stopServer()
            try simulator.add(Fault("notification:*", .drop))
            let anna = try await Self.purchase(by: "anna", in: world)
            let ben = try await Self.purchase(by: "ben", in: world)
            let file = world.folder.appending(path: "customers.txt")
            let beginning = String(repeating: "no number, and long enough for 64 KiB\n", count: 2000)
            try Data("\(beginning)\(anna)\n".utf8).write(to: file)
            let first = try await world.importCustomers(file)
            #expect(first.lines == 2001 && first.failed == 2000 && first.earlierLines == 0)
            let again = try await world.importCustomers(file)
            #expect(again.lines == 2001 && again.earlierLines == 2001)

            try Data("\(beginning)\(ben)\n\(anna)\n".utf8).write(to: file)
            let changed = try await world.importCustomers(file)
            #expect(changed.lines == 2002 && changed.failed == 2000 && changed.earlierLines == 0)
            let isImported = try await world.runOffline { core in
                let scope = try #require(core.recovery.recoverable.first { $0.environment == .production })
                return try await core.storage.lineage(ben, in: scope.id) != nil
            }
            #expect(isImported)

            try Data("\(beginning)\(ben)\n\(anna)\nno number".utf8).write(to: file)
            let appended = try await world.importCustomers(file)
            #expect(appended.lines == 2003 && appended.failed == 2001 && appended.earlierLines == 2002)
            // The last line was not complete.
            try Data("\(beginning)\(ben)\n\(anna)\nno number at all\n".utf8).write(to: file)
            let completed = try await world.importCustomers(file)
            #expect(completed.lines == 2003 && completed.failed == 2001 && completed.earlierLines == 0)
        }
    }

    /// They were listed twice, because the batch is imported again.
    @Test func `Failures that an import listed before it was killed, without saving its progress, are listed once`()
        async throws
    {
        try await World.run { world in
            let file = world.folder.appending(path: "customers.txt")
            let (failures, progress) = (file.appendingPathExtension("failed"), file.appendingPathExtension("progress"))
            try Data("no number\n".utf8).write(to: file)
            try await world.stopServer()
            try await world.importCustomers(file)
            let saved = try Data(contentsOf: progress)
            try Data("no number\nneither\n".utf8).write(to: file)
            try await world.importCustomers(file)
            let listed = try String(contentsOf: failures, encoding: .utf8)
            try #require(listed.split(separator: "\n").map { $0.prefix(2) } == ["1\t", "2\t"])
            try saved.write(to: progress)
            try await world.importCustomers(file)
            #expect(try String(contentsOf: failures, encoding: .utf8) == listed)
        }
    }

    /// The link may lead to a file of another user.
    @Test func `An import does not write through a symbolic link in place of its list of failures`() async throws {
        try await World.run { world in
            let (file, other) = (world.folder.appending(path: "customers.txt"), world.folder.appending(path: "other"))
            let failures = file.appendingPathExtension("failed")
            try Data("no number\n".utf8).write(to: file)
            try await world.stopServer()
            try await world.importCustomers(file)
            try FileManager.default.moveItem(at: failures, to: other)
            let listed = try Data(contentsOf: other)
            try FileManager.default.createSymbolicLink(at: failures, withDestinationURL: other)
            try Data("no number\nneither\n".utf8).write(to: file)
            let error = await #expect(throws: (any Error).self) { try await world.importCustomers(file) }
            #expect(error?.logReason.hasPrefix("\(failures.path) cannot be used: ") == true)
            #expect(try Data(contentsOf: other) == listed)
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
