internal import AppStoreModels
internal import AppStoreTrust
internal import Foundation
internal import Ledger
internal import Logging

extension NotificationProcessor {
    /// Marks a notification as failed because its signed parts do not verify or its stored text cannot be read.
    ///
    /// - Returns: Whether the notification was marked. False if the error is temporary, the text can be read by now or
    ///   the mark could not be written: the notification stays in the inbox.
    func markFailed(_ id: Int64, _ error: any Error) async -> Bool {
        do {
            switch error {
            case let error as VerificationError where !error.isRetryable:
                let code = "\(error.code)"
                try await storage.fail(id, code: code, message: error.message, at: now().milliseconds)
                logger.error(
                    "data in a notification failed verification",
                    metadata: ["id": "\(id)", "code": "\(code)", "reason": "\(error.message)"])
                return true
            case let error as StorageError where error.code == .damaged:
                let isMarked = try await storage.failDamaged(id, message: error.message, at: now().milliseconds)
                logger.error(
                    "a notification cannot be read", metadata: ["id": "\(id)", "code": "\(error.code.rawValue)"])
                return isMarked
            default:
                failures.record(
                    "a notification cannot be verified yet", error, level: .warning, metadata: ["id": "\(id)"])
                return false
            }
        } catch {
            failures.record("a notification could not be marked as failed", error, metadata: ["id": "\(id)"])
            return false
        }
    }
}
