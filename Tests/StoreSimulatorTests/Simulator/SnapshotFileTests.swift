import AppStoreModels
import Basics
import Foundation
import TestSupport
import Testing

@testable import StoreSimulator

/// Reading a snapshot file restores exactly the state that was written.
@Suite struct `A snapshot on disk` {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    private static func simulator(in folder: URL) async throws -> Simulator {
        var configuration = SimulatorConfiguration(catalogue: .shop)
        configuration.clock = .frozen(start)
        configuration.directory = folder
        return try await Simulator.start(configuration)
    }

    /// Returns a state after random commands in both stores, with customer names that JSON has to escape.
    private static func state(_ seed: UInt64, _ commands: Int = 150) throws -> SimulatorState {
        var configuration = SimulatorConfiguration(catalogue: .shop)
        configuration.clock = .frozen(start)
        configuration.seed = seed
        configuration.production.notificationURL = "http://127.0.0.1:1/"
        var state = SimulatorState(configuration, real: start)
        var random = RandomCommands(
            random: SeededGenerator(seed: seed), names: ["anna", "b\"e\\n", "c\u{1}\u{2028}/ärl", "🎟️"])
        for environment in [AppStoreEnvironment.production, .sandbox] {
            var now = start
            for number in 0..<commands {
                now = (now + random.pause()).wholeMilliseconds
                state[environment].run(until: now)
                if number == 50 { _ = try state[environment].perform(.releaseVersion(version: "2.0"), at: now) }
                if random.chance(10) {
                    _ = try? state[environment].trigger(random.trigger(), at: now)
                } else {
                    let command = random.nextWithDevices(state[environment])
                    _ = try? state[environment].perform(command, at: now)
                }
            }
            for number in state[environment].notifications.indices.prefix(5) {
                state[environment].recordAttempt(number, .success, status: 200, at: now)
                state[environment].notifications[number].overrides = ["data.a\"b": .object(["\\": .number(1.5)])]
            }
        }
        _ = try state.faults.add(Fault("route:order", .status(code: 500), probability: 0.25))
        return state
    }

    private static func bytes(_ state: SimulatorState) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(state)
    }

    private static func withFile(_ body: (URL) async throws -> Void) async throws {
        try await Tool.inTemporaryFolder { try await body($0.appending(path: "x.jsonl")) }
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `A snapshot file restores the state that was written`(_ seed: UInt64) async throws {
        let state = try Self.state(seed)
        try await Self.withFile { file in
            try await SnapshotFile(file).write(state)
            let again = try await SnapshotFile(file).read()
            #expect(try Self.bytes(again) == Self.bytes(state))
            // Indexes that are not in the file are rebuilt.
            for environment in [AppStoreEnvironment.production, .sandbox] {
                #expect(again[environment].notificationsByUUID == state[environment].notificationsByUUID)
                #expect(again[environment].transactionsByOrder == state[environment].transactionsByOrder)
            }
            let files = try FileManager.default.contentsOfDirectory(
                atPath: file.deletingLastPathComponent().path)
            #expect(files == ["x.jsonl"], "the temporary file is removed")
        }
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `Snapshot lines of JSONWriter are the same as those of the encoder`(_ seed: UInt64) throws {
        var state = try Self.state(seed)
        for number in state.production.notifications.indices where number % 2 == 0 {
            let part = Data(repeating: 7, count: 64)
            state.production.notifications[number].signatures = .init(
                generation: 1, leaf: Data([1]), notification: part, transaction: part, renewalInfo: nil)
        }
        let templates = SnapshotTemplates(of: state.production)
        func object(_ bytes: some Sequence<UInt8>) throws -> NSDictionary {
            try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
        }
        var written = 0
        func compare(_ value: some Encodable, _ write: (inout JSONWriter) -> Bool) throws {
            let (coder, plain) = (JSONLineEncoder(), JSONLineEncoder())
            guard plain.line(write) else { return #expect(plain.count == 0) }
            try SnapshotTemplates.$current.withValue(templates) { try coder.encode(value) }
            #expect(try object(plain.written) == object(coder.written))
            written += 1
        }
        for value in state.production.transactions.values { try compare(value) { value.write(to: &$0, templates) } }
        for value in state.production.notifications { try compare(value) { value.write(to: &$0, templates) } }
        #expect(written > 20)
    }

    @Test(arguments: [Int.max, -1]) func `A snapshot file with a wrong number of rows is refused`(_ count: Int)
        async throws
    {
        let state = try Self.state(3, 20)
        try await Self.withFile { file in
            try await SnapshotFile(file).write(state)
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
            let headings = lines.indices.filter { lines[$0].hasPrefix("{\"table\":") }
            try #require(headings.count > 3)
            for index in headings {
                var changed = lines
                changed[index] = changed[index].replacing(/"count":\d+/, with: "\"count\":\(count)")
                try #require(changed != lines)
                try Data(changed.joined(separator: "\n").utf8).write(to: file)
                await #expect(throws: (any Error).self) { try await SnapshotFile(file).read() }
            }
        }
    }

    @Test func `Writing a snapshot file replaces an existing one`() async throws {
        try await Self.withFile { file in
            try await SnapshotFile(file).write(try Self.state(1))
            let second = try Self.state(2, 40)
            try await SnapshotFile(file).write(second)
            #expect(try await Self.bytes(SnapshotFile(file).read()) == Self.bytes(second))
        }
    }

    @Test(arguments: ["7.9e28", "-7.9e28"])
    func `A snapshot whose clock shows a time out of range is refused as corrupted`(_ seconds: String) async throws {
        let state = try Self.state(3, 20)
        try await Self.withFile { file in
            try await SnapshotFile(file).write(state)
            let text = try String(contentsOf: file, encoding: .utf8)
            let changed = text.replacing(/"latest":[0-9.]+/, with: "\"latest\":\(seconds)")
            #expect(changed != text)
            try Data(changed.utf8).write(to: file)
            let error = await #expect(throws: SimulatorError.self) { try await SnapshotFile(file).read() }
            #expect(error?.code == .corrupted)
        }
    }

    @Test func `The control API clamps dates out of range to the limits of a 64-bit integer`() throws {
        let dates = [Date(timeIntervalSince1970: 7.9e28), Date(timeIntervalSince1970: -7.9e28)]
        #expect(try String(decoding: ControlJSON.encode(dates), as: UTF8.self) == "[\(Int64.max),\(Int64.min)]")
    }

    @Test func `A snapshot file with a missing or repeated line is refused`() async throws {
        let state = try Self.state(3, 40)
        try await Self.withFile { file in
            try await SnapshotFile(file).write(state)
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            try #require(lines.count > 50)
            func expectRefusal(_ lines: [Substring]) async throws {
                try Data(lines.joined(separator: "\n").utf8).write(to: file)
                await #expect(throws: (any Error).self) { try await SnapshotFile(file).read() }
            }
            for await count in Yielding(stride(from: 0, to: lines.count, by: 7)) {
                try await expectRefusal(Array(lines.prefix(count)))
            }
            for await index in Yielding(stride(from: 0, to: lines.count, by: 11)) {
                try await expectRefusal(Array(lines[..<index] + lines[(index + 1)...]))
                try await expectRefusal(Array(lines[...index] + lines[index...]))
            }
            try await expectRefusal(lines.map { $0.dropLast() })
        }
    }

    @Test func `Unknown tables and members of a snapshot file are ignored`() async throws {
        let state = try Self.state(4, 40)
        try await Self.withFile { file in
            try await SnapshotFile(file).write(state)
            var lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
            let end = try #require(lines.last)
            lines.removeLast()
            lines = lines.map { $0.replacing("{\"key\":", with: "{\"later\":[{}],\"key\":") }
            lines += [#"{"table":"later","environment":"Production","count":2}"#, "[1]", #"{"a":{}}"#]
            lines.append(end.replacing("\(lines.count - 3)", with: "\(lines.count)"))
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            #expect(try await Self.bytes(SnapshotFile(file).read()) == Self.bytes(state))
        }
    }

    /// The message said only that the file cannot be written, also if the disk was full.
    @Test func `A snapshot that cannot be written says why, and leaves no other file`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let simulator = try await Self.simulator(in: folder)
            let snapshots = folder.appending(path: "snapshots")
            // A file cannot replace a folder.
            try FileManager.default.createDirectory(
                at: snapshots.appending(path: "one.jsonl"), withIntermediateDirectories: true)
            let error = await #expect(throws: SimulatorError.self) { try await simulator.snapshot("one") }
            #expect(error?.code == .unwritableDirectory)
            #expect(error?.message.hasSuffix("one.jsonl: is a directory") == true, "\(error?.message ?? "")")
            #expect(try FileManager.default.contentsOfDirectory(atPath: snapshots.path) == ["one.jsonl"])
            await simulator.stop()
        }
    }

    @Test func `Restoring a snapshot of another app or a damaged one is refused`() async throws {
        try await Tool.inTemporaryFolder { folder in
            let simulator = try await Self.simulator(in: folder)
            let snapshots = folder.appending(path: "snapshots")
            try await simulator.snapshot("own")
            #expect(try simulator.snapshots() == ["own"])
            // The simulator would sign data that names two apps.
            var foreign = try Self.state(5, 40)
            foreign.production = Store(
                environment: .production, app: SimulatedApp(bundleID: "com.example.other"), catalogue: .shop,
                settings: .production, seed: 1)
            try await SnapshotFile(snapshots.appending(path: "other.jsonl")).write(foreign)
            let refused = await #expect(throws: SimulatorError.self) { try await simulator.restore("other") }
            #expect(refused?.code == .otherApp)
            try Data("{}\n".utf8).write(to: snapshots.appending(path: "own.jsonl"))
            let damaged = await #expect(throws: SimulatorError.self) { try await simulator.restore("own") }
            #expect(damaged?.code == .corrupted)
            await simulator.stop()
        }
    }
}
