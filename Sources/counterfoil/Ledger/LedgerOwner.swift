import Foundation
internal import Ledger
import LedgerSQLite

/// Whom a ledger's files belong to. Root runs the ledger commands, and another user the server.
enum LedgerOwner {
    /// Gives a ledger of root's at `path` to the owner of the one that was there, or else of its folder.
    ///
    /// - Parameter former: Where the ledger is now that was there, if there was one.
    static func handOver(_ path: String, former: String?) throws {
        // Nobody else can give a file away, or has to: what they restore belongs to them.
        guard geteuid() == 0 else { return }
        let ledger = URL(filePath: path).resolvingSymlinksInPath()
        let folder = ledger.deletingLastPathComponent().resolvingSymlinksInPath().path
        // Without a folder there is nothing to give away, and what failed says so.
        guard FileManager.default.fileExists(atPath: folder) else { return }
        // A former ledger of root's is one that was restored without this.
        let candidates = try [former, folder].compactMap(\.self).map { try Self.owner(of: $0) }
        guard let heir = candidates.first(where: { $0.user != 0 }) else { return }
        for file in [ledger.path, ledger.path + ".lock"] + LedgerBackup.companions(of: ledger.path)
        where FileManager.default.fileExists(atPath: file) {
            guard try Self.owner(of: file).user == 0 else { continue }
            // Never what a link points to: the folder is not root's, and whoever owns it may have put one there.
            guard lchown(file, heir.user, heir.group) == 0 else {
                throw Refusal(
                    code: "owner_unchanged",
                    message: "\(file.printable) is in place but belongs to root: chown it to the server's user")
            }
        }
    }

    /// Does `body`, and then gives the ledger's files away, also where it failed: they are there. What failed first is thrown.
    static func handingOver<Value: Sendable>(
        _ path: String, _ body: () async throws -> Value
    ) async throws -> Value {
        let value: Value
        do { value = try await body() } catch {
            do { try handOver(path, former: nil) } catch let second {
                Output.error("note \((second as? Refusal)?.message ?? second.logReason.printable)")
            }
            throw error
        }
        try handOver(path, former: nil)
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
