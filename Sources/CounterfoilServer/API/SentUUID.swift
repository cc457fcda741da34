internal import AppStoreModels
internal import Foundation

/// A UUID as clients send it. Foundation's reader takes a sign or a blank for a digit.
struct SentUUID: Decodable {
    let id: UUID

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = UUID(text: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a UUID")
        }
        self.id = id
    }
}
