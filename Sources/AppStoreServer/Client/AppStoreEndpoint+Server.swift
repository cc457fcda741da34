import AppStoreModels

// The App Store Server API 1.22. Where Apple does not say whether a request may be repeated, it counts as unsafe.

extension AppStoreEndpoint {
    /// Returns all purchases of a customer, in pages.
    public static let transactionHistory = Self(
        "transaction-history", "Get Transaction History", "GET", "/inApps/v2/history/{anyTransactionId}", .server50,
        .idempotent, queryParameters: historyQuery, isPaged: true)
    /// Returns all purchases except consumables that the app has finished, in pages.
    public static let transactionHistoryV1 = Self(
        "transaction-history-v1", "Get Transaction History V1", "GET", "/inApps/v1/history/{anyTransactionId}",
        .server50, .idempotent, queryParameters: historyQuery, isPaged: true, isDeprecated: true)
    /// Returns the status of every subscription of a customer.
    public static let subscriptionStatuses = Self(
        "subscription-statuses", "Get All Subscription Statuses", "GET", "/inApps/v1/subscriptions/{anyTransactionId}",
        .server50, .idempotent, queryParameters: ["status"])
    /// Returns one transaction.
    public static let transaction = Self(
        "transaction", "Get Transaction Info", "GET", "/inApps/v1/transactions/{transactionId}", .server50, .idempotent)
    /// Returns the app transaction of a customer.
    public static let appTransaction = Self(
        "app-transaction", "Get App Transaction Info", "GET",
        "/inApps/v1/transactions/appTransactions/{anyTransactionId}", .server50, .idempotent)
    /// Marks a purchase as delivered. The effect of a second call is not documented.
    public static let finishTransaction = Self(
        "finish-transaction", "Finish Transaction", "POST", "/inApps/v1/transactions/{transactionId}/finish",
        .server50, .notIdempotent, hasResponseBody: false)
    /// Associates a purchase with an account, and replaces an existing association.
    public static let setAppAccountToken = Self(
        "set-app-account-token", "Set App Account Token", "PUT",
        "/inApps/v1/transactions/{originalTransactionId}/appAccountToken", .server20, .idempotent, contentType: json,
        hasResponseBody: false)
    /// Sends Apple information about a purchase for which the customer requested a refund.
    public static let sendConsumption = Self(
        "send-consumption", "Send Consumption Information", "PUT",
        "/inApps/v2/transactions/consumption/{transactionId}", .server50, .idempotent, contentType: json,
        successStatus: 202, hasResponseBody: false)
    /// Sends the same information in the older form, which Advanced Commerce purchases still need.
    public static let sendConsumptionV1 = Self(
        "send-consumption-v1", "Send Consumption Information V1", "PUT",
        "/inApps/v1/transactions/consumption/{transactionId}", .server50, .idempotent, contentType: json,
        successStatus: 202, hasResponseBody: false)
    /// Returns the purchases of the order ID in the customer's emailed receipt.
    public static let order = Self(
        "order", "Look Up Order ID", "GET", "/inApps/v1/lookup/{orderId}", .server10, .idempotent,
        environment: .production)
    /// Returns every refund of a customer, in pages.
    public static let refundHistory = Self(
        "refund-history", "Get Refund History", "GET", "/inApps/v2/refund/lookup/{anyTransactionId}", .server10,
        .idempotent, queryParameters: ["revision"], isPaged: true)
    /// Returns the fifty latest refunds.
    public static let refundHistoryV1 = Self(
        "refund-history-v1", "Get Refund History V1", "GET", "/inApps/v1/refund/lookup/{originalTransactionId}",
        .server10, .idempotent, isDeprecated: true)
    /// Extends the subscription of one subscriber.
    public static let extendRenewalDate = Self(
        "extend-renewal-date", "Extend a Subscription Renewal Date", "PUT",
        "/inApps/v1/subscriptions/extend/{originalTransactionId}", .server20, .byIdentifier, contentType: json)
    /// Extends the subscriptions of all active subscribers.
    public static let extendRenewalDates = Self(
        "extend-renewal-dates", "Extend Subscription Renewal Dates for All Active Subscribers", "POST",
        "/inApps/v1/subscriptions/extend/mass", .server1, .byIdentifier, contentType: json)
    /// Returns the progress of extending the subscriptions of all active subscribers.
    public static let renewalExtensionStatus = Self(
        "renewal-extension-status", "Get Status of Subscription Renewal Date Extensions", "GET",
        "/inApps/v1/subscriptions/extend/mass/{productId}/{requestIdentifier}", .unlisted, .idempotent)
    /// Requests a test notification to the developer's server. A second call sends a second one.
    public static let requestTestNotification = Self(
        "request-test-notification", "Request a Test Notification", "POST", "/inApps/v1/notifications/test", .server1,
        .notIdempotent)
    /// Returns the delivery status of a test notification.
    public static let testNotification = Self(
        "test-notification", "Get Test Notification Status", "GET",
        "/inApps/v1/notifications/test/{testNotificationToken}", .server1, .idempotent)
    /// Returns the notifications of the last 180 days, in pages. A read, although the method is POST.
    public static let notificationHistory = Self(
        "notification-history", "Get Notification History", "POST", "/inApps/v1/notifications/history", .server50,
        .idempotent, queryParameters: ["paginationToken"], contentType: json, isPaged: true)
    /// Returns the groups that a customer belongs to.
    public static let customerGroups = Self(
        "customer-groups", "Get Customer Groups", "GET", "/groups/v1/currentGroups/{anyTransactionId}", .server50,
        .idempotent, environment: .sandbox)
    /// Returns the customers that belong to a group, in pages.
    public static let groupMembers = Self(
        "group-members", "Get Group Members", "GET", "/groups/v1/group/{groupId}", .server50, .idempotent,
        queryParameters: ["paginationToken", "limit"], isPaged: true, environment: .sandbox)

    private static let historyQuery = [
        "revision", "startDate", "endDate", "productId", "productType", "sort", "subscriptionGroupIdentifier",
        "inAppOwnershipType", "revoked",
    ]

    /// The App Store Server API.
    public static let server: [AppStoreEndpoint] = [
        transactionHistory, transactionHistoryV1, subscriptionStatuses, transaction, appTransaction, finishTransaction,
        setAppAccountToken, sendConsumption, sendConsumptionV1, order, refundHistory, refundHistoryV1,
        extendRenewalDate, extendRenewalDates, renewalExtensionStatus, requestTestNotification, testNotification,
        notificationHistory, customerGroups, groupMembers,
    ]

    /// Every endpoint of the three APIs.
    public static let all: [AppStoreEndpoint] = server + retentionMessaging + advancedCommerce
}
