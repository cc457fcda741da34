internal import AppStoreModels
internal import AppStoreReceipts
internal import Crypto
internal import Foundation

/// The content of a version 1 notification when it is sent, except for the receipt, which must be signed.
struct Version1Contents: Sendable {
    /// The members except `password` and `unified_receipt`.
    var members: [OrderedJSON.Member]
    var latest: LatestReceipt

    /// Returns the request body.
    func json(password: String?, receipt text: String) -> String {
        var all = ReceiptMembers()
        all.add("password", password)
        let isSandbox = latest.receipt.type == .productionSandbox || latest.receipt.type == .productionVPPSandbox
        let unified: [OrderedJSON.Member] = [
            .init("status", .number(0)),
            .init("environment", .string(isSandbox ? "Sandbox" : "Production")),
        ]
        all.add("unified_receipt", .object(unified + latest.members(receipt: text)))
        return OrderedJSON.object(members + all.all).text
    }
}

extension Store {
    /// Returns the content of a version 1 notification sent at `now`; nil for other notifications, and if its customer
    /// does not exist any more.
    ///
    /// The receipt and the transactions are current, also when the notification is resent. Only the type is from the
    /// time of the event.
    func version1Contents(of record: NotificationRecord, at now: Date) -> Version1Contents? {
        guard case .version1(let content) = record.content,
            let customer = record.customer.flatMap({ customers[$0] })
        else { return nil }
        var members = ReceiptMembers()
        members.add("notification_type", content.type.rawValue)
        members.add("environment", isSandbox ? "Sandbox" : "PROD")
        if let subscription = subscriptions[content.originalTransactionID] {
            let info = renewalInfo(of: subscription, at: now)
            members.add("auto_renew_adam_id", Self.adamID(of: info.autoRenewProductId))
            members.add("auto_renew_product_id", info.autoRenewProductId)
            // Booleans as words here, as numbers in `pending_renewal_info`.
            members.add("auto_renew_status", info.autoRenewStatus == .on)
            if content.type == .didChangeRenewalStatus { members.add("auto_renew_status_change_date", record.date) }
            if let intent = info.expirationIntent {
                members.add("expiration_intent", .number(Int64(intent.rawValue)))
            }
        }
        members.add("original_transaction_id", content.originalTransactionID)
        members.add("bid", app.bundleID)
        members.add("bvrs", version)
        members.add("deprecation", Self.deprecation)
        return Version1Contents(members: members.all, latest: latestReceipt(of: customer, excludingOld: false, at: now))
    }

    /// When version 1 was deprecated.
    private static let deprecation = "2023-06-05"

    /// Returns a constant number for a product: the catalogue has none.
    private static func adamID(of product: String) -> String {
        let digest = SHA256.hash(data: Array(product.utf8)).prefix(4)
        return String(digest.reduce(1_000_000_000) { $0 &+ ($1 == 0 ? 1 : Int64($1) &* 3_141_593) })
    }
}
