internal import Basics
internal import Foundation

/// Lines on their way into a file.
struct SnapshotWriter {
    private let file: FileHandle
    private let encoder = JSONLineEncoder(capacity: 2 << 20)
    private(set) var count = 0

    init(_ url: URL) throws {
        guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        file = try FileHandle(forWritingTo: url)
    }

    mutating func add(_ value: some Encodable) throws {
        try encoder.encode(value)
        count += 1
        if encoder.count > 1 << 20 { try flush() }
    }

    /// Adds many, which all processors encode, in their order.
    mutating func add<Value>(
        _ rows: some Sequence<SnapshotFile.Row<Value>>, _ write: SnapshotTable.ValueWriter<Value>?
    ) async throws {
        try flush()
        var rows = rows.makeIterator()
        while true {
            var pieces: [[SnapshotFile.Row<Value>]] = []
            while pieces.count < SnapshotPiece.atOnce, let piece = SnapshotPiece.take(&rows) { pieces.append(piece) }
            guard !pieces.isEmpty else { return }
            let encoded = try await SnapshotPiece.each(pieces) { piece in
                let encoder = JSONLineEncoder(capacity: 1 << 20)
                for row in piece where !row.isWritten(to: encoder, write) { try encoder.encode(row) }
                return Array(encoder.written)
            }
            for bytes in encoded { try file.write(contentsOf: bytes) }
            count += pieces.reduce(0) { $0 + $1.count }
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

/// Lines out of a file.
struct SnapshotReader {
    private var lines: LineReader
    private(set) var count = 0

    static var damaged: SimulatorError { SnapshotTemplates.damaged }
    /// No record is longer; a line that is belongs to something else.
    private static let longestLine = 1 << 30

    init(_ file: FileHandle) { lines = LineReader(file, longest: Self.longestLine) }

    mutating func next<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try Self.decode(type, try line())
    }

    /// Reads many, which all processors decode, in their order.
    mutating func next<Value: Decodable & Sendable>(
        _ number: Int, _ type: Value.Type, _ take: (Value) throws -> Void
    ) async throws {
        var left = number
        while left > 0 {
            var pieces: [[[UInt8]]] = []
            while pieces.count < SnapshotPiece.atOnce, left > 0 {
                let size = min(left, SnapshotPiece.size)
                pieces.append(try (0..<size).map { _ in try line() })
                left -= size
            }
            for values in try await SnapshotPiece.each(pieces, { try $0.map { try Self.decode(type, $0) } }) {
                for value in values { try take(value) }
            }
        }
    }

    private mutating func line() throws -> [UInt8] {
        guard case .bytes(let line)? = try lines.next() else { throw Self.damaged }
        count += 1
        return line
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ line: [UInt8]) throws -> Value {
        do { return try StrictJSONDecoder.decode(type, from: line) } catch is JSONProblem {
            // Names with escapes in them, and deep values that somebody gave a trigger: rare, and Foundation reads them.
            let decoder = JSONDecoder()
            decoder.dataDecodingStrategy = .deferredToData
            return try decoder.decode(type, from: Data(line))
        }
    }

    mutating func skip(_ lines: Int) throws {
        for _ in 0..<max(0, lines) {
            guard try self.lines.next() != nil else { throw Self.damaged }
            count += 1
        }
    }
}

/// Rows that one processor encodes or decodes while others do the next ones.
private enum SnapshotPiece {
    static let size = 2048
    static let atOnce = max(1, ProcessInfo.processInfo.activeProcessorCount)

    static func take<Row>(_ rows: inout some IteratorProtocol<Row>) -> [Row]? {
        var piece: [Row] = []
        while piece.count < size, let row = rows.next() { piece.append(row) }
        return piece.isEmpty ? nil : piece
    }

    /// What `work` makes of each piece, in their order.
    static func each<Piece: Sendable, Result: Sendable>(
        _ pieces: [Piece], _ work: @escaping @Sendable (Piece) throws -> Result
    ) async throws -> [Result] {
        guard pieces.count > 1 else { return try pieces.map(work) }
        return try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            for (number, piece) in pieces.enumerated() { group.addTask { (number, try work(piece)) } }
            var results: [(Int, Result)] = []
            for try await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
