internal import Ledger
internal import Logging

extension NotificationProcessor {
    /// Has notifications folded; returns how many were. If one cannot be, as where a sector of the disk cannot be read, those
    /// with it are folded one by one.
    func write(_ folded: [FoldedNotification]) async -> Int {
        do {
            try await writer.fold(folded)
            return folded.count
        } catch {
            logger.error(
                "notifications could not be folded",
                metadata: ["count": "\(folded.count)", "reason": "\(error.logReason)"])
            // Of a full disk, or one that another process holds, all would fail in turn.
            let code = (error as? StorageError)?.code
            guard folded.count > 1, code == .failed || code == .damaged else { return 0 }
        }
        var count = 0
        for notification in folded {
            // It was logged with the others, and waits.
            do { try await writer.fold([notification]) } catch { continue }
            count += 1
        }
        return count
    }
}
