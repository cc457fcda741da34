package import AppStoreModels
internal import Foundation

extension RetentionMessaging {
    /// R4. Stores an uploaded message. Errors in fields without a documented code have status 400 and no code.
    package mutating func uploadMessage(_ identifier: String, body: RequestBody) throws(APIFailure) {
        let identifier = try Self.identifier(identifier, "messageIdentifier")
        let content = try Self.content(body)
        try checkImages(of: content)
        guard message(identifier) == nil else {
            throw APIFailure(.messageAlreadyExists, "There is a message \(identifier.text) already.")
        }
        guard messages.count < Self.maximumCount else {
            throw APIFailure(.maximumNumberOfMessagesReached, "There are \(Self.maximumCount) messages already.")
        }
        messages.append(Message(identifier: identifier, content: content, state: isSandbox ? .approved : .pending))
    }

    /// R5. Deletes a message, also as a default message.
    package mutating func deleteMessage(_ identifier: String) throws(APIFailure) {
        let identifier = try Self.identifier(identifier, "messageIdentifier")
        guard message(identifier) != nil else { throw Self.messageNotFound(identifier) }
        messages.removeAll { $0.identifier == identifier }
        defaults.removeAll { $0.messageIdentifier == identifier }
    }

    /// R6. Returns the messages in the order of their upload.
    package func messageList() -> GetMessageListResponse {
        GetMessageListResponse(
            messageIdentifiers: messages.map {
                GetMessageListResponseItem(messageIdentifier: $0.identifier, messageState: $0.state)
            })
    }

    private static func content(_ body: RequestBody) throws(APIFailure) -> UploadMessageRequestBody {
        let header = try body.string("header", upTo: 66, tooLong: .headerTooLong, or: nil)
        let text = try body.string("body", upTo: 144, tooLong: .bodyTooLong, or: nil)
        var image: UploadMessageImage?
        if let fields = try body.objectIfPresent("image", or: nil) {
            image = UploadMessageImage(
                imageIdentifier: try fields.uuid("imageIdentifier", or: nil), altText: try altText(fields))
        }
        let position = try body.valueIfPresent(
            "headerPosition", of: [RetentionHeaderPosition.aboveBody, .aboveImage], or: nil)
        guard position != .aboveImage || image != nil else {
            throw APIFailure(.badRequestAboveImageRequiresAnImage, "headerPosition ABOVE_IMAGE requires an image.")
        }
        return UploadMessageRequestBody(
            header: header, body: text, image: image, headerPosition: position, bulletPoints: try bulletPoints(body))
    }

    private static func bulletPoints(_ body: RequestBody) throws(APIFailure) -> [RetentionBulletPoint]? {
        guard let list = try body.objectsIfPresent("bulletPoints", or: nil) else { return nil }
        guard list.count <= 5 else {
            throw APIFailure(.badRequestTooManyBulletPoints, "There are more than 5 bulletPoints.")
        }
        return try list.map { (fields) throws(APIFailure) in
            RetentionBulletPoint(
                text: try fields.string("text", upTo: 66, tooLong: .badRequestBulletPointTextTooLong, or: nil),
                imageIdentifier: try fields.uuid("imageIdentifier", or: nil), altText: try altText(fields))
        }
    }

    private static func altText(_ fields: RequestBody) throws(APIFailure) -> String {
        try fields.string("altText", upTo: 150, tooLong: .altTextTooLong, or: nil)
    }

    // This endpoint has no documented code for an unknown image, so the code for a wrong image size is used.
    private func checkImages(of content: UploadMessageRequestBody) throws(APIFailure) {
        if let image = content.image { try checkImage(image.imageIdentifier, is: .fullSize) }
        for point in content.bulletPoints ?? [] { try checkImage(point.imageIdentifier, is: .bulletPoint) }
    }

    private func checkImage(_ identifier: UUID, is size: RetentionImageSize) throws(APIFailure) {
        guard image(identifier)?.size == size else {
            throw APIFailure(.badRequestImageSize, "There is no image \(identifier.text) of size \(size.rawValue).")
        }
    }
}
