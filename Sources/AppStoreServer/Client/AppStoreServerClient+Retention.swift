public import AppStoreModels
public import Foundation

// The Retention Messaging API. Identifiers are chosen by the developer; Apple never takes the same one twice.

extension AppStoreServerClient {
    /// Uploads an image. Not repeated after an unclear failure: if it arrived, the second one would be a conflict (4090000).
    /// Apple's page: *Upload Image*.
    ///
    /// - Parameters:
    ///   - png: PNG without transparency.
    ///   - id: A new identifier.
    ///   - size: What size it has; nil means `FULL_SIZE`.
    public func uploadImage(
        _ png: Data, id: UUID, size: RetentionImageSize? = nil
    ) async throws(AppStoreServerError) {
        _ = try await call(.uploadImage, [text(id)], query: parameter("imageSize", size?.rawValue), body: png)
    }

    /// Deletes an image that no message uses. Apple's page: *Delete Image*.
    public func deleteImage(_ id: UUID) async throws(AppStoreServerError) {
        _ = try await call(.deleteImage, [text(id)])
    }

    /// All images and whether Apple has approved them. Apple's page: *Get Image List*.
    public func images() async throws(AppStoreServerError) -> GetImageListResponse {
        try await answer(.images)
    }

    /// Uploads a message. Not repeated after an unclear failure: if it arrived, the second one would be a conflict
    /// (4090001). Apple's page: *Upload Message*.
    public func uploadMessage(
        _ message: UploadMessageRequestBody, id: UUID
    ) async throws(AppStoreServerError) {
        _ = try await call(.uploadMessage, [text(id)], body: json(message, for: .uploadMessage))
    }

    /// Deletes a message. Apple's page: *Delete Message*.
    public func deleteMessage(_ id: UUID) async throws(AppStoreServerError) {
        _ = try await call(.deleteMessage, [text(id)])
    }

    /// All messages and whether Apple has approved them. Apple's page: *Get Message List*.
    public func messages() async throws(AppStoreServerError) -> GetMessageListResponse {
        try await answer(.messages)
    }

    /// Sets the message that customers see when the developer's server gives no answer, for a product and a locale.
    /// Apple's page: *Configure Default Message*.
    public func setDefaultMessage(
        _ messageID: UUID, productID: String, locale: String
    ) async throws(AppStoreServerError) {
        let request = DefaultConfigurationRequest(messageIdentifier: messageID)
        _ = try await call(.setDefaultMessage, [productID, locale], body: json(request, for: .setDefaultMessage))
    }

    /// The default message for a product and a locale. Apple's page: *Get Default Message*.
    public func defaultMessage(
        productID: String, locale: String
    ) async throws(AppStoreServerError) -> DefaultConfigurationResponse {
        try await answer(.defaultMessage, [productID, locale])
    }

    /// Takes the default message for a product and a locale away; no error if there is none.
    /// Apple's page: *Delete Default Message*.
    public func deleteDefaultMessage(productID: String, locale: String) async throws(AppStoreServerError) {
        _ = try await call(.deleteDefaultMessage, [productID, locale])
    }

    /// Sets where Apple asks for messages; in production only after a performance test has passed.
    /// Apple's page: *Configure Realtime URL*.
    public func setRealtimeURL(_ url: String) async throws(AppStoreServerError) {
        _ = try await call(
            .setRealtimeURL, body: json(RealtimeUrlRequest(realtimeURL: url), for: .setRealtimeURL))
    }

    /// Where Apple asks for messages. Apple's page: *Get Realtime URL*.
    public func realtimeURL() async throws(AppStoreServerError) -> RealtimeUrlResponse {
        try await answer(.realtimeURL)
    }

    /// Has Apple no longer ask for messages. Apple's page: *Delete Realtime URL*.
    public func deleteRealtimeURL() async throws(AppStoreServerError) {
        _ = try await call(.deleteRealtimeURL)
    }

    /// Has Apple try how fast the developer's server is. Sandbox only, one at a time.
    /// Apple's page: *Initiate Performance Test*.
    public func startPerformanceTest(
        _ request: PerformanceTestRequest
    ) async throws(AppStoreServerError) -> PerformanceTestResponse {
        try await answer(.startPerformanceTest, body: json(request, for: .startPerformanceTest))
    }

    /// How a performance test went, or goes. Sandbox only. Apple's page: *Get Performance Test Results*.
    public func performanceTest(
        _ requestID: String
    ) async throws(AppStoreServerError) -> PerformanceTestResultResponse {
        try await answer(.performanceTest, [requestID])
    }

    private func text(_ id: UUID) -> String { id.uuidString.lowercased() }
}
