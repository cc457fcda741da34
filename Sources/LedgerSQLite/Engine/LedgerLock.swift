internal import Foundation
internal import Ledger

/// Prevents other processes from writing to a ledger, by a lock on a file beside it. The kernel releases the lock when
/// the process ends; the file itself stays and has no meaning.
final class LedgerLock: Sendable {
    private let descriptor: Int32

    /// Acquires the lock, or throws an error that names the process that holds it.
    ///
    /// A symbolic link is not followed: if root runs a command, another user owns the folder and may have placed a link
    /// to a file of root there, which the process identifier would overwrite.
    init(ledger path: String) throws(StorageError) {
        let file = Self.file(ledger: path)
        descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            let number = errno
            guard number != ELOOP else { throw StorageError(link: file) }
            throw StorageError(errno: number, path: path)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // If the initializer throws here, deinit runs and closes the descriptor. After a second close, the number
            // might already belong to another file, such as another ledger's lock.
            let owner = Self.owner(descriptor)
            throw StorageError(
                .busy, "\(path) is in use by another Counterfoil\(owner); stop it first: a ledger has one writer")
        }
        writeOwner()
    }

    /// Returns the path of the file. All paths to the same ledger must use one lock file.
    static func file(ledger path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path + ".lock" }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes the process identifier into the file, for people. A failure does not matter.
    private func writeOwner() {
        let text = "\(getpid())\n"
        guard ftruncate(descriptor, 0) == 0 else { return }
        _ = text.withCString { pwrite(descriptor, $0, text.utf8.count, 0) }
    }

    private static func owner(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 20)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0, let number = Int32(String(decoding: bytes.prefix(count), as: UTF8.self).dropLast(1)) else {
            return ""
        }
        return " (process \(number))"
    }
}
