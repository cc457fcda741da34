package import AppStoreModels

extension RetentionMessaging {
    /// R1. Stores an uploaded image. `size` is the query parameter `imageSize`.
    package mutating func uploadImage(
        _ identifier: String, size: String? = nil, bytes: some RandomAccessCollection<UInt8>
    ) throws(APIFailure) {
        let identifier = try Self.identifier(identifier, "imageIdentifier")
        let size = size.map(RetentionImageSize.init(rawValue:)) ?? .fullSize
        let file: PNGFile
        guard let limits = Self.pixels[size] else {
            throw APIFailure(.badRequestImageSize, "imageSize is neither FULL_SIZE nor BULLET_POINT.")
        }
        do throws(PNGFile.Problem) { file = try PNGFile(bytes) } catch {
            throw APIFailure(.invalidImage, "The image cannot be used: \(error.rawValue).")
        }
        guard limits.widths.contains(file.width), limits.heights.contains(file.height) else {
            throw APIFailure(
                .invalidImage,
                "The image has \(file.width) × \(file.height) pixels; \(size.rawValue) is \(limits.text).")
        }
        guard image(identifier) == nil else {
            throw APIFailure(.imageAlreadyExists, "There is an image \(identifier.text) already.")
        }
        guard images.count < Self.maximumCount else {
            throw APIFailure(.maximumNumberOfImagesReached, "There are \(Self.maximumCount) images already.")
        }
        images.append(
            Image(
                identifier: identifier, size: size, state: isSandbox ? .approved : .pending, width: file.width,
                height: file.height))
    }

    /// R2. Deletes an image. Throws if a message uses it.
    package mutating func deleteImage(_ identifier: String) throws(APIFailure) {
        let identifier = try Self.identifier(identifier, "imageIdentifier")
        guard image(identifier) != nil else { throw Self.imageNotFound(identifier) }
        guard !messages.contains(where: { $0.images.contains(identifier) }) else {
            throw APIFailure(.imageInUse, "A message uses the image \(identifier.text).")
        }
        images.removeAll { $0.identifier == identifier }
    }

    /// R3. Returns the images in the order of their upload.
    package func imageList() -> GetImageListResponse {
        GetImageListResponse(
            imageIdentifiers: images.map {
                GetImageListResponseItem(imageIdentifier: $0.identifier, imageState: $0.state, imageSize: $0.size)
            })
    }

    private typealias Pixels = (widths: ClosedRange<UInt32>, heights: ClosedRange<UInt32>, text: String)

    private static let pixels: [RetentionImageSize: Pixels] = [
        .fullSize: (3840...3840, 160...2160, "3840 × 160 to 2160"),
        .bulletPoint: (1024...1024, 1024...1024, "1024 × 1024"),
    ]
}
