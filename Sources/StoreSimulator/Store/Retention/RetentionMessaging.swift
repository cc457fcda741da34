package import AppStoreModels
package import Foundation

/// What one app has set up in the Retention Messaging API, in one environment: images, messages, which message is the
/// default for which product and language, where the App Store asks for messages, and performance tests.
///
/// One method for each endpoint, R1 to R14, which gives the answer's body or throws the documented failure. An identifier
/// in a path that is no UUID is status 400: no code is documented for it.
package struct RetentionMessaging: Sendable, Hashable, Codable {
    package let environment: AppStoreEnvironment
    package internal(set) var images: [Image] = []
    package internal(set) var messages: [Message] = []
    package internal(set) var defaults: [Default] = []
    /// Where the App Store asks for messages.
    package internal(set) var realtimeURL: String?
    package internal(set) var performanceTests: [PerformanceTestRun] = []
    /// What the next performance test consists of.
    package var performanceTestConfig: PerformanceTestConfig
    /// Whether a test that is no longer kept has passed.
    var hasPassedForgottenTest = false

    package init(environment: AppStoreEnvironment, performanceTestConfig: PerformanceTestConfig = .standard) {
        self.environment = environment
        self.performanceTestConfig = performanceTestConfig
    }

    /// The most images and the most messages of an app.
    package static let maximumCount = 2000

    /// An image that was uploaded. Its pixels are not kept: nothing shows them.
    package struct Image: Sendable, Hashable, Codable {
        package let identifier: UUID
        package let size: RetentionImageSize
        package var state: RetentionImageState
        package let width: UInt32
        package let height: UInt32
    }

    /// A message that was uploaded.
    package struct Message: Sendable, Hashable, Codable {
        package let identifier: UUID
        package let content: UploadMessageRequestBody
        package var state: RetentionMessageState

        /// The images it shows, those of its points included.
        package var images: [UUID] {
            (content.image.map { [$0.imageIdentifier] } ?? []) + (content.bulletPoints ?? []).map(\.imageIdentifier)
        }
    }

    /// The message for a product and a language.
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

    /// Why the message must not be shown.
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

    // The sandbox approves everything at once.
    var isSandbox: Bool { environment != .production }
}

// What the developer cannot do, as Apple does it.
extension RetentionMessaging {
    /// Approves or rejects an image. Only to be called with one that exists: 4040014.
    package mutating func decide(image identifier: UUID, _ state: RetentionImageState) throws(APIFailure) {
        guard let index = images.firstIndex(where: { $0.identifier == identifier }) else {
            throw Self.imageNotFound(identifier)
        }
        images[index].state = state
    }

    /// Approves or rejects a message. Only to be called with one that exists: 4040015.
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
