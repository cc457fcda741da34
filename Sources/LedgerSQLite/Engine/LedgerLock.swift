internal import Ledger
internal import Foundation

/// Keeps every other process from writing to a ledger, by a lock on a file beside it. The kernel lets it go however the
/// process ends; the file itself stays and means nothing.
final class LedgerLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock, or says who has it.
    init(ledger path: String) throws(StorageError) {
        // However the ledger is named, it is one.
        let file = URL(filePath: path).resolvingSymlinksInPath().path + ".lock"
        descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StorageError(errno: errno, path: path) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            // An initializer that throws here is followed by deinit, which closes the file. Closed twice, the number could
            // by then be that of another file, such as another ledger's.
            let owner = Self.owner(descriptor)
            throw StorageError(
                .busy, "\(path) is in use by another Counterfoil\(owner); stop it first: a ledger has one writer")
        }
        writeOwner()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Writes down who has it, for people. It is no matter if that fails.
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
