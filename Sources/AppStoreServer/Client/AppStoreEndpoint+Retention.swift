import AppStoreModels

// The Retention Messaging API 1.5.

private let json = "application/json"

extension AppStoreEndpoint {
    /// Uploads an image. A second upload under the same identifier is a conflict.
    public static let uploadImage = Self(
        "upload-image", "Upload Image", "PUT", "/inApps/v1/messaging/image/{imageIdentifier}", .retention1, .unsafe,
        query: ["imageSize"], contentType: "image/png", hasAnswer: false)
    /// Deletes an image. The second time there is none.
    public static let deleteImage = Self(
        "delete-image", "Delete Image", "DELETE", "/inApps/v1/messaging/image/{imageIdentifier}", .retention1, .unsafe,
        hasAnswer: false)
    /// All images.
    public static let images = Self(
        "images", "Get Image List", "GET", "/inApps/v1/messaging/image/list", .retention1, .safe)
    /// Uploads a message. A second upload under the same identifier is a conflict.
    public static let uploadMessage = Self(
        "upload-message", "Upload Message", "PUT", "/inApps/v1/messaging/message/{messageIdentifier}", .retention1,
        .unsafe, contentType: json, hasAnswer: false)
    /// Deletes a message. The second time there is none.
    public static let deleteMessage = Self(
        "delete-message", "Delete Message", "DELETE", "/inApps/v1/messaging/message/{messageIdentifier}", .retention1,
        .unsafe, hasAnswer: false)
    /// All messages.
    public static let messages = Self(
        "messages", "Get Message List", "GET", "/inApps/v1/messaging/message/list", .retention1, .safe)
    /// Sets the message for a product and a locale, in place of whatever it was.
    public static let setDefaultMessage = Self(
        "set-default-message", "Configure Default Message", "PUT",
        "/inApps/v1/messaging/default/{productId}/{locale}", .retention10, .safe, contentType: json, hasAnswer: false)
    /// The message for a product and a locale.
    public static let defaultMessage = Self(
        "default-message", "Get Default Message", "GET", "/inApps/v1/messaging/default/{productId}/{locale}",
        .retention1, .safe)
    /// Takes the message for a product and a locale away, if there is one.
    public static let deleteDefaultMessage = Self(
        "delete-default-message", "Delete Default Message", "DELETE",
        "/inApps/v1/messaging/default/{productId}/{locale}", .retention1, .safe, hasAnswer: false)
    /// Sets where Apple asks for messages, in place of whatever it was.
    public static let setRealtimeURL = Self(
        "set-realtime-url", "Configure Realtime URL", "PUT", "/inApps/v1/messaging/realtime/url", .retention1, .safe,
        contentType: json, hasAnswer: false)
    /// Where Apple asks for messages.
    public static let realtimeURL = Self(
        "realtime-url", "Get Realtime URL", "GET", "/inApps/v1/messaging/realtime/url", .retention1, .safe)
    /// Has Apple no longer ask for messages. The second time there is nothing to delete.
    public static let deleteRealtimeURL = Self(
        "delete-realtime-url", "Delete Realtime URL", "DELETE", "/inApps/v1/messaging/realtime/url", .retention1,
        .unsafe, hasAnswer: false)
    /// Has Apple try how fast the developer's server is. Only one at a time.
    public static let startPerformanceTest = Self(
        "start-performance-test", "Initiate Performance Test", "POST", "/inApps/v1/messaging/performanceTest",
        .retention1, .unsafe, contentType: json, environment: .sandbox)
    /// How a performance test went.
    public static let performanceTest = Self(
        "performance-test", "Get Performance Test Results", "GET",
        "/inApps/v1/messaging/performanceTest/result/{requestId}", .retention1, .safe, environment: .sandbox)

    /// The Retention Messaging API.
    public static let retentionMessaging: [AppStoreEndpoint] = [
        uploadImage, deleteImage, images, uploadMessage, deleteMessage, messages, setDefaultMessage, defaultMessage,
        deleteDefaultMessage, setRealtimeURL, realtimeURL, deleteRealtimeURL, startPerformanceTest, performanceTest,
    ]
}
