import AppStoreModels
import Basics
import Foundation
import TestSupport
import Testing

@testable import StoreSimulator

/// A snapshot on disk gives back the state as it was, whatever is in it, and nothing else.
@Suite struct `A snapshot on disk` {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    /// Both stores after some hundred random commands, with names that JSON has to escape.
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
                state[environment].noteAttempt(number, .success, status: 200, at: now)
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
        let folder = FileManager.default.temporaryDirectory.appending(path: "snapshot-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appending(path: "x.jsonl"))
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `gives back everything as it was`(_ seed: UInt64) async throws {
        let state = try Self.state(seed)
        try await Self.withFile { file in
            try await SnapshotFile(file).write(state)
            let again = try await SnapshotFile(file).read()
            #expect(try Self.bytes(again) == Self.bytes(state))
            // What is not in the file is made again.
            for environment in [AppStoreEnvironment.production, .sandbox] {
                #expect(again[environment].notificationsByUUID == state[environment].notificationsByUUID)
                #expect(again[environment].transactionsByOrder == state[environment].transactionsByOrder)
            }
            let files = try FileManager.default.contentsOfDirectory(
                atPath: file.deletingLastPathComponent().path)
            #expect(files == ["x.jsonl"], "the file that it was written to first is gone")
        }
    }

    @Test(arguments: 0..<6 as Range<UInt64>)
    func `has the same lines without a coder as with one`(_ seed: UInt64) throws {
        var state = try Self.state(seed)
        for number in state.production.notifications.indices where number % 2 == 0 {
            let part = Data(repeating: 7, count: 64)
            state.production.notifications[number].seal = .init(
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

    @Test(arguments: [Int.max, -1]) func `is refused, whatever number of rows it says`(_ count: Int) async throws {
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

    @Test func `replaces the one that had its place`() async throws {
        try await Self.withFile { file in
            try await SnapshotFile(file).write(try Self.state(1))
            let second = try Self.state(2, 40)
            try await SnapshotFile(file).write(second)
            #expect(try await Self.bytes(SnapshotFile(file).read()) == Self.bytes(second))
        }
    }

    @Test(arguments: ["7.9e28", "-7.9e28"])
    func `is refused where its clock shows no instant`(_ seconds: String) async throws {
        let state = try Self.state(3, 20)
        try await Self.withFile { file in
            try await SnapshotFile(file).write(state)
            let text = try String(contentsOf: file, encoding: .utf8)
            let changed = text.replacing(/"shown":[0-9.]+/, with: "\"shown\":\(seconds)")
            #expect(changed != text)
            try Data(changed.utf8).write(to: file)
            let error = await #expect(throws: SimulatorError.self) { try await SnapshotFile(file).read() }
            #expect(error?.code == "corrupted")
        }
    }

    @Test func `may have dates that are no instants, and the control API answers all the same`() throws {
        let dates = [Date(timeIntervalSince1970: 7.9e28), Date(timeIntervalSince1970: -7.9e28)]
        #expect(try String(decoding: ControlJSON.encode(dates), as: UTF8.self) == "[\(Int64.max),\(Int64.min)]")
    }

    @Test func `is refused when a part of it is missing or doubled`() async throws {
        let state = try Self.state(3, 40)
        try await Self.withFile { file in
            try await SnapshotFile(file).write(state)
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            try #require(lines.count > 50)
            func refuses(_ lines: [Substring]) async throws {
                try Data(lines.joined(separator: "\n").utf8).write(to: file)
                await #expect(throws: (any Error).self) { try await SnapshotFile(file).read() }
            }
            for count in stride(from: 0, to: lines.count, by: 7) { try await refuses(Array(lines.prefix(count))) }
            for index in stride(from: 0, to: lines.count, by: 11) {
                try await refuses(Array(lines[..<index] + lines[(index + 1)...]))
                try await refuses(Array(lines[...index] + lines[index...]))
            }
            try await refuses(lines.map { $0.dropLast() })
        }
    }

    @Test func `passes over tables and members that it does not know`() async throws {
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

    @Test func `is read as versions 1 and 2 wrote it, and written anew in its place`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "snapshot-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = SimulatorConfiguration(catalogue: .shop)
        configuration.clock = .frozen(Self.start)
        configuration.directory = folder
        let simulator = try await Simulator.start(configuration)
        let snapshots = folder.appending(path: "snapshots")
        try FileManager.default.createDirectory(at: snapshots, withIntermediateDirectories: true)
        let old = try Self.state(5, 40)
        var object = try #require(JSONSerialization.jsonObject(with: Self.bytes(old)) as? [String: Any])
        object["version"] = 2
        let file = snapshots.appending(path: "old.json")
        try JSONSerialization.data(withJSONObject: object).write(to: file)
        #expect(try simulator.snapshots() == ["old"])
        try await simulator.restore("old")
        #expect(
            simulator.core.read(.production) { store, _ in store.customers.count } == old.production.customers.count)
        try await simulator.snapshot("old")
        #expect(try simulator.snapshots() == ["old"])
        #expect(!FileManager.default.fileExists(atPath: file.path))
        // What is signed would name two apps.
        var foreign = old
        foreign.production = Store(
            environment: .production, app: SimulatedApp(bundleID: "com.example.other"), catalogue: .shop,
            settings: .production, seed: 1)
        try await SnapshotFile(snapshots.appending(path: "other.jsonl")).write(foreign)
        let refused = await #expect(throws: SimulatorError.self) { try await simulator.restore("other") }
        #expect(refused?.code == "other_app")
        try Data("{}\n".utf8).write(to: snapshots.appending(path: "old.jsonl"))
        let damaged = await #expect(throws: SimulatorError.self) { try await simulator.restore("old") }
        #expect(damaged?.code == "corrupted")
        await simulator.stop()
    }
}
