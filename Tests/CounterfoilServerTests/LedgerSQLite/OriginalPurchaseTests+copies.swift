import AppStoreModels
import AppStoreServer
import CounterfoilServer
import Entitlements
import Foundation
import GRDB
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite
@testable import LedgerServices

extension `Customers who bought the app before it was free` {
    @Test func `Original purchases survive an export and an import, and a rebuild corrects manual changes`()
        async throws
    {
        try await Self.run { world in
            try await world.simulator.perform(.createCustomer(customer: "anna", firstVersion: "1.4"))
            _ = try await world.api.post(
                Self.path, ["app_transaction": try world.appTransaction(ofCustomer: "anna")])
            _ = try await world.api.post(
                Self.path, ["receipt": try world.simulator.receipt(of: "anna")])
            let answer = try await world.api.get("/v1/customers/anna").text
            let storage = try world.sqlite
            let file = world.folder.appending(path: "export.jsonl")
            let digest = try await storage.export(to: file).digest
            let configuration = try world.configuration()
            try await world.stopServer()
            // Replace the server's ledger by one that is imported from the export.
            try FileManager.default.removeItem(atPath: configuration.storage.path)
            let other = try SQLiteStorage(path: configuration.storage.path)
            let verifier = try LedgerMaintenance.verifier(configuration)
            let scopes = try await other.scopes(of: configuration.environments)
            for _ in 0..<2 {
                let report = try await LedgerImport(other, verifier: verifier, scopes: scopes, at: .now)
                    .run(try FileHandle(forReadingFrom: file))
                #expect(report.refusals == 0 && report.expectedDigest == digest, "\(report)")
                #expect(try await other.digest() == digest)
            }
            try await other.pool.write { try $0.execute(sql: "UPDATE original_purchases SET version = '0.1'") }
            let rebuild = LedgerRebuild(other, verifier: verifier)
            let found = try await rebuild.run(replacing: true)
            #expect(found.differences == 2 && found.isReplaced, "\(found)")
            #expect(try await rebuild.run(replacing: false).isIdentical)
            try other.close()
            try await world.startServer()
            #expect(try await world.api.get("/v1/customers/anna").text == answer)
        }
    }

    @Test func `A rebuild verifies all original purchases in batches`() async throws {
        let verifier = try await RandomStoreHistory.shared.value.verifier
        try await Tool.inTemporaryFolder { folder in
            let log = Mutex<[String]>([])
            var options = SQLiteStorage.Options()
            options.isSynchronous = false
            options.trace = { sql in log.withLock { $0.append(sql) } }
            let storage = try SQLiteStorage(path: folder.appending(path: "ledger.sqlite").path, options: options)
            let scopes = try await storage.scopes(
                of: ["Production", "Sandbox"].map { (bundleID: RandomStoreHistory.bundleID, environment: $0) })
            let fact = OriginalPurchaseFact(
                applicationVersion: "1.4", purchaseDate: World.start, signedDate: World.start)
            let text = try OriginalPurchaseText(fact).text
            for appEnvironment in scopes.all {
                try await storage.store(
                    (0..<400).map {
                        OriginalPurchase(
                            scope: appEnvironment.id, subject: "\($0)", kind: .receipt, fact: fact, origin: .app,
                            receivedAt: 0,
                            text: text)
                    })
            }
            try await storage.pool.write { try $0.execute(sql: "UPDATE original_purchases SET version = '0.1'") }
            let rebuild = LedgerRebuild(storage, verifier: verifier)
            log.withLock { $0 = [] }
            let found = try await rebuild.run(replacing: true)
            #expect(found.facts == 800 && found.differences == 800 && found.isReplaced, "\(found)")
            let readings = log.withLock { $0.filter { $0.contains("FROM original_purchases") } }
            try #require(!readings.isEmpty)
            #expect(readings.allSatisfy { $0.contains("LIMIT") }, "\(readings)")
            #expect(try await rebuild.run(replacing: false).isIdentical)
            try storage.close()
        }
    }
}
