import AppStoreModels
import AppStoreServer
import AppStoreTrust
import CounterfoilServer
import Foundation
import GRDB
import MemoryLedger
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import Ledger
@testable import LedgerSQLite

/// A simulated App Store, the configuration of a server that trusts it, and a reference ledger that stores the same
/// notifications without crashes.
final class CrashHarness: Sendable {
    private struct State {
        var acknowledged: Set<String> = []
        var random: SeededGenerator
        var processed: Set<String> = []
        /// The number of answers in this round.
        var answers = 0
        /// Whether the server of this round has been killed.
        var isOver = false
    }

    private struct Signed: Sendable {
        let text: String
        let verified: Verified<ResponseBodyV2DecodedPayload>
        var uuid: String { verified.payload.notificationUUID }
    }

    let simulator: Simulator
    private let folder: URL
    private let configuration: URL
    private let path: String
    /// Whether the server recovers notifications by itself. If it does, most of the posted notifications are
    /// duplicates.
    private let isRecovering: Bool
    private let notifications: [Signed]
    private let verifier: SignedDataVerifier
    private let reference: TestLedger
    private let state = Mutex(State(random: SeededGenerator(seed: 1)))

    var acknowledgedCount: Int { state.withLock { $0.acknowledged.count } }

    init(in folder: URL, notifications count: Int, recovering: Bool) async throws {
        self.folder = folder
        isRecovering = recovering
        var options = SimulatorConfiguration()
        options.clock = .frozen(World.start)
        options.directory = folder.appending(path: "simulator")
        let simulator = try await Simulator.start(options)
        self.simulator = simulator
        var seed: UInt64 = 0
        while simulator.core.read(.production, { store, _ in store.notifications.count }) < count, seed < 400 {
            seed += 1
            try await RandomStoreHistory.performRandomActions(simulator, seed: seed, commands: 50, customers: 40)
        }
        let verifier = try RandomStoreHistory.verifier(trusting: simulator)
        self.verifier = verifier
        var signed: [Signed] = []
        for text in try RandomStoreHistory.payloads(of: simulator) {
            signed.append(Signed(text: text, verified: try await verifier.notification(text)))
        }
        notifications = signed
        configuration = folder.appending(path: "counterfoil.yaml")
        let written = try await ServerProcess.run(
            ["server", "init", "--simulator", folder.appending(path: "simulator").path, "--output", configuration.path])
        try #require(written.status == 0, "\(written.text)")
        path = try LoadedConfiguration(contentsOf: configuration).configuration.storage.path
        reference = try await TestLedger(in: folder, name: "reference.sqlite")
    }

    /// Starts the server, posts new and known notifications over several connections, and kills the server at a random
    /// moment after a random number of answers.
    ///
    /// - Parameter share: The share of the notifications that may have been posted by then.
    /// - Returns: The number of interrupted requests.
    func loadAndKill(share: Double, _ random: inout SeededGenerator) async throws -> Int {
        let server = try await startServer()
        let known = notifications.prefix(Int(Double(notifications.count) * share) + 1)
        let delay = Duration.microseconds(Int.random(in: 0...20_000, using: &random))
        let enough = Int.random(in: 1...60, using: &random)
        state.withLock { state in (state.isOver, state.answers) = (false, 0) }
        let (moments, moment) = AsyncStream.makeStream(of: Void.self)
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    while !self.state.withLock({ $0.isOver }) {
                        guard let next = self.next(known) else { return 0 }
                        do {
                            guard try await server.post(next.text) else { throw Unexpected.refusal }
                            if self.recordAcknowledgement(next.uuid) >= enough { moment.yield() }
                        } catch let error as Unexpected {
                            moment.finish()
                            throw error
                        } catch {
                            moment.finish()
                            return 1
                        }
                    }
                    return 0
                }
            }
            group.addTask {
                for await _ in moments { break }
                // A real pause, because the server is another process.
                try await Task.sleep(for: delay)
                await server.kill()
                self.state.withLock { $0.isOver = true }
                return 0
            }
            return try await group.reduce(0, +)
        }
    }

    private enum Unexpected: Error { case refusal }

    private func startServer() async throws -> ServerProcess {
        try await ServerProcess(
            configuration: configuration, log: folder.appending(path: "log.txt"),
            environment: ["COUNTERFOIL_RECOVERY_ENABLED": "\(isRecovering)"])
    }

    /// Records an acknowledgement. Returns how many there were in this round.
    private func recordAcknowledgement(_ uuid: String) -> Int {
        state.withLock { state in
            state.acknowledged.insert(uuid)
            state.answers += 1
            return state.answers
        }
    }

    /// The next notification to post: in four of five cases one that was not acknowledged yet.
    private func next(_ known: ArraySlice<Signed>) -> Signed? {
        state.withLock { state in
            let isNew = Int.random(in: 0..<5, using: &state.random) > 0
            let offset = Int.random(in: 0..<max(known.count, 1), using: &state.random)
            let index = known.index(known.startIndex, offsetBy: offset)
            guard isNew else { return known.indices.contains(index) ? known[index] : nil }
            return known[index...].first { !state.acknowledged.contains($0.uuid) }
                ?? known.first { !state.acknowledged.contains($0.uuid) } ?? known.first
        }
    }

    /// Checks the ledger of the killed server.
    func inspect(after kill: Int) async throws {
        let storage = try SQLiteStorage(path: path)
        let found = try await storage.pool.read { db in
            (
                stored: try Set(
                    Row.fetchAll(db, sql: "SELECT lower(hex(uuid)) FROM notifications").compactMap { Self.uuid($0[0]) }),
                waiting: try Set(
                    Row.fetchAll(db, sql: "SELECT lower(hex(uuid)) FROM notifications JOIN inbox USING (id)")
                        .compactMap { Self.uuid($0[0]) }),
                failed: try Int.fetchOne(db, sql: "SELECT count(*) FROM failures") ?? -1,
                // Each processed notification has one event, each pending one has none.
                wrong: try Int.fetchOne(
                    db,
                    sql: """
                        SELECT count(*) FROM notifications WHERE
                            (SELECT count(*) FROM events WHERE notification = notifications.id)
                            <> NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.id = notifications.id)
                        """) ?? -1,
                check: try String.fetchAll(db, sql: "PRAGMA integrity_check")
            )
        }
        let acknowledged = state.withLock { $0.acknowledged }
        try #require(acknowledged.subtracting(found.stored).isEmpty, "lost after kill \(kill)")
        try #require(found.wrong == 0 && found.failed == 0, "events are wrong after kill \(kill)")
        try #require(found.check == ["ok"])
        try await applyToReference(found.stored, waiting: found.waiting)
        try await copySignedFacts(of: storage)
        let digests = (try await storage.digest(), try await reference.sqlite.digest())
        try #require(digests.0 == digests.1, "the ledger differs after kill \(kill)")
        try storage.close()
    }

    /// Stores and processes in the reference ledger the notifications that the server stored and processed.
    private func applyToReference(_ stored: Set<String>, waiting: Set<String>) async throws {
        let known = state.withLock { $0.processed }
        let added = notifications.filter { stored.contains($0.uuid) && !known.contains($0.uuid) }
        let received = try added.map {
            ReceivedNotification(
                try GenuineNotification($0.verified), in: reference.appEnvironment, at: World.start,
                origin: .delivered)
        }
        let insertions = try await reference.sqlite.commit(received: received, processed: [])
        var processed: [ProcessedNotification] = []
        for (signed, insertion) in zip(added, insertions) where !waiting.contains(signed.uuid) {
            let parts = try await NotificationParts(
                inside: signed.verified.payload, in: reference.appEnvironment, verifiedBy: verifier)
            processed.append(
                ProcessedNotification(parts, id: insertion.id, in: reference.appEnvironment, at: World.start))
        }
        _ = try await reference.sqlite.commit(received: [], processed: processed)
        state.withLock { $0.processed.formUnion(processed.map(\.uuid)) }
    }

    /// Copies to the reference ledger the signed facts that the server fetched from the App Store. Those that the
    /// server has dropped since were replaced and make no difference.
    private func copySignedFacts(of storage: SQLiteStorage) async throws {
        let texts = try await storage.pool.read { db in
            try Row.fetchAll(db, sql: "SELECT kind, text FROM statements").map { row in
                (
                    kind: try #require(SignedFact.Kind(rawValue: row[0])),
                    text: storage.headers.unpack(row[1] as Data)
                )
            }
        }
        var signedFacts: [SignedFact] = []
        for (kind, text) in texts {
            let text = try #require(text)
            signedFacts.append(
                SignedFact(
                    scope: reference.appEnvironment.id,
                    fact: try await .read(text, kind: kind, in: reference.appEnvironment, by: verifier), origin: .asked,
                    receivedAt: World.start.milliseconds, text: text))
        }
        _ = try await reference.sqlite.commit(signedFacts)
    }

    /// Lets a last server process everything, and checks its ledger.
    func finish(after kills: Int) async throws {
        let server = try await startServer()
        var reading = Configuration()
        reading.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: reading)
        func count(_ rows: String) async throws -> Int {
            try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(rows)") ?? 0 }
        }
        if isRecovering {
            try await waitUntil("a notification is recovered") {
                try await count("notifications WHERE origin = 1") > 0
            }
        }
        for signed in notifications where !state.withLock({ $0.acknowledged.contains(signed.uuid) }) {
            try #require(try await server.post(signed.text))
            state.withLock { _ = $0.acknowledged.insert(signed.uuid) }
        }
        try await waitUntil("the inbox is empty") { try await count("inbox") == 0 }
        try queue.close()
        #expect(await server.stop() == 0)
        try await inspect(after: kills + 1)
        let counts = try SQLiteStorage(path: path)
        let events = try await counts.pool.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM events WHERE notification IS NOT NULL")
        }
        try counts.close()
        #expect(events == notifications.count && state.withLock { $0.processed.count } == notifications.count)
        let rebuilt = try await ServerProcess.run(["ledger", "rebuild", "--check", "--config", configuration.path])
        #expect(rebuilt.status == 0, "\(rebuilt.text)")
    }

    /// The UUID with hyphens, from its 32 hexadecimal digits.
    private static func uuid(_ value: DatabaseValue) -> String? {
        guard case .string(let digits) = value.storage, digits.count == 32 else { return nil }
        var text = digits
        for index in [20, 16, 12, 8] { text.insert("-", at: text.index(text.startIndex, offsetBy: index)) }
        return text
    }
}
