internal import AppStoreModels
internal import Basics
internal import Crypto
internal import Ledger
package import Foundation
internal import Synchronization

/// Brings in a file of customers, one a line, a few at a time. Where it has come to is written beside the file, so that it
/// goes on there the next time; so is what failed, and why.
package struct FileImport: Sendable {
    /// Where it has come to.
    package struct Progress: Sendable, Codable, Hashable {
        /// Which file this is about: its size and the SHA-256 of its beginning.
        package var size: UInt64
        package var beginning: String
        /// Where it goes to: the ledger's path, and the apps and environments that are asked. Nil in what a former
        /// version has written.
        package var target: String?
        /// How many bytes of it are dealt with.
        package var offset: UInt64 = 0
        package var lines = 0
        package var failed = 0
        package var news = 0
        /// How many are asked for again later; nil in what a former version has written.
        package var putAside: Int?
        /// The last history that was brought in, by which the ledger is recognised. Nil before the first.
        package var last: Importer.History?
    }

    private struct Line: Sendable {
        var number: Int
        /// Nil for a line that is too long.
        var text: String?

        init(number: Int, _ line: LineReader.Line) {
            self.number = number
            if case .bytes(let bytes) = line { text = String(decoding: bytes, as: UTF8.self) }
        }
    }

    /// As long as the largest receipt that is read.
    private static let longestLine = 8 << 20
    private static let batch = 64
    private static let atOnce = 8
    private static let chunk = 1 << 16

    private let importer: Importer
    private let file: URL
    /// What failed or was put aside: number of the line, code, reason, and the beginning of the line, with tabs between.
    package let failures: URL
    private let place: URL
    private let target: String

    /// - Parameter ledger: The path of the ledger, which the importer writes to.
    package init(_ importer: Importer, file: URL, ledger: String) {
        self.importer = importer
        self.file = file
        let scopes = importer.scopes.map { "\($0.bundleID) \($0.environment.rawValue)" }
        target = ([ledger] + scopes).joined(separator: "\n")
        failures = file.appendingPathExtension("failed")
        place = file.appendingPathExtension("progress")
    }

    /// Brings in what is left of the file.
    ///
    /// - Parameter report: Told after each batch.
    /// - Throws: When the file cannot be read, or the App Store or the ledger cannot be reached: what was done stays done.
    package func run(_ report: @Sendable (Progress) -> Void) async throws -> Progress {
        let handle = try FileHandle(forReadingFrom: file)
        // It was only read: there is nothing that closing it could lose.
        defer { do { try handle.close() } catch {} }
        var progress = try await begin(handle)
        try handle.seek(toOffset: progress.offset)
        var lines = LineReader(handle, longest: Self.longestLine)
        let start = progress.offset
        while true {
            var batch: [Line] = []
            while batch.count < Self.batch, let line = try lines.next() {
                batch.append(Line(number: progress.lines + batch.count + 1, line))
            }
            guard !batch.isEmpty else { break }
            let outcomes = try await bring(batch)
            try append(outcomes, of: batch)
            progress.lines += batch.count
            for (_, outcome) in outcomes.sorted(by: { $0.key < $1.key }) {
                switch outcome {
                case .imported(let news, let history):
                    progress.news += news
                    progress.last = history ?? progress.last
                case .putAside(let news, _, _):
                    progress.news += news
                    progress.putAside = (progress.putAside ?? 0) + 1
                case .failed: progress.failed += 1
                }
            }
            progress.offset = start + lines.position
            try JSONEncoder().encode(progress).write(to: place, options: .atomic)
            report(progress)
        }
        return progress
    }

    private func begin(_ handle: FileHandle) async throws -> Progress {
        let size = try handle.seekToEnd()
        try handle.seek(toOffset: 0)
        let beginning = SHA256.hash(data: try handle.read(upToCount: Self.chunk) ?? Data())
        let fresh = Progress(size: size, beginning: Data(beginning).base64EncodedString(), target: target)
        // Another file of the same name begins anew, and so does the same one for another ledger, also at the same path.
        // One that has only become longer goes on.
        guard var progress = try known(), progress.beginning == fresh.beginning, progress.target == target,
            progress.offset <= size, try await isInLedger(progress)
        else {
            // What failed before was of another time, with other numbers of lines.
            if FileManager.default.fileExists(atPath: failures.path) {
                try FileManager.default.removeItem(at: failures)
            }
            return fresh
        }
        progress.size = size
        return progress
    }

    /// Whether the ledger is the one that this is about, and not one that was restored or begun since.
    private func isInLedger(_ progress: Progress) async throws -> Bool {
        // What failed alone is in no ledger.
        guard let last = progress.last else { return progress.lines == progress.failed }
        return try await importer.knows(last)
    }

    /// Where it had come to, if that is known. What is there stays as it is when it is brought in again, so what is
    /// damaged is not known.
    private func known() throws -> Progress? {
        guard FileManager.default.fileExists(atPath: place.path) else { return nil }
        do { return try JSONDecoder().decode(Progress.self, from: Data(contentsOf: place)) } catch is DecodingError {
            return nil
        }
    }

    private func bring(_ batch: [Line]) async throws -> [Int: Importer.Outcome] {
        let outcomes = Mutex<[Int: Importer.Outcome]>([:])
        try await Concurrently.forEach(batch, atOnce: Self.atOnce) { line in
            guard let outcome = try await self.bring(line) else { return }
            outcomes.withLock { $0[line.number] = outcome }
        }
        return outcomes.withLock { $0 }
    }

    /// Nil for an empty line.
    private func bring(_ line: Line) async throws -> Importer.Outcome? {
        guard let text = line.text else { return .failed(code: "too_large", message: "the line is too long") }
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        return trimmed.isEmpty ? nil : try await importer.bring(trimmed)
    }

    private func append(_ outcomes: [Int: Importer.Outcome], of batch: [Line]) throws {
        var report = ""
        for line in batch {
            let code: String
            let reason: String
            switch outcomes[line.number] {
            case .failed(let why, let message): (code, reason) = (why, message)
            case .putAside(_, let why, let message):
                (code, reason) = (why, message + " (asked for again by the server)")
            case .imported, nil: continue
            }
            report += "\(line.number)\t\(code)\t\(reason)\t\((line.text ?? "").prefix(64))\n"
        }
        guard !report.isEmpty else { return }
        if !FileManager.default.fileExists(atPath: failures.path) {
            // It has the beginnings of receipts. What cannot be made cannot be opened either, which says why.
            _ = FileManager.default.createFile(
                atPath: failures.path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        let handle = try FileHandle(forWritingTo: failures)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(report.utf8))
        try handle.close()
    }
}
