internal import AppStoreModels
internal import Foundation

/// A UUID in a request. Foundation's parser accepts a sign or a blank as a digit.
struct RequestUUID: Decodable {
    let id: UUID

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = UUID(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a UUID")
        }
        self.id = id
    }
}
