internal import Basics
internal import Foundation

/// Writes the lines of a snapshot file.
struct SnapshotWriter {
    private let file: FileHandle
    private let encoder = JSONLineEncoder(capacity: 2 << 20)
    private(set) var count = 0

    init(_ url: URL) throws {
        file = try FileHandle.creatingPrivateFile(at: url.path)
    }

    mutating func add(_ value: some Encodable) throws {
        try encoder.encode(value)
        count += 1
        if encoder.count > 1 << 20 { try flush() }
    }

    /// Appends rows in their order. All processor cores encode them.
    mutating func add<Value>(
        _ rows: some Sequence<SnapshotFile.Row<Value>>, _ write: SnapshotTable.ValueWriter<Value>?
    ) async throws {
        try flush()
        var rows = rows.makeIterator()
        while true {
            var batches: [[SnapshotFile.Row<Value>]] = []
            while batches.count < SnapshotBatch.concurrentCount, let batch = SnapshotBatch.next(from: &rows) {
                batches.append(batch)
            }
            guard !batches.isEmpty else { return }
            let encoded = try await SnapshotBatch.map(batches) { batch in
                let encoder = JSONLineEncoder(capacity: 1 << 20)
                for row in batch where !row.writeDirectly(to: encoder, using: write) { try encoder.encode(row) }
                return Array(encoder.written)
            }
            for bytes in encoded { try file.write(contentsOf: bytes) }
            count += batches.reduce(0) { $0 + $1.count }
        }
    }

    func finish() throws {
        try flush()
        try file.close()
    }

    private func flush() throws {
        try file.write(contentsOf: encoder.written)
        encoder.removeAll()
    }
}

/// Reads the lines of a snapshot file.
struct SnapshotReader {
    private var lines: LineReader
    private(set) var count = 0

    /// A longer line is not a snapshot record.
    private static let longestLine = 1 << 30

    init(_ file: FileHandle) { lines = LineReader(file, longest: Self.longestLine) }

    mutating func next<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try Self.decode(type, try line())
    }

    /// Reads rows in their order. All processor cores decode them.
    mutating func next<Value: Decodable & Sendable>(
        _ number: Int, _ type: Value.Type, _ body: (Value) throws -> Void
    ) async throws {
        var left = number
        while left > 0 {
            var batches: [[[UInt8]]] = []
            while batches.count < SnapshotBatch.concurrentCount, left > 0 {
                let size = min(left, SnapshotBatch.size)
                batches.append(try (0..<size).map { _ in try line() })
                left -= size
            }
            for values in try await SnapshotBatch.map(batches, { try $0.map { try Self.decode(type, $0) } }) {
                for value in values { try body(value) }
            }
        }
    }

    private mutating func line() throws -> [UInt8] {
        guard case .bytes(let line)? = try lines.next() else { throw SnapshotTemplates.damaged }
        count += 1
        return line
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ line: [UInt8]) throws -> Value {
        do { return try StrictJSONDecoder.decode(type, from: line) } catch is JSONProblem {
            // `StrictJSONDecoder` refuses member names with escapes and deeply nested override values. They are rare;
            // use Foundation's decoder.
            let decoder = JSONDecoder()
            decoder.dataDecodingStrategy = .deferredToData
            return try decoder.decode(type, from: Data(line))
        }
    }

    mutating func skip(_ lines: Int) throws {
        for _ in 0..<max(0, lines) {
            guard try self.lines.next() != nil else { throw SnapshotTemplates.damaged }
            count += 1
        }
    }
}

/// A batch of rows that one core encodes or decodes.
private enum SnapshotBatch {
    static let size = 2048
    static let concurrentCount = max(1, ProcessInfo.processInfo.activeProcessorCount)

    static func next<Row>(from rows: inout some IteratorProtocol<Row>) -> [Row]? {
        var batch: [Row] = []
        while batch.count < size, let row = rows.next() { batch.append(row) }
        return batch.isEmpty ? nil : batch
    }

    /// Returns the results of `work` for each batch, in the order of the batches.
    static func map<Batch: Sendable, Output: Sendable>(
        _ batches: [Batch], _ work: @escaping @Sendable (Batch) throws -> Output
    ) async throws -> [Output] {
        guard batches.count > 1 else { return try batches.map(work) }
        let results = await batches.mapConcurrently { batch in Result { try work(batch) } }
        return try results.map { try $0.get() }
    }
}
