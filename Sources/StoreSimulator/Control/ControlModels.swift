internal import AppStoreModels
package import Foundation

// Request and response bodies that only the control API uses. The others are types of the Swift API.

/// A page of a list.
struct ControlList<Item: Codable & Sendable>: Codable, Sendable {
    var object = "list"
    var items: [Item]
    /// The value of `page` for the next items; nil on the last page.
    var nextPage: String?

    enum CodingKeys: String, CodingKey {
        case object, items
        case nextPage = "next_page"
    }

    /// Returns the same page of other items.
    func map<Other>(_ body: (Item) throws -> Other) rethrows -> ControlList<Other> {
        ControlList<Other>(items: try items.map(body), nextPage: nextPage)
    }
}

package struct ClockReading: Codable, Sendable {
    package var now: Date
    package var mode: String
    /// The latest `signedDate` so far. While the clock is frozen, each change increases it by a millisecond, so it can
    /// be later than `now`.
    package var lastSigned: Date?
    /// The time of the next scheduled event or delivery.
    package var next: Date?
    /// A description of that event, for people.
    package var nextEvent: String?
}

/// How far to advance the clock: `by` an ISO 8601 duration or a number with a unit, or `to` an instant.
struct ClockAdvance: Codable, Sendable {
    var by: String?
    var to: Date?
}

/// A notification in a list.
package struct NotificationSummaryLine: Codable, Sendable {
    var number: Int
    var notificationUUID: String
    /// 1 or 2.
    var version: Int
    var notificationType: String
    var subtype: String?
    var signedDate: Date
    var customer: String?
    var transactionId: String?
    var originalTransactionId: String?
    var productId: String?
    var isDelivered: Bool
    var isPending: Bool
    package var attempts: [Attempt]

    package struct Attempt: Codable, Sendable {
        var attemptDate: Date
        package var sendAttemptResult: String
        /// The HTTP status; nil if there was no response.
        package var status: Int?
        /// The first 512 bytes of the response body; nil if there was none.
        var answer: String?
    }

    init(_ record: NotificationRecord, number: Int) {
        self.number = number
        notificationUUID = record.uuid
        version = record.version.rawValue
        notificationType = record.type.rawValue
        subtype = record.subtype?.rawValue
        signedDate = record.signedDate
        customer = record.customer
        if case .purchase(let purchase) = record.content {
            transactionId = purchase.transaction.transactionId
            originalTransactionId = purchase.transaction.originalTransactionId
            productId = purchase.transaction.productId
        }
        if case .version1(let content) = record.content {
            transactionId = content.transactionID
            originalTransactionId = content.originalTransactionID
            productId = content.productID
        }
        isDelivered = record.isDelivered
        isPending = record.isPending
        attempts = record.attempts.map {
            Attempt(attemptDate: $0.date, sendAttemptResult: $0.result.rawValue, status: $0.status, answer: $0.answer)
        }
    }
}

/// The signed data that an app on a customer's device holds.
struct DevicePurchases: Codable, Sendable {
    var signedTransactions: [String]
    var signedAppTransactionInfo: String
}

/// The receipt of a device, and the identifier for vendor that it is bound to.
package struct DeviceReceipt: Codable, Sendable {
    package var receiptData: String
    package var identifierForVendor: UUID

    enum CodingKeys: String, CodingKey {
        case receiptData = "receipt-data"
        case identifierForVendor
    }
}

struct NotificationTarget: Codable, Sendable { var url: String? }

/// The YAML of a scenario.
struct ScenarioText: Codable, Sendable { var yaml: String }

/// The behaviour of the OCSP responder: `good`, `revoked`, `unknown`, `expired`, `slow`, `wrong` or `unreachable`.
package struct RevocationSetting: Codable, Sendable {
    var status: String
    /// `leaf`, `intermediate` or `both`; nil means `both`.
    var certificate: String?
    /// The delay of `slow`.
    var seconds: Double?
}

/// Whether a reset also restores the initial settings, catalogues and notification URLs.
struct ResetRequest: Codable, Sendable { var everything: Bool? }

package struct SnapshotName: Codable, Sendable { package var name: String }
