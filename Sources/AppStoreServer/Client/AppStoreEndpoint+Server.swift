import AppStoreModels

// The App Store Server API 1.22. Whether a request may be repeated is what Apple says, or else the more careful reading.

private let json = "application/json"

extension AppStoreEndpoint {
    /// Everything a customer bought, page by page.
    public static let transactionHistory = Self(
        "transaction-history", "Get Transaction History", "GET", "/inApps/v2/history/{anyTransactionId}", .server50,
        .safe, query: historyQuery, isPaged: true)
    /// The same without consumables that the app has finished.
    public static let transactionHistoryV1 = Self(
        "transaction-history-v1", "Get Transaction History V1", "GET", "/inApps/v1/history/{anyTransactionId}",
        .server50, .safe, query: historyQuery, isPaged: true, isDeprecated: true)
    /// The state of every subscription of a customer.
    public static let subscriptionStatuses = Self(
        "subscription-statuses", "Get All Subscription Statuses", "GET", "/inApps/v1/subscriptions/{anyTransactionId}",
        .server50, .safe, query: ["status"])
    /// One transaction.
    public static let transaction = Self(
        "transaction", "Get Transaction Info", "GET", "/inApps/v1/transactions/{transactionId}", .server50, .safe)
    /// How a customer came by the app.
    public static let appTransaction = Self(
        "app-transaction", "Get App Transaction Info", "GET",
        "/inApps/v1/transactions/appTransactions/{anyTransactionId}", .server50, .safe)
    /// Says that what was bought is delivered. What a second call does is not documented.
    public static let finishTransaction = Self(
        "finish-transaction", "Finish Transaction", "POST", "/inApps/v1/transactions/{transactionId}/finish",
        .server50, .unsafe, hasAnswer: false)
    /// Ties a purchase to an account, in place of whatever it was tied to.
    public static let setAppAccountToken = Self(
        "set-app-account-token", "Set App Account Token", "PUT",
        "/inApps/v1/transactions/{originalTransactionId}/appAccountToken", .server20, .safe, contentType: json,
        hasAnswer: false)
    /// Tells Apple what became of a purchase that the customer wants refunded.
    public static let sendConsumption = Self(
        "send-consumption", "Send Consumption Information", "PUT",
        "/inApps/v2/transactions/consumption/{transactionId}", .server50, .safe, contentType: json, success: 202,
        hasAnswer: false)
    /// The same in the older form, which Advanced Commerce purchases still need.
    public static let sendConsumptionV1 = Self(
        "send-consumption-v1", "Send Consumption Information V1", "PUT",
        "/inApps/v1/transactions/consumption/{transactionId}", .server50, .safe, contentType: json, success: 202,
        hasAnswer: false)
    /// What is on the receipt that the customer got by mail.
    public static let order = Self(
        "order", "Look Up Order ID", "GET", "/inApps/v1/lookup/{orderId}", .server10, .safe, environment: .production)
    /// Every refund of a customer, page by page.
    public static let refundHistory = Self(
        "refund-history", "Get Refund History", "GET", "/inApps/v2/refund/lookup/{anyTransactionId}", .server10, .safe,
        query: ["revision"], isPaged: true)
    /// The fifty latest refunds.
    public static let refundHistoryV1 = Self(
        "refund-history-v1", "Get Refund History V1", "GET", "/inApps/v1/refund/lookup/{originalTransactionId}",
        .server10, .safe, isDeprecated: true)
    /// Gives one subscriber more time.
    public static let extendRenewalDate = Self(
        "extend-renewal-date", "Extend a Subscription Renewal Date", "PUT",
        "/inApps/v1/subscriptions/extend/{originalTransactionId}", .server20, .byIdentifier, contentType: json)
    /// Gives all subscribers more time.
    public static let extendRenewalDates = Self(
        "extend-renewal-dates", "Extend Subscription Renewal Dates for All Active Subscribers", "POST",
        "/inApps/v1/subscriptions/extend/mass", .server1, .byIdentifier, contentType: json)
    /// How far giving all subscribers more time has come.
    public static let renewalExtensionStatus = Self(
        "renewal-extension-status", "Get Status of Subscription Renewal Date Extensions", "GET",
        "/inApps/v1/subscriptions/extend/mass/{productId}/{requestIdentifier}", .unlisted, .safe)
    /// Has a notification sent to the developer's server. A second call sends a second one.
    public static let requestTestNotification = Self(
        "request-test-notification", "Request a Test Notification", "POST", "/inApps/v1/notifications/test", .server1,
        .unsafe)
    /// What became of a test notification.
    public static let testNotification = Self(
        "test-notification", "Get Test Notification Status", "GET",
        "/inApps/v1/notifications/test/{testNotificationToken}", .server1, .safe)
    /// The notifications of the last 180 days, page by page. Only reads, though it is a POST.
    public static let notificationHistory = Self(
        "notification-history", "Get Notification History", "POST", "/inApps/v1/notifications/history", .server50,
        .safe, query: ["paginationToken"], contentType: json, isPaged: true)
    /// The groups that a customer belongs to.
    public static let customerGroups = Self(
        "customer-groups", "Get Customer Groups", "GET", "/groups/v1/currentGroups/{anyTransactionId}", .server50,
        .safe, environment: .sandbox)
    /// The customers that belong to a group, page by page.
    public static let groupMembers = Self(
        "group-members", "Get Group Members", "GET", "/groups/v1/group/{groupId}", .server50, .safe,
        query: ["paginationToken", "limit"], isPaged: true, environment: .sandbox)

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
