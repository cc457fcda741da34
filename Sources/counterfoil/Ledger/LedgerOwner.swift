import Foundation
internal import Ledger
import LedgerSQLite

/// Changes the owner of a ledger's files after root ran a ledger command, because another user runs the server.
enum LedgerOwner {
    /// Changes the owner of a ledger at `path` that belongs to root to the owner of the replaced ledger, or of its
    /// folder.
    ///
    /// - Parameter former: The path to which the replaced ledger was moved, if there was one.
    static func changeOwner(of path: String, former: String?) throws {
        // Other users cannot change a file's owner and need not: they own the files that they create.
        guard geteuid() == 0 else { return }
        let ledger = URL(filePath: path).resolvingSymlinksInPath()
        let folder = ledger.deletingLastPathComponent().resolvingSymlinksInPath().path
        // Without a folder there are no files; the command reports its own error.
        guard FileManager.default.fileExists(atPath: folder) else { return }
        // Skip a replaced ledger that belongs to root: its owner was never changed.
        let candidates = try [former, folder].compactMap(\.self).map { try Self.owner(of: $0) }
        guard let owner = candidates.first(where: { $0.user != 0 }) else { return }
        for file in [ledger.path, ledger.path + ".lock"] + LedgerBackup.companions(of: ledger.path)
        where FileManager.default.fileExists(atPath: file) {
            guard try Self.owner(of: file).user == 0 else { continue }
            // Do not follow links: another user owns the folder and may have placed a link to a file of root there.
            guard lchown(file, owner.user, owner.group) == 0 else {
                throw Refusal(
                    code: "owner_unchanged",
                    message: "\(file.printable) is in place but belongs to root: chown it to the server's user")
            }
        }
    }

    /// Runs `body` and then calls ``changeOwner(of:former:)``, also after an error, since `body` may have created
    /// files. Throws the error of `body` first.
    static func changingOwner<Value: Sendable>(
        of path: String, _ body: () async throws -> Value
    ) async throws -> Value {
        let value: Value
        do { value = try await body() } catch {
            do { try changeOwner(of: path, former: nil) } catch let second {
                Output.error("note: \((second as? Refusal)?.message ?? second.logReason.printable)")
            }
            throw error
        }
        try changeOwner(of: path, former: nil)
        return value
    }

    private static func owner(of file: String) throws -> (user: UInt32, group: UInt32) {
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        guard let user = attributes[.ownerAccountID] as? NSNumber,
            let group = attributes[.groupOwnerAccountID] as? NSNumber
        else { throw Refusal(code: "owner_unknown", message: "the owner of \(file.printable) cannot be read") }
        return (user.uint32Value, group.uint32Value)
    }
}
