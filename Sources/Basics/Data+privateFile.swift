package import Foundation

extension Data {
    /// Replaces a file atomically: readers see either the old contents or the new. Only the owner has access, from the
    /// moment the file is created.
    package func writePrivately(to file: URL) throws {
        let draft = file.deletingLastPathComponent().appending(path: ".\(file.lastPathComponent).\(UUID().uuidString)")
        let handle = try FileHandle.creatingPrivateFile(at: draft.path)
        do {
            try handle.write(contentsOf: self)
            try handle.synchronize()
            try handle.close()
            guard rename(draft.path, file.path) == 0 else { throw FileFailure.lastSystemError }
        } catch {
            // If the removal fails too, the first error is the one to report.
            try? FileManager.default.removeItem(at: draft)
            throw error
        }
    }
}
