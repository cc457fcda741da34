package import Foundation

/// How the reader of a configuration gets at the files that it names. Tests have no files.
package struct ConfigurationFiles: Sendable {
    /// A file as it was found.
    package struct File: Sendable {
        package var contents: Data
        /// The permission bits, such as 0o644; nil where there are none.
        package var permissions: Int?

        package init(contents: Data, permissions: Int? = nil) {
            self.contents = contents
            self.permissions = permissions
        }

        /// Whether others than the owner may read it.
        var isOpen: Bool { (permissions ?? 0) & 0o077 != 0 }
    }

    /// Why there is no content: a part of a sentence that begins with the file's name.
    package struct Unreadable: Error, Hashable {
        package let reason: String

        package init(_ reason: String) { self.reason = reason }

        /// There is no such file, or none that this user can see.
        package static let absence = Unreadable("does not exist")
    }

    private let open: @Sendable (_ path: String, _ maximumBytes: Int) throws(Unreadable) -> File

    package init(_ open: @escaping @Sendable (_ path: String, _ maximumBytes: Int) throws(Unreadable) -> File) {
        self.open = open
    }

    package func read(_ path: String, maximumBytes: Int) throws(Unreadable) -> File { try open(path, maximumBytes) }

    /// The files of this machine. Only regular ones: a device has no end, and a pipe may have no beginning.
    package static let disk = ConfigurationFiles { path, maximumBytes throws(Unreadable) in
        let manager = FileManager.default
        let url = URL(filePath: path).resolvingSymlinksInPath()
        let attributes: [FileAttributeKey: Any]
        do { attributes = try manager.attributesOfItem(atPath: url.path) } catch {
            throw manager.fileExists(atPath: path) ? Unreadable("cannot be read") : .absence
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular else { throw Unreadable("is not a regular file") }
        let data: Data
        do {
            let handle = try FileHandle(forReadingFrom: url)
            data = try handle.read(upToCount: maximumBytes + 1) ?? Data()
            try handle.close()
        } catch {
            throw Unreadable("cannot be read: check its permissions")
        }
        guard data.count <= maximumBytes else { throw Unreadable("is larger than \(maximumBytes) bytes") }
        return File(contents: data, permissions: (attributes[.posixPermissions] as? NSNumber)?.intValue)
    }
}
