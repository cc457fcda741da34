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

// Imports that continue, and those that start again.
extension `A file of customers` {
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
}
