internal import AppStoreModels
internal import ConfigurationReading
internal import Foundation

/// A UUID in a request. Foundation's parser accepts a sign or a blank as a digit.
struct RequestUUID: Decodable {
    let id: UUID

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = UUID(text: text) else {
            let member = decoder.member
            throw APIFailure("bad_json", "`\(member)` takes a UUID, not \(quoted(text)).", parameter: member)
        }
        self.id = id
    }
}
