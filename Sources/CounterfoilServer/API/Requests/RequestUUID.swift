internal import AppStoreModels
internal import Foundation

/// A UUID in a request. Foundation's parser accepts a sign or a blank as a digit.
struct RequestUUID: Decodable {
    let id: UUID

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = UUID(text: text) else {
            throw InvalidUUID(member: decoder.codingPath.map(\.stringValue).joined(separator: "."), value: text)
        }
        self.id = id
    }
}

/// A member of a body that is not a UUID.
struct InvalidUUID: Error {
    var member, value: String
}
