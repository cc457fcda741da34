internal import AppStoreModels
internal import Basics
internal import Crypto
package import Foundation
internal import Ledger
internal import Synchronization

/// Imports customers from a file, one customer per line, several at a time. A file beside it stores the progress, so
/// that the next run continues there. Another one lists the failed lines with their reasons.
package struct FileImport: Sendable {
    /// The progress of an import.
    package struct Progress: Sendable, Codable, Hashable {
        /// The size of the file in bytes.
        package var size: UInt64
        /// The SHA-256 of the bytes before `offset`, in base64. With it, the import recognizes the file. Nil in files
        /// of earlier versions.
        package var digest: String?
        /// The target of the import: the path of the ledger, and the apps and environments to query. Nil in files of
        /// earlier versions.
        package var target: String?
        /// The number of bytes processed.
        package var offset: UInt64 = 0
        package var lines = 0
        package var failed = 0
        package var newFacts = 0
        /// The number of lines that the server tries again later. Nil in files of earlier versions.
        package var deferred: Int?
        /// The number of receipts without purchases. Nil in files of earlier versions.
        package var withoutPurchases: Int?
        /// The size of the list of failures, in bytes. Nil in files of earlier versions.
        var failuresSize: UInt64? = 0
        /// The last imported history. With it, the import recognizes the ledger. Nil before the first.
        package var last: Importer.History?
        /// The number of lines that earlier runs processed.
        package var earlierLines = 0

        private enum CodingKeys: String, CodingKey {
            case size, digest, target, offset, lines, failed, last, withoutPurchases, failuresSize
            // The keys in files of earlier versions.
            case newFacts = "news"
            case deferred = "putAside"
        }
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

    /// The size of the largest accepted receipt in base64, in bytes.
    private static let longestLine = 8 << 20
    private static let batch = 64
    private static let concurrency = 8
    private static let chunk = 1 << 16

    /// The SHA-256 of the bytes before an offset that only grows.
    private struct PrefixDigest {
        private let handle: FileHandle
        private var hash = SHA256()
        private var offset: UInt64 = 0
        /// Whether the bytes end with a line.
        private(set) var endsLine = true

        /// Creates the digest of no bytes.
        ///
        /// - Parameter handle: A handle at the beginning of the file, for this digest only.
        init(_ handle: FileHandle) { self.handle = handle }

        /// Returns the digest of the bytes before `end`, in base64; nil if the file is shorter.
        mutating func advance(to end: UInt64) throws -> String? {
            while offset < end {
                let count = Int(min(end - offset, UInt64(FileImport.chunk)))
                guard let bytes = try handle.read(upToCount: count), let last = bytes.last else { return nil }
                hash.update(data: bytes)
                offset += UInt64(bytes.count)
                endsLine = last == UInt8(ascii: "\n")
            }
            return Data(hash.finalize()).base64EncodedString()
        }
    }

    private let importer: Importer
    private let file: URL
    /// The file that lists the lines that were not imported: line number, code, reason and the beginning of the line,
    /// separated by tabs.
    package let failures: URL
    private let progressFile: URL
    private let target: String

    /// - Parameter ledger: The path of the ledger that the importer writes to.
    package init(_ importer: Importer, file: URL, ledger: String) {
        self.importer = importer
        self.file = file
        let scopes = importer.scopes.map { "\($0.bundleID) \($0.environment.rawValue)" }
        target = ([ledger] + scopes).joined(separator: "\n")
        failures = file.appendingPathExtension("failed")
        progressFile = file.appendingPathExtension("progress")
    }

    /// Imports the rest of the file.
    ///
    /// - Parameter report: Called after each batch.
    /// - Throws: If the file cannot be read, or the App Store or the ledger cannot be reached. Finished batches stay
    ///   imported.
    package func run(_ report: @Sendable (Progress) -> Void) async throws -> Progress {
        let handle = try FileHandle(forReadingFrom: file)
        let second = try FileHandle(forReadingFrom: file)
        // The file was only read, so an error of `close` loses nothing.
        defer { for open in [handle, second] { do { try open.close() } catch {} } }
        var (progress, digest) = try await initialProgress(size: handle.seekToEnd(), second)
        try handle.seek(toOffset: progress.offset)
        var lines = LineReader(handle, longest: Self.longestLine)
        let start = progress.offset
        while true {
            let batch = try lines.next(Self.batch).enumerated().map { Line(number: progress.lines + $0 + 1, $1) }
            guard !batch.isEmpty else { break }
            let outcomes = try await importBatch(batch)
            progress.failuresSize = try appendFailures(in: outcomes, of: batch) ?? progress.failuresSize
            progress.lines += batch.count
            for (_, outcome) in outcomes.sorted(by: { $0.key < $1.key }) {
                switch outcome {
                case .imported(let newFacts, let history):
                    progress.newFacts += newFacts
                    progress.last = history
                case .withoutPurchases: progress.withoutPurchases = (progress.withoutPurchases ?? 0) + 1
                case .deferred(let newFacts, _, _):
                    progress.newFacts += newFacts
                    progress.deferred = (progress.deferred ?? 0) + 1
                case .failed: progress.failed += 1
                }
            }
            progress.offset = start + lines.position
            progress.digest = try digest.advance(to: progress.offset)
            let saved = try JSONEncoder().encode(progress)
            try Self.using(progressFile) { try saved.writePrivately(to: progressFile) }
            report(progress)
        }
        return progress
    }

    /// Returns the progress to continue, and the digest of the bytes before its offset.
    private func initialProgress(size: UInt64, _ handle: FileHandle) async throws -> (Progress, PrefixDigest) {
        var digest = PrefixDigest(handle)
        // Continue only the same file, possibly longer than before, with the same target and the same ledger. A file
        // with other lines before the offset is another file, and a ledger that was replaced at the same path is
        // another ledger.
        guard var progress = try savedProgress(), progress.target == target, progress.offset <= size,
            let processed = try digest.advance(to: progress.offset), processed == progress.digest,
            digest.endsLine || progress.offset == size, try await isInLedger(progress)
        else {
            // The listed failures belong to the earlier import, with other line numbers.
            if FileManager.default.fileExists(atPath: failures.path) {
                try Self.using(failures) { try FileManager.default.removeItem(at: failures) }
            }
            try handle.seek(toOffset: 0)
            return (Progress(size: size, target: target), PrefixDigest(handle))
        }
        progress.size = size
        progress.earlierLines = progress.lines
        if let size = progress.failuresSize { try dropUncountedFailures(after: size) }
        return (progress, digest)
    }

    /// Whether the ledger contains what the progress says. False if it was restored or created since.
    private func isInLedger(_ progress: Progress) async throws -> Bool {
        // If nothing was imported, every ledger matches.
        guard let last = progress.last else {
            return progress.lines == progress.failed + (progress.withoutPurchases ?? 0)
        }
        return try await importer.contains(last)
    }

    /// Returns the stored progress; nil if there is none or it does not decode. A damaged file is safe to ignore,
    /// because importing a customer again changes nothing.
    private func savedProgress() throws -> Progress? {
        guard FileManager.default.fileExists(atPath: progressFile.path) else { return nil }
        let saved = try Self.using(progressFile) { try Data(contentsOf: progressFile) }
        do {
            return try JSONDecoder().decode(Progress.self, from: saved)
        } catch is DecodingError {
            return nil
        }
    }

    private func importBatch(_ batch: [Line]) async throws -> [Int: Importer.Outcome] {
        let outcomes = Mutex<[Int: Importer.Outcome]>([:])
        try await Concurrently.forEach(batch, atOnce: Self.concurrency) { line in
            guard let outcome = try await self.importLine(line) else { return }
            outcomes.withLock { $0[line.number] = outcome }
        }
        return outcomes.withLock { $0 }
    }

    /// Imports one line. Returns nil for an empty line.
    private func importLine(_ line: Line) async throws -> Importer.Outcome? {
        guard var text = line.text else { return .failed(code: "too_large", message: "the line is too long") }
        // Some programs write a byte order mark before the first line.
        if line.number == 1, text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        return trimmed.isEmpty ? nil : try await importer.importCustomer(trimmed)
    }

    /// Removes the failures of a batch after which the import was killed, before it saved its progress: that batch is
    /// imported again.
    private func dropUncountedFailures(after size: UInt64) throws {
        guard FileManager.default.fileExists(atPath: failures.path) else { return }
        try Self.using(failures) {
            let handle = try FileHandle.openingPrivateFile(at: failures.path)
            if try handle.seekToEnd() > size { try handle.truncate(atOffset: size) }
            try handle.close()
        }
    }

    /// Adds the failures of a batch to their list. Returns the size of the list; nil if there were none.
    private func appendFailures(in outcomes: [Int: Importer.Outcome], of batch: [Line]) throws -> UInt64? {
        var report = ""
        for line in batch {
            let code, reason: String
            switch outcomes[line.number] {
            case .failed(let why, let message): (code, reason) = (why, message)
            case .deferred(_, let why, let message):
                (code, reason) = (why, message + " (the server tries again)")
            case .withoutPurchases: (code, reason) = ("no_purchases", "the receipt lists no purchase")
            case .imported, nil: continue
            }
            // The text comes from outside, and people read the file in a terminal.
            let beginning = String((line.text ?? "").prefix(64)).escapingUnprintable
            report += "\(line.number)\t\(code)\t\(reason.escapingUnprintable)\t\(beginning)\n"
        }
        guard !report.isEmpty else { return nil }
        return try Self.using(failures) {
            // Only the owner may read the file, because it contains beginnings of receipts.
            let handle = try FileHandle.openingPrivateFile(at: failures.path)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(report.utf8))
            let size = try handle.offset()
            try handle.close()
            return size
        }
    }

    /// A file beside the imported one cannot be used.
    private struct UnusableFile: LoggedError {
        let logReason: String
    }

    /// Runs `body`. An error names the file, because the user gets no text of another library's error.
    private static func using<Value>(_ file: URL, _ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            throw UnusableFile(logReason: "\(file.path) cannot be used: \(FileFailure.reason(error))")
        }
    }
}
