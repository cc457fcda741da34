import CounterfoilServer
import Foundation
import Testing

@testable import Ledger
@testable import LedgerSQLite

/// Copies of a server's ledger, each made in another way.
struct LedgerCopies {
    /// How a ledger gets the facts.
    enum Kind: CaseIterable { case backup, rebuild, export, halfThenAll, allThenHalf, allIntoBackup }

    private let configuration: ServerConfiguration
    private let folder: URL
    private let half: URL
    private let all: URL
    private let backup: URL
    private let digest: String

    /// Stops the server, and keeps its ledger as a backup and as an export.
    ///
    /// - Parameter half: An export from the middle of the ledger's history.
    init(of world: World, half: URL) async throws {
        (configuration, folder, self.half) = (try world.configuration(), world.folder, half)
        (all, backup) = (folder.appending(path: "all.jsonl"), folder.appending(path: "all.sqlite"))
        digest = try await world.export(to: all)
        try await world.stopServer()
        _ = try LedgerBackup.make(of: configuration.storage.path, to: backup.path)
    }

    /// Replaces the ledger of the stopped server with a copy.
    func install(_ kind: Kind) async throws {
        let copy = folder.appending(path: "\(kind).sqlite")
        switch kind {
        case .backup: _ = try LedgerBackup.restore(backup.path, to: copy.path, replacing: false)
        case .rebuild:
            _ = try LedgerBackup.restore(backup.path, to: copy.path, replacing: false)
            try await open(copy) { storage in
                let rebuild = LedgerRebuild(storage, verifier: try LedgerMaintenance.verifier(configuration))
                let report = try await rebuild.run(replacing: true)
                #expect(report.isIdentical, "\(report)")
            }
        case .export: try await importFiles([all], into: copy)
        case .halfThenAll: try await importFiles([half, all], into: copy)
        case .allThenHalf: try await importFiles([all, half], into: copy)
        case .allIntoBackup:
            _ = try LedgerBackup.restore(backup.path, to: copy.path, replacing: false)
            try await importFiles([half, all], into: copy)
        }
        try await open(copy) { storage in
            let copied = try await storage.digest()
            #expect(copied == digest, "\(kind)")
        }
        _ = try LedgerBackup.restore(copy.path, to: configuration.storage.path, replacing: true)
    }

    private func importFiles(_ files: [URL], into copy: URL) async throws {
        try await open(copy) { storage in
            let verifier = try LedgerMaintenance.verifier(configuration)
            let scopes = try await storage.scopes(of: configuration.environments)
            for file in files {
                let report = try await LedgerImport(storage, verifier: verifier, scopes: scopes, at: .now)
                    .run(try FileHandle(forReadingFrom: file))
                #expect(report.refusals == 0, "\(report.refused)")
            }
        }
    }

    private func open(_ file: URL, _ body: (SQLiteStorage) async throws -> Void) async throws {
        let storage = try SQLiteStorage(path: file.path)
        try await body(storage)
        try storage.close()
    }
}
