internal import Basics
internal import Ledger

/// An instant in a request: milliseconds since 1970, or ISO 8601 with a time zone. Responses have milliseconds.
struct RequestInstant: Decodable {
    let milliseconds: Milliseconds

    init?(_ text: some StringProtocol) {
        guard let milliseconds = InstantText.milliseconds(text) else { return nil }
        self.milliseconds = milliseconds
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let instant: RequestInstant?
        do { instant = Self(String(try container.decode(Int64.self))) } catch {
            instant = Self(try container.decode(String.self))
        }
        guard let instant else {
            throw InvalidInstant(member: decoder.codingPath.map(\.stringValue).joined(separator: "."))
        }
        self = instant
    }
}

/// A member of a body that is not an instant.
struct InvalidInstant: Error {
    var member: String
}
