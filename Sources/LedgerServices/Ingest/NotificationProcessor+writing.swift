internal import Ledger
internal import Logging

extension NotificationProcessor {
    /// Stores processed notifications and returns how many succeeded. If the batch fails, for example because of an
    /// unreadable disk sector, each notification is stored on its own.
    func write(_ processed: [ProcessedNotification]) async -> Int {
        do {
            try await writer.commit(processed)
            return processed.count
        } catch {
            failures.record("notifications could not be processed", error, metadata: ["count": "\(processed.count)"])
            // On a full disk or a locked database every single attempt would fail too.
            let code = (error as? StorageError)?.code
            guard processed.count > 1, code == .failed || code == .damaged else { return 0 }
        }
        var count = 0
        for notification in processed {
            // The failure is logged above. The notification stays in the inbox.
            do { try await writer.commit([notification]) } catch { continue }
            count += 1
        }
        return count
    }
}
