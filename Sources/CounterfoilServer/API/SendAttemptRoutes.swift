internal import AppStoreModels
internal import AppStoreServer
internal import AppStoreTrust
internal import Basics
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ledger
internal import LedgerServices

/// Asks the App Store how it tried to deliver a notification. The answer is not kept.
struct SendAttemptRoutes {
    let storage: any InspectionStorage
    let scopes: ScopeRegistry
    let asking: AppStoreQuestions
    let settings: RecoverySettings

    /// How far around its signing date a notification is looked for, in seconds.
    private static let slack: TimeInterval = 60
    /// How many pages of the history are looked through.
    private static let mostPages = 10

    func add(to v1: APIRouter) { v1.post("/notifications/{id}/attempts", needs: .operationsWrite, attempts) }

    private func attempts(_ call: APICall) async throws -> Response {
        let (kept, scope) = try await InboxRoutes.notification(call, storage, scopes)
        let client = try asking.client(for: scope)
        let item: NotificationHistoryResponseItem?
        do { item = try await find(kept, client) } catch let error as AppStoreServerError { throw APIFailure(error) }
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

    /// The notification as the App Store's history has it.
    private func find(
        _ kept: KeptNotification, _ client: AppStoreServerClient
    ) async throws -> NotificationHistoryResponseItem? {
        guard kept.signedDate > RecoveryPlan.limit(at: asking.clock.now(), settings) else { return nil }
        var pages = 0
        let request = await self.request(for: kept)
        for try await page in client.notificationHistory(request) {
            for item in page.items {
                if await isSame(item, kept) { return item }
            }
            pages += 1
            if pages == Self.mostPages { break }
        }
        return nil
    }

    /// Asks for the customer's notifications of that minute, or for those of its type where it names no transaction.
    private func request(for kept: KeptNotification) async -> NotificationHistoryRequest {
        let signed = Date(milliseconds: kept.signedDate)
        var request = NotificationHistoryRequest(startDate: signed - Self.slack, endDate: signed + Self.slack)
        if let transaction = await transaction(of: kept) {
            request.transactionId = transaction
        } else {
            request.notificationType = NotificationTypeV2(rawValue: kept.type)
            request.notificationSubtype = kept.subtype.map { NotificationSubtype(rawValue: $0) }
        }
        return request
    }

    /// Nil where there is none, and where it cannot be believed.
    private func transaction(of kept: KeptNotification) async -> String? {
        do throws(VerificationError) {
            guard let text = try await asking.historical.notification(kept.text).payload.data?.signedTransactionInfo
            else { return nil }
            return try await asking.historical.transaction(text).payload.originalTransactionId
        } catch { return nil }
    }

    private func isSame(_ item: NotificationHistoryResponseItem, _ kept: KeptNotification) async -> Bool {
        if item.signedPayload.isExactly(kept.text) { return true }
        do throws(VerificationError) {
            let payload = try await asking.historical.notification(item.signedPayload).payload
            return kept.isNamed(payload.notificationUUID)
        } catch {
            // What cannot be believed is none that was kept.
            return false
        }
    }
}
