package import Foundation

extension Data {
    /// Replaces a file atomically: readers see either the old contents or the new. Only the owner has access, from the
    /// moment the file is created.
    package func writePrivately(to file: URL) throws {
        let draft = file.deletingLastPathComponent().appending(path: ".\(file.lastPathComponent).\(UUID().uuidString)")
        // Create an empty file first: `createFile` may set the permissions only after writing the contents.
        guard
            FileManager.default.createFile(
                atPath: draft.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw FileFailure.lastSystemError }
        do {
            let handle = try FileHandle(forWritingTo: draft)
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
