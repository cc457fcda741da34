package import AppStoreModels
package import Foundation

/// An app's configuration in the Retention Messaging API in one environment: images, messages, default messages by
/// product and language, the realtime URL, and performance tests.
///
/// Each endpoint, R1 to R14, has one method, which returns the body of the answer or throws the documented failure. A
/// path identifier that is not a UUID is status 400 without a code: none is documented.
package struct RetentionMessaging: Sendable, Hashable, Codable {
    package let environment: AppStoreEnvironment
    package internal(set) var images: [Image] = []
    package internal(set) var messages: [Message] = []
    package internal(set) var defaults: [Default] = []
    /// The URL of the developer's server for real-time requests.
    package internal(set) var realtimeURL: String?
    package internal(set) var performanceTests: [PerformanceTestRun] = []
    /// The configuration of the next performance test.
    package var performanceTestConfig = PerformanceTestConfig.standard
    /// Whether a test that has been removed passed.
    var hasPassedForgottenTest = false

    package init(environment: AppStoreEnvironment) { self.environment = environment }

    /// The maximum number of images and of messages of an app.
    package static let maximumCount = 2000

    /// An uploaded image. Its pixels are not stored, as nothing displays them.
    package struct Image: Sendable, Hashable, Codable {
        package let identifier: UUID
        package let size: RetentionImageSize
        package var state: RetentionImageState
        package let width: UInt32
        package let height: UInt32
    }

    /// An uploaded message.
    package struct Message: Sendable, Hashable, Codable {
        package let identifier: UUID
        package let content: UploadMessageRequestBody
        package var state: RetentionMessageState

        /// The identifiers of the images in the message and its bullet points.
        package var images: [UUID] {
            (content.image.map { [$0.imageIdentifier] } ?? []) + (content.bulletPoints ?? []).map(\.imageIdentifier)
        }
    }

    /// The default message for a product and a language.
    package struct Default: Sendable, Hashable, Codable {
        package let productID: String
        package let locale: RetentionLocale
        package let messageIdentifier: UUID

        private enum CodingKeys: String, CodingKey {
            case productID = "productId"
            case locale, messageIdentifier
        }
    }

    package func image(_ identifier: UUID) -> Image? { images.first { $0.identifier == identifier } }

    package func message(_ identifier: UUID) -> Message? { messages.first { $0.identifier == identifier } }

    /// Whether the message and its images are approved.
    package func isApproved(_ message: Message) -> Bool { problem(message) == nil }

    /// Returns why the message must not be shown; nil if it may.
    func problem(_ message: Message) -> APIFailure? {
        if message.state != .approved {
            return APIFailure(.messageNotApproved, "The message is \(message.state.rawValue), not APPROVED.")
        }
        if let image = message.images.first(where: { image($0)?.state != .approved }) {
            return APIFailure(.imageNotApproved, "The image \(image.text) is not APPROVED.")
        }
        return nil
    }

    static func identifier(_ text: String, _ name: String) throws(APIFailure) -> UUID {
        guard let identifier = UUID(text: text) else { throw APIFailure(status: 400, "\(name) is not a UUID") }
        return identifier
    }

    // The sandbox approves all images and messages immediately.
    var isSandbox: Bool { environment != .production }
}

// Decisions that Apple makes.
extension RetentionMessaging {
    /// Approves or rejects an image. Throws 4040014 if it does not exist.
    package mutating func decide(image identifier: UUID, _ state: RetentionImageState) throws(APIFailure) {
        guard let index = images.firstIndex(where: { $0.identifier == identifier }) else {
            throw Self.imageNotFound(identifier)
        }
        images[index].state = state
    }

    /// Approves or rejects a message. Throws 4040015 if it does not exist.
    package mutating func decide(message identifier: UUID, _ state: RetentionMessageState) throws(APIFailure) {
        guard let index = messages.firstIndex(where: { $0.identifier == identifier }) else {
            throw Self.messageNotFound(identifier)
        }
        messages[index].state = state
    }

    static func imageNotFound(_ identifier: UUID) -> APIFailure {
        APIFailure(.imageNotFound, "There is no image \(identifier.text).")
    }

    static func messageNotFound(_ identifier: UUID) -> APIFailure {
        APIFailure(.messageNotFound, "There is no message \(identifier.text).")
    }
}
