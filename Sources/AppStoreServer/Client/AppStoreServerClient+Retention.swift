public import AppStoreModels
public import Foundation

// The Retention Messaging API. The developer chooses the identifiers; Apple accepts each identifier only once.

extension AppStoreServerClient {
    /// Uploads an image. Not retried if the outcome is unknown: if the image had arrived, the retry would be a conflict
    /// (4090000). Apple's page: *Upload Image*.
    ///
    /// Error codes: 4000161, 4030014 and 4090000.
    ///
    /// - Parameters:
    ///   - png: A PNG file without transparency, in the dimensions of its size. An app can have 2000 images.
    ///   - id: A new identifier.
    ///   - size: The size of the image; nil means `FULL_SIZE`.
    public func uploadImage(
        _ png: Data, id: UUID, size: RetentionImageSize? = nil
    ) async throws(AppStoreServerError) {
        _ = try await call(.uploadImage, [id.text], query: parameter("imageSize", size?.rawValue), body: png)
    }

    /// Deletes an image that no message uses. Apple's page: *Delete Image*.
    ///
    /// Error codes: 4030019 and 4040014.
    public func deleteImage(_ id: UUID) async throws(AppStoreServerError) {
        _ = try await call(.deleteImage, [id.text])
    }

    /// Returns all images and whether Apple has approved them. Apple's page: *Get Image List*.
    public func images() async throws(AppStoreServerError) -> GetImageListResponse {
        try await response(.images)
    }

    /// Uploads a message. Not retried if the outcome is unknown: if the message had arrived, the retry would be a
    /// conflict (4090001). Apple's page: *Upload Message*.
    ///
    /// Error codes: 4000162, 4000163, 4000175, 4000216, 4000218, 4000219, 4000224, 4030016 and 4090001.
    ///
    /// - Parameters:
    ///   - message: The message. An app can have 2000 messages.
    ///   - id: A new identifier.
    public func uploadMessage(
        _ message: UploadMessageRequestBody, id: UUID
    ) async throws(AppStoreServerError) {
        try await call(.uploadMessage, [id.text], json: message)
    }

    /// Deletes a message. Apple's page: *Delete Message*.
    ///
    /// Error code: 4040015.
    public func deleteMessage(_ id: UUID) async throws(AppStoreServerError) {
        _ = try await call(.deleteMessage, [id.text])
    }

    /// Returns all messages and whether Apple has approved them. Apple's page: *Get Message List*.
    public func messages() async throws(AppStoreServerError) -> GetMessageListResponse {
        try await response(.messages)
    }

    /// Sets the message that customers see if the developer's server does not respond, for a product and a locale.
    /// Replaces an existing one. Apple's page: *Configure Default Message*.
    ///
    /// Error codes: 4000023, 4000164, 4030017, 4030018 and 4040015.
    ///
    /// - Parameters:
    ///   - messageID: A message with text only or with text and an image. Apple must have approved both.
    ///   - productID: The product.
    ///   - locale: The locale, such as `en-US`.
    public func setDefaultMessage(
        _ messageID: UUID, productID: String, locale: String
    ) async throws(AppStoreServerError) {
        let request = DefaultConfigurationRequest(messageIdentifier: messageID)
        try await call(.setDefaultMessage, [productID, locale], json: request)
    }

    /// Returns the default message for a product and a locale. Apple's page: *Get Default Message*.
    ///
    /// Error codes: 4000023, 4000164 and 4040020.
    public func defaultMessage(
        productID: String, locale: String
    ) async throws(AppStoreServerError) -> DefaultConfigurationResponse {
        try await response(.defaultMessage, [productID, locale])
    }

    /// Deletes the default message for a product and a locale. Not an error if there is none. Apple's page: *Delete
    /// Default Message*.
    ///
    /// Error codes: 4000023 and 4000164.
    public func deleteDefaultMessage(productID: String, locale: String) async throws(AppStoreServerError) {
        _ = try await call(.deleteDefaultMessage, [productID, locale])
    }

    /// Sets the URL from which Apple requests messages. In production, a performance test must have passed first.
    /// Apple's page: *Configure Realtime URL*.
    ///
    /// Error codes: 4000215 and 4030026.
    ///
    /// - Parameter url: The URL, up to 256 characters.
    public func setRealtimeURL(_ url: String) async throws(AppStoreServerError) {
        try await call(.setRealtimeURL, json: RealtimeUrlRequest(realtimeURL: url))
    }

    /// Returns the URL from which Apple requests messages. Apple's page: *Get Realtime URL*.
    ///
    /// Error code: 4040021.
    public func realtimeURL() async throws(AppStoreServerError) -> RealtimeUrlResponse {
        try await response(.realtimeURL)
    }

    /// Deletes the URL, so that Apple no longer requests messages. Apple's page: *Delete Realtime URL*.
    public func deleteRealtimeURL() async throws(AppStoreServerError) {
        _ = try await call(.deleteRealtimeURL)
    }

    /// Starts a test of the response time of the developer's server. Sandbox only, one test at a time. Apple's page:
    /// *Initiate Performance Test*.
    ///
    /// Error codes: 4000006, 4000048, 4000185, 4000187, 4000211 and 4000213.
    public func startPerformanceTest(
        _ request: PerformanceTestRequest
    ) async throws(AppStoreServerError) -> PerformanceTestResponse {
        try await response(.startPerformanceTest, json: request)
    }

    /// Returns the progress or result of a performance test. Sandbox only. Apple's page: *Get Performance Test
    /// Results*.
    ///
    /// Error codes: 4000212 and 4040018.
    public func performanceTest(
        _ requestID: String
    ) async throws(AppStoreServerError) -> PerformanceTestResultResponse {
        try await response(.performanceTest, [requestID])
    }
}
