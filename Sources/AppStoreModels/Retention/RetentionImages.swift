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
    /// The image.
    public var imageIdentifier: UUID
    /// Whether it is approved.
    public var imageState: RetentionImageState
    /// Its size (1.4).
    public var imageSize: RetentionImageSize?

    /// Creates the value from its parts.
    public init(imageIdentifier: UUID, imageState: RetentionImageState, imageSize: RetentionImageSize? = nil) {
        self.imageIdentifier = imageIdentifier
        self.imageState = imageState
        self.imageSize = imageSize
    }
}

/// Whether an image is approved. Apple's page: `imageState`. Apple's library for Node says `PENDING_REVIEW`; its
/// documentation and the other three say `PENDING`.
public struct RetentionImageState: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Apple has not decided.
    public static let pending = Self(rawValue: "PENDING")
    /// May be shown.
    public static let approved = Self(rawValue: "APPROVED")
    /// Must not be shown.
    public static let rejected = Self(rawValue: "REJECTED")
}

/// The size of an image: PNG without transparency. Apple's page: `imageSize`.
public struct RetentionImageSize: RawRepresentable, Hashable, Sendable, Codable {
    /// The text on the wire.
    public let rawValue: String

    /// Takes any text, listed below or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// 3840 pixels wide and 160 to 2160 high; what an upload means that does not say.
    public static let fullSize = Self(rawValue: "FULL_SIZE")
    /// 1024 by 1024 pixels.
    public static let bulletPoint = Self(rawValue: "BULLET_POINT")
}
