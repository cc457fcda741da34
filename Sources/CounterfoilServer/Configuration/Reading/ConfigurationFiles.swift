internal import Basics
package import Foundation

/// Reads the files that a configuration refers to. Tests replace the disk by a dictionary.
package struct ConfigurationFiles: Sendable {
    /// The contents and permissions of a file.
    package struct File: Sendable {
        package var contents: Data
        /// The permission bits, such as 0o644; nil where files have none.
        package var permissions: Int?

        package init(contents: Data, permissions: Int? = nil) {
            self.contents = contents
            self.permissions = permissions
        }

        /// Whether the group or other users have any permission.
        var isReadableByOthers: Bool { (permissions ?? 0) & 0o077 != 0 }
    }

    /// The reason why a file cannot be read. The reason completes a sentence that begins with the file's path.
    package struct Unreadable: Error, Hashable {
        package let reason: String
        /// Whether the file does not exist or is not visible to this user.
        package let isAbsence: Bool

        package init(_ reason: String, isAbsence: Bool = false) { (self.reason, self.isAbsence) = (reason, isAbsence) }
    }

    private let open: @Sendable (_ path: String, _ maximumBytes: Int) throws(Unreadable) -> File

    package init(_ open: @escaping @Sendable (_ path: String, _ maximumBytes: Int) throws(Unreadable) -> File) {
        self.open = open
    }

    package func read(_ path: String, maximumBytes: Int) throws(Unreadable) -> File { try open(path, maximumBytes) }

    /// The files on disk. Only regular files are read: reading a device may not end, and opening a pipe may block.
    package static let disk = ConfigurationFiles { path, maximumBytes throws(Unreadable) in
        let manager = FileManager.default
        let url = URL(filePath: path).resolvingSymlinksInPath()
        let attributes: [FileAttributeKey: Any]
        do { attributes = try manager.attributesOfItem(atPath: url.path) } catch {
            throw FileReachability.problem(at: path).map { Unreadable($0, isAbsence: true) }
                ?? Unreadable("cannot be read")
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
