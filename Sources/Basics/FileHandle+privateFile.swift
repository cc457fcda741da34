package import Foundation

extension FileHandle {
    /// Creates a file that only its owner may read and write, and opens it for writing. Throws if it exists.
    ///
    /// The file has its permissions from the beginning. `FileManager.createFile` sets them afterwards, and whoever
    /// opens the file before that can read what is written later.
    package static func creatingPrivateFile(at path: String) throws(POSIXError) -> FileHandle {
        try privateFile(at: path, O_EXCL)
    }

    /// Opens a file for writing, and creates it like ``creatingPrivateFile(at:)`` if it does not exist. Throws if it is a
    /// symbolic link: somebody else may have placed it, to have another file overwritten.
    package static func openingPrivateFile(at path: String) throws(POSIXError) -> FileHandle {
        try privateFile(at: path, O_NOFOLLOW)
    }

    private static func privateFile(at path: String, _ flag: CInt) throws(POSIXError) -> FileHandle {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flag, 0o600)
        guard descriptor >= 0 else { throw FileFailure.lastSystemError }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}
