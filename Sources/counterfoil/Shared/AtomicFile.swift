internal import Basics
import Foundation

/// Writes files atomically: an existing file stays until the new one is complete.
enum AtomicFile {
    /// Writes a file that only its owner may read, under a temporary name, and renames it to `path`.
    ///
    /// If `path` is not a regular file, such as a pipe, `body` writes to it directly.
    static func write<Value>(_ path: String, _ body: (FileHandle) async throws -> Value) async throws -> Value {
        // Replace the file that a link points to, not the link.
        let file = URL(filePath: path).resolvingSymlinksInPath()
        if FileManager.default.fileExists(atPath: path), !isFile(file) {
            guard let handle = FileHandle(forWritingAtPath: path) else { throw notWritable(path) }
            return try await body(handle)
        }
        let draft = file.deletingLastPathComponent().appending(path: ".\(file.lastPathComponent).\(UUID().uuidString)")
        let handle: FileHandle
        do { handle = try FileHandle.creatingPrivateFile(at: draft.path) } catch { throw notWritable(path) }
        do {
            let value = try await Signals.removing([draft.path]) { try await body(handle) }
            try handle.synchronize()
            try handle.close()
            guard rename(draft.path, file.path) == 0 else { throw notWritable(path) }
            return value
        } catch {
            unlink(draft.path)
            throw error
        }
    }

    /// Whether a regular file exists at the path, which must not be a link.
    static func isFile(_ file: URL) -> Bool {
        // The target of a link, such as a pipe in /dev/fd, may have no path.
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            return attributes[.type] as? FileAttributeType == .typeRegular
        } catch { return false }
    }

    private static func notWritable(_ path: String) -> Refusal {
        Refusal(
            code: "not_writable",
            message: "\(path.printable) cannot be written: does its folder exist, and may this user write there?")
    }
}
