internal import AppStoreModels
internal import Foundation

/// The validated filters of a notification history request.
struct NotificationQuery {
    let startDate: Date
    let endDate: Date
    let type: NotificationTypeV2?
    let subtype: NotificationSubtype?
    let transaction: String?
    let onlyFailures: Bool

    /// The number of days for which Apple keeps notifications.
    static let days = 180

    init(_ body: RequestBody, at now: Date, lastSigned: Date?) throws(APIFailure) {
        startDate = try body.date("startDate", or: .invalidStartDate)
        endDate = try body.date("endDate", or: .invalidEndDate)
        guard startDate >= now - Double(Self.days) * 86_400 else {
            throw APIFailure(.startDateTooFarInPast, "startDate is more than \(Self.days) days ago.")
        }
        guard startDate < endDate, startDate <= max(now, lastSigned ?? now) else {
            throw APIFailure(.startDateAfterEndDate, "startDate is not before endDate, or lies in the future.")
        }
        type = try body.stringIfPresent("notificationType", or: .invalidNotificationType).map { .init(rawValue: $0) }
        subtype = try body.stringIfPresent("notificationSubtype", or: .invalidNotificationType)
            .map { .init(rawValue: $0) }
        let original = try body.stringIfPresent("originalTransactionId", or: .invalidTransactionId)
        transaction = try body.stringIfPresent("transactionId", or: .invalidTransactionId) ?? original
        onlyFailures = try body.boolIfPresent("onlyFailures", or: nil) ?? false
        if transaction != nil, type != nil {
            throw APIFailure(.multipleFiltersSupplied, "Send transactionId or notificationType, not both.")
        }
        guard type.map({ Trigger.isValidFilter($0, subtype) }) ?? (subtype == nil) else {
            throw APIFailure(.invalidNotificationType, "There is no notification of that type and subtype.")
        }
        if let transaction { _ = try APIRequest.check(transaction, "transactionId", or: .invalidTransactionId) }
    }

    /// Whether a notification matches. Does not check the dates.
    func accepts(_ record: NotificationRecord, exactly: Bool) -> Bool {
        if let type {
            guard record.type == type else { return false }
            // A filter without a subtype matches only notifications without a subtype. Apple says so only in a talk, so
            // a setting controls it.
            if subtype != nil || exactly, record.subtype != subtype { return false }
        }
        // A notification without send attempts has not failed.
        return !onlyFailures || (!record.isDelivered && !record.sendAttempts.isEmpty)
    }

    /// The filters as text. A pagination token is bound to them and to the environment.
    var canonical: [String] {
        [
            "notifications", "\(startDate.millisecondsSince1970 ?? 0)", "\(endDate.millisecondsSince1970 ?? 0)",
            type?.rawValue ?? "", subtype?.rawValue ?? "", transaction ?? "", "\(onlyFailures)",
        ]
    }
}
