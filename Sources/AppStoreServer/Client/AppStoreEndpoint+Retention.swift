import AppStoreModels

// The Retention Messaging API 1.5.

extension AppStoreEndpoint {
    /// Uploads an image. A second upload under the same identifier is a conflict.
    public static let uploadImage = Self(
        "upload-image", "Upload Image", "PUT", "/inApps/v1/messaging/image/{imageIdentifier}", .retention1,
        .notIdempotent, queryParameters: ["imageSize"], contentType: "image/png", hasResponseBody: false)
    /// Deletes an image. Deleting it again is an error.
    public static let deleteImage = Self(
        "delete-image", "Delete Image", "DELETE", "/inApps/v1/messaging/image/{imageIdentifier}", .retention1,
        .notIdempotent, hasResponseBody: false)
    /// Lists all images.
    public static let images = Self(
        "images", "Get Image List", "GET", "/inApps/v1/messaging/image/list", .retention1, .idempotent)
    /// Uploads a message. A second upload under the same identifier is a conflict.
    public static let uploadMessage = Self(
        "upload-message", "Upload Message", "PUT", "/inApps/v1/messaging/message/{messageIdentifier}", .retention1,
        .notIdempotent, contentType: json, hasResponseBody: false)
    /// Deletes a message. Deleting it again is an error.
    public static let deleteMessage = Self(
        "delete-message", "Delete Message", "DELETE", "/inApps/v1/messaging/message/{messageIdentifier}", .retention1,
        .notIdempotent, hasResponseBody: false)
    /// Lists all messages.
    public static let messages = Self(
        "messages", "Get Message List", "GET", "/inApps/v1/messaging/message/list", .retention1, .idempotent)
    /// Sets the default message for a product and a locale, and replaces an existing one.
    public static let setDefaultMessage = Self(
        "set-default-message", "Configure Default Message", "PUT",
        "/inApps/v1/messaging/default/{productId}/{locale}", .retention10, .idempotent, contentType: json,
        hasResponseBody: false)
    /// Returns the default message for a product and a locale.
    public static let defaultMessage = Self(
        "default-message", "Get Default Message", "GET", "/inApps/v1/messaging/default/{productId}/{locale}",
        .retention1, .idempotent)
    /// Deletes the default message for a product and a locale, if there is one.
    public static let deleteDefaultMessage = Self(
        "delete-default-message", "Delete Default Message", "DELETE",
        "/inApps/v1/messaging/default/{productId}/{locale}", .retention1, .idempotent, hasResponseBody: false)
    /// Sets the URL from which Apple requests messages, and replaces an existing one.
    public static let setRealtimeURL = Self(
        "set-realtime-url", "Configure Realtime URL", "PUT", "/inApps/v1/messaging/realtime/url", .retention1,
        .idempotent, contentType: json, hasResponseBody: false)
    /// Returns the URL from which Apple requests messages.
    public static let realtimeURL = Self(
        "realtime-url", "Get Realtime URL", "GET", "/inApps/v1/messaging/realtime/url", .retention1, .idempotent)
    /// Deletes the URL, so that Apple no longer requests messages. Deleting it again is an error.
    public static let deleteRealtimeURL = Self(
        "delete-realtime-url", "Delete Realtime URL", "DELETE", "/inApps/v1/messaging/realtime/url", .retention1,
        .notIdempotent, hasResponseBody: false)
    /// Starts a test of the response time of the developer's server. Only one test can run at a time.
    public static let startPerformanceTest = Self(
        "start-performance-test", "Initiate Performance Test", "POST", "/inApps/v1/messaging/performanceTest",
        .retention1, .notIdempotent, contentType: json, environment: .sandbox)
    /// Returns the result of a performance test.
    public static let performanceTest = Self(
        "performance-test", "Get Performance Test Results", "GET",
        "/inApps/v1/messaging/performanceTest/result/{requestId}", .retention1, .idempotent, environment: .sandbox)

    /// The Retention Messaging API.
    public static let retentionMessaging: [AppStoreEndpoint] = [
        uploadImage, deleteImage, images, uploadMessage, deleteMessage, messages, setDefaultMessage, defaultMessage,
        deleteDefaultMessage, setRealtimeURL, realtimeURL, deleteRealtimeURL, startPerformanceTest, performanceTest,
    ]
}
