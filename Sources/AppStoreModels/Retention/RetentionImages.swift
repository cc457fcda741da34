public import Foundation

/// All images of the app. Apple's page: `GetImageListResponse`.
public struct GetImageListResponse: Sendable, Hashable, Codable {
    /// The images.
    public var imageIdentifiers: [GetImageListResponseItem]

    /// Creates the value from its parts.
    public init(imageIdentifiers: [GetImageListResponseItem]) {
        self.imageIdentifiers = imageIdentifiers
    }
}

/// One image. Apple's page: `GetImageListResponseItem`.
public struct GetImageListResponseItem: Sendable, Hashable, Codable {
    /// The identifier of the image.
    public var imageIdentifier: UUID
    /// The approval status.
    public var imageState: RetentionImageState
    /// The size (1.4).
    public var imageSize: RetentionImageSize?

    /// Creates the value from its parts.
    public init(imageIdentifier: UUID, imageState: RetentionImageState, imageSize: RetentionImageSize? = nil) {
        self.imageIdentifier = imageIdentifier
        self.imageState = imageState
        self.imageSize = imageSize
    }
}

/// The approval status of an image. Apple's page: `imageState`. Apple's library for Node says `PENDING_REVIEW`; its
/// documentation and the other three libraries say `PENDING`.
public struct RetentionImageState: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Apple has not decided yet.
    public static let pending = Self(rawValue: "PENDING")
    /// The image may be shown.
    public static let approved = Self(rawValue: "APPROVED")
    /// The image must not be shown.
    public static let rejected = Self(rawValue: "REJECTED")
}

/// The size of an image: PNG without transparency. Apple's page: `imageSize`.
public struct RetentionImageSize: OpenEnumeration {
    /// The text on the wire.
    public let rawValue: String

    /// Creates a value from any text, including unlisted ones.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// 3840 pixels wide and 160 to 2160 high; the default for uploads.
    public static let fullSize = Self(rawValue: "FULL_SIZE")
    /// 1024 by 1024 pixels.
    public static let bulletPoint = Self(rawValue: "BULLET_POINT")
}
