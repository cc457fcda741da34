import Foundation

/// Writes files that are there as a whole or not at all: the file before stays until the new one is good.
enum WholeFile {
    /// Writes a file that only its owner may read, beside the one that it replaces.
    ///
    /// What is no file, such as a pipe, is written to as it is.
    static func write<Value>(_ path: String, _ body: (FileHandle) async throws -> Value) async throws -> Value {
        // A link stays one, and leads to the new file.
        let file = URL(filePath: path).resolvingSymlinksInPath()
        if FileManager.default.fileExists(atPath: path), !isFile(file) {
            guard let handle = FileHandle(forWritingAtPath: path) else { throw notWritable(path) }
            return try await body(handle)
        }
        let draft = file.deletingLastPathComponent().appending(path: ".\(file.lastPathComponent).\(UUID().uuidString)")
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: draft.path, contents: nil, attributes: attributes),
            let handle = FileHandle(forWritingAtPath: draft.path)
        else { throw notWritable(path) }
        do {
            let value = try await Signals.removing(draft.path) { try await body(handle) }
            try handle.synchronize()
            try handle.close()
            guard rename(draft.path, file.path) == 0 else { throw notWritable(path) }
            return value
        } catch {
            unlink(draft.path)
            throw error
        }
    }

    private static func isFile(_ file: URL) -> Bool {
        // What a link leads to may have no path of its own, such as a pipe.
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            return attributes[.type] as? FileAttributeType == .typeRegular
        } catch { return false }
    }

    private static func notWritable(_ path: String) -> Refusal {
        Refusal(code: "not_writable", message: "\(path.printable) cannot be written")
    }
}
