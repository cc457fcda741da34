internal import Ledger
internal import Logging

extension NotificationProcessor {
    /// Folds notifications and returns how many succeeded. If the batch fails, for example because of an unreadable
    /// disk sector, each notification is folded on its own.
    func write(_ folded: [ProcessedNotification]) async -> Int {
        do {
            try await writer.fold(folded)
            return folded.count
        } catch {
            logger.error(
                "notifications could not be folded",
                metadata: ["count": "\(folded.count)", "reason": "\(error.logReason)"])
            // On a full disk or a locked database every single attempt would fail too.
            let code = (error as? StorageError)?.code
            guard folded.count > 1, code == .failed || code == .damaged else { return 0 }
        }
        var count = 0
        for notification in folded {
            // The failure is logged above. The notification stays in the inbox.
            do { try await writer.fold([notification]) } catch { continue }
            count += 1
        }
        return count
    }
}
