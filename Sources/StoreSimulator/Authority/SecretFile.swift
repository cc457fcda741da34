internal import Foundation

/// Files that hold private keys: only their owner may read them, from the first byte on.
enum SecretFile {
    /// No file of an authority is longer.
    private static let mostBytes = 32 * 1024 * 1024

    /// The contents; nil where there is no file.
    static func read(_ file: URL) throws(StoreAuthorityError) -> Data? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        do {
            let handle = try FileHandle(forReadingFrom: file)
            defer { try? handle.close() }
            let data = try handle.read(upToCount: mostBytes + 1) ?? Data()
            guard data.count <= mostBytes else {
                throw StoreAuthorityError(.unreadableFile, "\(file.lastPathComponent) is too large")
            }
            return data
        } catch let error as StoreAuthorityError {
            throw error
        } catch {
            throw StoreAuthorityError(.unreadableFile, "\(file.lastPathComponent) cannot be read")
        }
    }

    /// Replaces the file as a whole: whoever reads it sees the old contents or the new.
    static func write(_ contents: Data, to file: URL) throws(StoreAuthorityError) {
        let draft = file.deletingLastPathComponent().appending(path: ".\(file.lastPathComponent).\(UUID().uuidString)")
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        // Empty first: what creates a file may set its permissions only after its contents.
        guard FileManager.default.createFile(atPath: draft.path, contents: nil, attributes: attributes) else {
            throw StoreAuthorityError(.unwritableFile, "\(file.lastPathComponent) cannot be written")
        }
        do {
            let handle = try FileHandle(forWritingTo: draft)
            try handle.write(contentsOf: contents)
            try handle.synchronize()
            try handle.close()
            guard rename(draft.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            try? FileManager.default.removeItem(at: draft)
            throw StoreAuthorityError(.unwritableFile, "\(file.lastPathComponent) cannot be written")
        }
    }
}
