internal import Basics
internal import Foundation

/// Reads and writes files with private keys. Only their owner has access, from the moment they are created.
enum SecretFile {
    /// The maximum size of a file of an authority.
    private static let maximumSize = 32 * 1024 * 1024

    /// Returns the contents of a file; nil if it does not exist.
    static func read(_ file: URL) throws(SimulatorError) -> Data? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        let data: Data
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            data = try handle.read(upToCount: maximumSize + 1) ?? Data()
        } catch {
            throw SimulatorError(.corrupted, "\(file.lastPathComponent) cannot be read")
        }
        guard data.count <= maximumSize else {
            throw SimulatorError(.corrupted, "\(file.lastPathComponent) is too large")
        }
        return data
    }

    /// Replaces the file atomically.
    static func write(_ contents: Data, to file: URL) throws(SimulatorError) {
        do { try contents.writePrivately(to: file) } catch {
            throw SimulatorError(
                .unwritableDirectory, "\(file.lastPathComponent) cannot be written: \(FileFailure.reason(error))")
        }
    }
}
