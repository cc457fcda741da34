import AppStoreModels
import AppStoreServer
import Foundation
import StoreSimulator

// Refused requests of extensions, notifications and groups.
extension APIRefusalTests {
    static let extensions: [APIRefusalCase] = [
        .init(.extendRenewalDate, .invalidOriginalTransactionId, "a", body: JSONFields.extending.text),
        .init(.extendRenewalDate, .originalTransactionIdNotFound, "1", body: JSONFields.extending.text),
        .init(.extendRenewalDate, .originalTransactionIdNotFound) { shop in
            APIShop.request(.extendRenewalDate, [try renewal(&shop)], body: JSONFields.extending.text)
        },
        one(.invalidExtendByDays, "extendByDays", "91"), one(.invalidExtendReasonCode, "extendReasonCode", "4"),
        one(.invalidExtendByDays, "extendByDays", "0"), one(.invalidExtendReasonCode, "extendReasonCode", "-1"),
        one(.invalidRequestIdentifier, "requestIdentifier", "\"\""),
        one(.invalidRequestIdentifier, "requestIdentifier", "\"\(String(repeating: "a", count: 129))\""),
        .init(.extendRenewalDate, .subscriptionExtensionIneligible, about: "coins", body: JSONFields.extending.text),
        .init(.extendRenewalDate, .subscriptionExtensionIneligible, about: "trial", body: JSONFields.extending.text),
        .init(.extendRenewalDate, .subscriptionMaxExtension) { shop in
            let id = try shop.buy("plus")
            for _ in 0..<2 { try shop.perform(.extendRenewal(customer: "anna", days: 1)) }
            return APIShop.request(.extendRenewalDate, [id], body: JSONFields.extending.text)
        },
        .init(
            .extendRenewalDate, .familySharedSubscriptionExtensionIneligible,
            shared(.extendRenewalDate, JSONFields.extending.text)),
        .init(
            .extendRenewalDate, .assignedSubscriptionExtensionIneligible, in: .sandbox,
            seat(.extendRenewalDate, JSONFields.extending.text)),
        all(.invalidExtendByDays, "extendByDays", "0"), all(.invalidExtendReasonCode, "extendReasonCode", nil),
        all(.invalidExtendByDays, "extendByDays", "91"),
        all(.invalidRequestIdentifier, "requestIdentifier", "\"a\""), all(.invalidProductId, "productId", "\"coins\""),
        all(.invalidEmptyStorefrontCountryCodeList, "storefrontCountryCodes", "[]"),
        all(.invalidStorefrontCountryCode, "storefrontCountryCodes", #"["USA","de"]"#),
        .init(.renewalExtensionStatus, .invalidProductId, "a b", uuid),
        .init(.renewalExtensionStatus, .invalidRequestIdentifier, "plus", "1"),
        .init(.renewalExtensionStatus, .invalidRequestIdentifier, "plus", signedNumbers),
        all(.invalidRequestIdentifier, "requestIdentifier", "\"\(signedNumbers)\""),
        .init(.renewalExtensionStatus, .statusRequestNotFound, "plus", uuid),
    ]

    static let notifications: [APIRefusalCase] = [
        .init(.requestTestNotification, .serverNotificationUrlNotFound) { shop in
            shop.store.settings.notificationURL = nil
            return APIShop.request(.requestTestNotification)
        },
        .init(.testNotification, .invalidTestNotificationToken, "me"),
        .init(.testNotification, .invalidTestNotificationToken, signedNumbers + "_1"),
        .init(.testNotification, .testNotificationNotFound, uuid + "_1"),
        .init(.testNotification, .testNotificationNotFound) { shop in
            // There has been no attempt to send the notification yet.
            let token = try shop.perform(.requestTestNotification).token
            return APIShop.request(.testNotification, [token ?? ""])
        },
        search(.invalidStartDate, ["startDate": "\"yesterday\""]), search(.invalidEndDate, ["endDate": "null"]),
        search(.startDateTooFarInPast, ["startDate": "1"]), search(.startDateAfterEndDate, ["endDate": "5"]),
        // A millisecond more than 180 days ago; an empty period; a period in the future.
        search(.startDateTooFarInPast, ["startDate": instant(-180 * 86_400_000 - 1)]),
        search(.startDateAfterEndDate, ["startDate": instant(0), "endDate": instant(0)]),
        search(.startDateAfterEndDate, ["startDate": instant(1), "endDate": instant(9)]),
        search(.invalidTransactionId, ["transactionId": "\"x\""]),
        search(.transactionIdNotFound, ["transactionId": "\"1\""]),
        search(.multipleFiltersSupplied, ["transactionId": "\"1\"", "notificationType": "\"REFUND\""]),
        search(.invalidNotificationType, ["notificationType": "\"LOST\""]),
        search(.invalidNotificationType, ["notificationSubtype": "\"UPGRADE\""]),
        search(
            .invalidNotificationType, ["notificationType": "\"REFUND\"", "notificationSubtype": "\"UPGRADE\""]),
        search(.invalidPaginationToken, [:], query: "paginationToken=abc"),
        .init(.notificationHistory, .paginationTokenExpired) { shop in
            for _ in 0..<21 { try shop.buy("coins") }
            let body = JSONFields.notifications(from: shop.now - 1, to: shop.now + 9).text
            let page = try shop.get(NotificationHistoryResponse.self, .notificationHistory, body: body)
            shop.advance(days: 1.1)
            return APIShop.request(
                .notificationHistory, query: "paginationToken=\(page.paginationToken ?? "")", body: body)
        },
    ]

    static let groups: [APIRefusalCase] = [
        .init(.customerGroups, .invalidTransactionId, in: .sandbox, "a"),
        .init(.customerGroups, .transactionIdNotFound, in: .sandbox, "1"), .init(.customerGroups, nil, "1"),
        .init(.groupMembers, .invalidGroupId, in: .sandbox, "a"),
        .init(.groupMembers, .groupNotFound, in: .sandbox, "1"),
        .init(.groupMembers, .invalidLimit, in: .sandbox, Store.placeholderGroup, query: "limit=101"),
        .init(.groupMembers, .invalidLimit, in: .sandbox, Store.placeholderGroup, query: "limit=0"),
        .init(.groupMembers, .invalidPaginationToken, in: .sandbox, Store.placeholderGroup, query: "paginationToken=x"),
        .init(.groupMembers, nil, "1"),
    ]

    private static let uuid = "7b1f2c0e-0a4b-4f0e-9b7a-0d6a5c1e2f30"

    /// An instant this many milliseconds after the shop's clock.
    private static func instant(_ offset: Int64) -> String { "\(APIShop.milliseconds(APIShop.start) + offset)" }

    private static func one(_ code: APIErrorCode, _ name: String, _ value: String?) -> APIRefusalCase {
        .init(.extendRenewalDate, code, about: "plus", body: JSONFields.extending.with(name, value))
    }

    private static func all(_ code: APIErrorCode, _ name: String, _ value: String?) -> APIRefusalCase {
        .init(.extendRenewalDates, code, body: JSONFields.extendingAll.with(name, value))
    }

    private static func search(
        _ code: APIErrorCode, _ changes: [String: String], query: String = ""
    ) -> APIRefusalCase {
        .init(.notificationHistory, code) { shop in
            var body = JSONFields.notifications(from: shop.now - 86_400, to: shop.now)
            body.fields.merge(changes) { _, new in new }
            return APIShop.request(.notificationHistory, query: query, body: body.text)
        }
    }
}
