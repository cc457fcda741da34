public import Foundation

/// A message for Apple's approval. Apple's page: `UploadMessageRequestBody`.
public struct UploadMessageRequestBody: Sendable, Hashable, Codable {
    /// The headline, up to 66 characters.
    public var header: String
    /// The text, up to 144 characters.
    public var body: String
    /// An image. Not for messages with an offer or another product.
    public var image: UploadMessageImage?
    /// The position of the headline. Absent means above the text.
    public var headerPosition: RetentionHeaderPosition?
    /// Up to five bullet points.
    public var bulletPoints: [RetentionBulletPoint]?

    /// Creates the value from its parts.
    public init(
        header: String, body: String, image: UploadMessageImage? = nil, headerPosition: RetentionHeaderPosition? = nil,
        bulletPoints: [RetentionBulletPoint]? = nil
    ) {
        self.header = header
        self.body = body
        self.image = image
        self.headerPosition = headerPosition
        self.bulletPoints = bulletPoints
    }
}

/// The image of a message. Apple's page: `UploadMessageImage`.
public struct UploadMessageImage: Sendable, Hashable, Codable {
    /// The identifier of the image.
    public var imageIdentifier: UUID
    /// A description of the image, up to 150 characters.
    public var altText: String

    /// Creates the value from its parts.
    public init(imageIdentifier: UUID, altText: String) {
        self.imageIdentifier = imageIdentifier
        self.altText = altText
    }
}

/// A bullet point of a message. Apple's page: `BulletPoint`.
public struct RetentionBulletPoint: Sendable, Hashable, Codable {
    /// The text, up to 66 characters.
    public var text: String
    /// The identifier of an image in the size for bullet points.
    public var imageIdentifier: UUID
    /// A description of the image, up to 150 characters.
    public var altText: String

    /// Creates the value from its parts.
    public init(text: String, imageIdentifier: UUID, altText: String) {
        self.text = text
        self.imageIdentifier = imageIdentifier
        self.altText = altText
    }
}

/// The position of the headline in a message. Apple's page: `headerPosition`.
public struct RetentionHeaderPosition: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Above the text.
    public static let aboveBody = Self(rawValue: "ABOVE_BODY")
    /// Above the image, which is then required.
    public static let aboveImage = Self(rawValue: "ABOVE_IMAGE")
}

/// All messages of the app. Apple's page: `GetMessageListResponse`.
public struct GetMessageListResponse: Sendable, Hashable, Codable {
    /// The messages.
    public var messageIdentifiers: [GetMessageListResponseItem]

    /// Creates the value from its parts.
    public init(messageIdentifiers: [GetMessageListResponseItem]) {
        self.messageIdentifiers = messageIdentifiers
    }
}

/// One message. Apple's page: `GetMessageListResponseItem`.
public struct GetMessageListResponseItem: Sendable, Hashable, Codable {
    /// The identifier of the message.
    public var messageIdentifier: UUID
    /// The approval status.
    public var messageState: RetentionMessageState

    /// Creates the value from its parts.
    public init(messageIdentifier: UUID, messageState: RetentionMessageState) {
        self.messageIdentifier = messageIdentifier
        self.messageState = messageState
    }
}

/// The approval status of a message. Apple's page: `messageState`. Apple's library for Node says `PENDING_REVIEW`; its
/// documentation and the other three libraries say `PENDING`.
public struct RetentionMessageState: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Apple has not decided yet.
    public static let pending = Self(rawValue: "PENDING")
    /// The message may be shown.
    public static let approved = Self(rawValue: "APPROVED")
    /// The message must not be shown.
    public static let rejected = Self(rawValue: "REJECTED")
}

/// Makes a message the default for a product and a language. Apple's page: `DefaultConfigurationRequest`.
public struct DefaultConfigurationRequest: Sendable, Hashable, Codable {
    /// The identifier of the message. The message and its image must be approved.
    public var messageIdentifier: UUID

    /// Creates the value from its parts.
    public init(messageIdentifier: UUID) {
        self.messageIdentifier = messageIdentifier
    }
}

/// The default message for a product and a language. Apple's page: `DefaultConfigurationResponse`.
public struct DefaultConfigurationResponse: Sendable, Hashable, Codable {
    /// The identifier of the message.
    public var messageIdentifier: UUID

    /// Creates the value from its parts.
    public init(messageIdentifier: UUID) {
        self.messageIdentifier = messageIdentifier
    }
}
