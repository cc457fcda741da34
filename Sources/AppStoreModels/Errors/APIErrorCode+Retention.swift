// Codes of the Retention Messaging API only.

extension APIErrorCode {
    /// 4000161: The image is not PNG, is transparent or has a wrong size.
    public static let invalidImage = Self(rawValue: 4_000_161)
    /// 4000162: The headline is longer than 66 characters.
    public static let headerTooLong = Self(rawValue: 4_000_162)
    /// 4000163: The text is longer than 144 characters.
    public static let bodyTooLong = Self(rawValue: 4_000_163)
    /// 4000164: The language is not valid.
    public static let invalidLocale = Self(rawValue: 4_000_164)
    /// 4000175: The description of an image is longer than 150 characters.
    public static let altTextTooLong = Self(rawValue: 4_000_175)
    /// 4000211: The request for a performance test is not valid.
    public static let invalidPerformanceTestRequest = Self(rawValue: 4_000_211)
    /// 4000212: The identifier of the performance test is not valid.
    public static let invalidRequestId = Self(rawValue: 4_000_212)
    /// 4000213: A performance test is running: wait until it ends.
    public static let existingPerformanceTestRun = Self(rawValue: 4_000_213)
    /// 4000215: The URL is not valid.
    public static let badRequestRealtimeUrl = Self(rawValue: 4_000_215)
    /// 4000216: The image has the wrong size for its position.
    public static let badRequestImageSize = Self(rawValue: 4_000_216)
    /// 4000218: There are more than five bullet points.
    public static let badRequestTooManyBulletPoints = Self(rawValue: 4_000_218)
    /// 4000219: The text of a bullet point is longer than 66 characters.
    public static let badRequestBulletPointTextTooLong = Self(rawValue: 4_000_219)
    /// 4000224: A headline above the image requires an image.
    public static let badRequestAboveImageRequiresAnImage = Self(rawValue: 4_000_224)
    /// 4030014: There are 2000 images already.
    public static let maximumNumberOfImagesReached = Self(rawValue: 4_030_014)
    /// 4030016: There are 2000 messages already.
    public static let maximumNumberOfMessagesReached = Self(rawValue: 4_030_016)
    /// 4030017: The message is not approved.
    public static let messageNotApproved = Self(rawValue: 4_030_017)
    /// 4030018: The image of the message is not approved.
    public static let imageNotApproved = Self(rawValue: 4_030_018)
    /// 4030019: A message still uses the image.
    public static let imageInUse = Self(rawValue: 4_030_019)
    /// 4030026: No performance test has passed in the sandbox.
    public static let forbiddenNoPassingTest = Self(rawValue: 4_030_026)
    /// 4040006: The original transaction was not found; try again.
    public static let originalTransactionIdNotFoundRetryable = Self(rawValue: 4_040_006)
    /// 4040014: The image is unknown.
    public static let imageNotFound = Self(rawValue: 4_040_014)
    /// 4040015: The message is unknown.
    public static let messageNotFound = Self(rawValue: 4_040_015)
    /// 4040018: The performance test is unknown.
    public static let performanceTestRunNotFound = Self(rawValue: 4_040_018)
    /// 4040020: The product and language have no default message.
    public static let defaultMessageNotFound = Self(rawValue: 4_040_020)
    /// 4040021: No URL for messages is set.
    public static let realtimeUrlNotFound = Self(rawValue: 4_040_021)
    /// 4090000: There is an image with this identifier already.
    public static let imageAlreadyExists = Self(rawValue: 4_090_000)
    /// 4090001: There is a message with this identifier already.
    public static let messageAlreadyExists = Self(rawValue: 4_090_001)
}
