package import Foundation

extension FileHandle {
    /// Creates a file that only its owner may read and write, and opens it for writing. Throws if it exists.
    ///
    /// The file has its permissions from the beginning. `FileManager.createFile` sets them afterwards, and whoever
    /// opens the file before that can read what is written later.
    package static func creatingPrivateFile(at path: String) throws(POSIXError) -> FileHandle {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure.lastSystemError }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}
