internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Reads the App Store's attempts to deliver a notification. The answer is not stored.
struct SendAttemptRoutes {
    let storage: any InspectionStorage
    let scopes: AppEnvironmentRegistry
    let appStore: AppStoreQueries
    let settings: RecoverySettings

    /// How far around its signing date a notification is searched, in seconds.
    private static let searchMargin: TimeInterval = 60
    /// How many pages of the history are searched.
    private static let maximumPages = 10

    func add(to v1: APIRouter) { v1.post("/notifications/{id}/attempts", needs: .operationsWrite, attempts) }

    private func attempts(_ call: APICall) async throws -> Response {
        let (stored, appEnvironment) = try await InboxRoutes.notification(call, storage, scopes)
        let client = try appStore.client(for: appEnvironment)
        let item: NotificationHistoryResponseItem?
        do { item = try await find(stored, client) } catch let error as AppStoreServerError { throw APIFailure(error) }
        guard let item else {
            throw APIFailure(
                .notFound, "not_in_history",
                "The App Store's notification history does not have this notification, or has it no longer.",
                parameter: "id")
        }
        return .list(item.sendAttempts, next: nil) { json, attempt in
            json.object("send_attempt") { json in
                json.member("attempt_date", attempt.attemptDate.milliseconds)
                json.member("result", attempt.sendAttemptResult.rawValue)
            }
        }
    }

    /// Finds the notification in the App Store's history.
    private func find(
        _ stored: StoredNotification, _ client: AppStoreServerClient
    ) async throws -> NotificationHistoryResponseItem? {
        guard stored.signedDate > RecoveryPlan.limit(at: appStore.clock.now(), settings) else { return nil }
        var pages = 0
        let request = await self.request(for: stored)
        for try await page in client.notificationHistory(request) {
            for item in page.items {
                if await isSame(item, stored) { return item }
            }
            pages += 1
            if pages == Self.maximumPages { break }
        }
        return nil
    }

    /// Requests the notifications around the signing date: of the same transaction, or of the same type if the
    /// notification names no transaction.
    private func request(for stored: StoredNotification) async -> NotificationHistoryRequest {
        let signed = Date(milliseconds: stored.signedDate)
        var request = NotificationHistoryRequest(
            startDate: signed - Self.searchMargin, endDate: signed + Self.searchMargin)
        if let transaction = await transaction(of: stored) {
            request.transactionId = transaction
        } else {
            request.notificationType = NotificationTypeV2(rawValue: stored.type)
            request.notificationSubtype = stored.subtype.map { NotificationSubtype(rawValue: $0) }
        }
        return request
    }

    /// Returns nil if there is no transaction, or if it fails verification.
    private func transaction(of stored: StoredNotification) async -> String? {
        do throws(VerificationError) {
            guard let text = try await appStore.historical.notification(stored.text).payload.data?.signedTransactionInfo
            else { return nil }
            return try await appStore.historical.transaction(text).payload.originalTransactionId
        } catch { return nil }
    }

    private func isSame(_ item: NotificationHistoryResponseItem, _ stored: StoredNotification) async -> Bool {
        if item.signedPayload.isExactly(stored.text) { return true }
        do throws(VerificationError) {
            // The ledger has also notifications that this version cannot read.
            let envelope = try await appStore.historical.notificationEnvelope(item.signedPayload).payload
            return stored.isNamed(envelope.uuid)
        } catch {
            // A text that fails verification is not a stored one.
            return false
        }
    }
}
